/* Breaks firmware_fail: processor 2 gives up with code 42 in slot 1. */
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
    if (sl_self(nic) == 2 && sl_slot(nic) == 1) sl_fail(nic, 42);
    if (sl_slot(nic) == 2) sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
