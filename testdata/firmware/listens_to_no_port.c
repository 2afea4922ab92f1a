/* Breaks illegal_listen: processor 1 listens to all ports at once. */
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
    if (sl_self(nic) == 1) sl_listen(nic, SL_PORT_ALL);
    sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
