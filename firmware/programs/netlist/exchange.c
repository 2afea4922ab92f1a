/* netlist/exchange: at routers, every processor sends its number to all others, the next processor first.
 *
 * The run ends when all processors know all numbers. */
#define STARLOOM_STATE_BYTES ((uint32_t)(sizeof(uint32_t) * (2 + bank->processors / 32 + 1)))
#include "starloom.h"

typedef struct {
    uint32_t known, told; /* numbers of others; processors that have been sent this one's */
    uint32_t words[];     /* a bit for each known number */
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)nic;
    (void)s;
}

static void on_slot(sl_nic *nic, state_t *s) {
    const uint32_t n = sl_processors(nic);
    const sl_frame *frame;
    while ((frame = sl_receive(nic))) {
        const uint32_t origin = frame->payload_bytes >= sizeof(sl_packet) ? sl_packet_of(frame)->origin : n;
        if (origin >= n || origin == sl_self(nic) || s->words[origin / 32] >> (origin % 32) & 1) continue;
        s->words[origin / 32] |= 1u << (origin % 32);
        s->known++;
    }
    for (; s->told + 1 < n && sl_tx_free(nic) > 0; s->told++) {
        const uint32_t to = (sl_self(nic) + 1 + s->told) % n;
        sl_send_packet(nic, 0, to, (sl_packet){sl_self(nic), to});
    }
    if (s->known + 1 >= n) sl_done(nic);
    if (s->told + 1 >= n) sl_sleep(nic, SL_LONG); /* until something comes */
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
