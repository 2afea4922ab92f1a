/* Sends its packet on the bus that it shares with the destination; vertices take turns by their
 * number, unless all send at once. */
#define STARLOOM_ROM
#include "starloom_bus.h"

STARLOOM_PARAMS("at_once=0", "twice=0")

typedef struct {
    uint32_t unused;
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_listen(nic, sl_taps(nic) > 0 ? 0 : SL_PORT_NONE);
}

static void on_slot(sl_nic *nic, state_t *s) {
    (void)s;
    while (sl_receive(nic)) {
    }
    sl_packet packet = {sl_self(nic), sl_workload(nic)};
    for (int32_t sends = 0; sends <= sl_param(nic, 1); sends++)
        if (sl_slot(nic) == (sl_param(nic, 0) ? 0 : sl_self(nic)) + (uint32_t)sends * sl_vertices(nic)) sl_send_packet(nic, 0, packet.destination, packet);
    if (sl_slot(nic) == 2 * sl_vertices(nic)) sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
