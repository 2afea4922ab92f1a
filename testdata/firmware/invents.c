/* Breaks no_creation: processor 2 sends the packet of processor 0, which it does not have, by its first port. */
#include "starloom.h"

typedef struct {
    uint32_t unused;
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    if (sl_self(nic) == 2) sl_send_packet(nic, 0, 1, (sl_packet){0, SL_ANY});
}

static void on_slot(sl_nic *nic, state_t *s) {
    (void)s;
    sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
