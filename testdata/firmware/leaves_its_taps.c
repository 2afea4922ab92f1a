/* Breaks illegal_send and illegal_listen on a bus network: vertices 1 and 2 have one tap, and
 * vertex 1 sends to another one, or to all, vertex 2 listens to another one. */
#include "starloom_bus.h"

STARLOOM_PARAMS("to=1")

typedef struct {
    uint32_t unused;
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)nic;
    (void)s;
}

static void on_slot(sl_nic *nic, state_t *s) {
    (void)s;
    if (sl_self(nic) == 1 && sl_param(nic, 0) > 0) sl_send_ack(nic, (uint32_t)sl_param(nic, 0), 0);
    if (sl_self(nic) == 2 && sl_param(nic, 0) == 0) sl_listen(nic, 1);
    sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
