/* Breaks illegal_send: processor 1 sends a frame of a kind that does not exist. */
#include "starloom.h"

typedef struct {
    uint32_t unused;
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)nic;
    (void)s;
}

static void on_slot(sl_nic *nic, state_t *s) {
    (void)s;
    if (sl_self(nic) == 1) sl_send(nic, 0, 7, SL_ANY, 0);
    sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
