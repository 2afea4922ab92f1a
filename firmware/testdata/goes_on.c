/* Processor 0 gives up, in a language whose sl_fail returns, and goes on; processor 2 traps. */
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
    if (sl_self(nic) == 0) sl_host_fail(7);
    if (sl_self(nic) == 2) __builtin_trap();
    sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
