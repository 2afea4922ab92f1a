/* Breaks finishes: processor 3 never says that it is done. */
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
    if (sl_self(nic) != 3) sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
