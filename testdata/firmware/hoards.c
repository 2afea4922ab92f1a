/* Breaks packets_per_processor_max: processor 3 holds so many packets more every slot. */
#include "starloom.h"

typedef struct {
    uint32_t unused;
} state_t;

STARLOOM_PARAMS("packets=1")

static void on_start(sl_nic *nic, state_t *s) {
    (void)nic;
    (void)s;
}

static void on_slot(sl_nic *nic, state_t *s) {
    (void)s;
    if (sl_self(nic) == 3) sl_hold(nic, (uint32_t)sl_param(nic, 0) * sl_slot(nic));
    if (sl_slot(nic) == 4) sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
