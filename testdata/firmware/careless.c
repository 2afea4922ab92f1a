/* Does, in slot 1, what only a checked build finds; parameter `how` says what. TAKES is for images that take a ROM. */
#include "starloom.h"
#ifdef STARLOOM_ROM
#define TAKES(code) code
#else
#define TAKES(code) (void)0
#endif
typedef struct { uint32_t unused; } state_t;
STARLOOM_PARAMS("how=0")
static void on_start(sl_nic *nic, state_t *s) {
    (void)nic;
    (void)s;
}

static void on_slot(sl_nic *nic, state_t *s) {
    if (sl_slot(nic) == 2) sl_done(nic);
    if (sl_slot(nic) != 1 || sl_self(nic) != 2) return;
    switch (sl_param(nic, 0)) {
    case 1: sl_send(nic, 99, SL_KIND_DATA, 0, 0); break;
    case 2: sl_send_packet(nic, sl_ports(nic), 1, (sl_packet){1, 2}); break;
    case 3: sl_listen(nic, 99); break;
    case 4: s->unused = (uint32_t)sl_param(nic, 1); break;
    case 5: sl_probe(nic, 0, 1); break;
    case 6: s->unused = sl_shape(nic, 8); break;
    case 7: TAKES(s->unused = sl_rom(nic, 1u << 30)); break;
    case 8: TAKES(sl_set_valid(nic, 3)); break;
    case 9: s->unused = sl_status_of(nic, 1); break;
    case 10: sl_sleep(nic, 0); break;
    case 11: s->unused = sl_random_below(nic, 0); break;
    case 12: sl_send(nic, 0, SL_KIND_DATA, 0, 17); break;
    case 13: s->unused = sl_receive(nic)->source; break;
    case 14: s->unused = sl_packet_of(sl_receive(nic))->origin; break;
    case 15: s->unused = 1u << (sl_self(nic) + 30); break;
    case 16:
        while (sl_tx_free(nic)) sl_send_ack(nic, 0, 0);
        sl_send(nic, 0, SL_KIND_DATA, 0, 4)->payload[2] = 0;
        break;
    case 17: /* nothing is written: this is a slot with an overflow, which is counted */
        while (sl_tx_free(nic)) sl_send_ack(nic, 0, 0);
        sl_send(nic, 0, SL_KIND_DATA, 0, 4);
        break;
    }
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
