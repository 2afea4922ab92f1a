/* In slot 2 the handler of processor 3 does not return; that of processor 0 traps. */
#include "starloom.h"

typedef struct {
    uint32_t unused;
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)nic;
    (void)s;
}

static void on_slot(sl_nic *nic, state_t *s) {
    if (sl_slot(nic) == 2 && sl_self(nic) == 3)
        for (volatile uint32_t *turns = &s->unused;;) ++*turns;
    if (sl_slot(nic) == 2 && sl_self(nic) == 0) __builtin_trap();
    if (sl_slot(nic) == 4) sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
