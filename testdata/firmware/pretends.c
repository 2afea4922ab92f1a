/* Breaks finishes: processor 2 sets its own faulty flag, so that its handler is not
 * called any more. */
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
    if (sl_self(nic) == 2)
        nic->registers->flags |= SL_FLAG_FAULTY;
    else
        sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
