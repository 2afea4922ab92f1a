/* Breaks firmware_trap: processor 2 calls itself without end in slot 1, and takes no stack for it
 * that the image has, so that the runtime ends it. */
#include "starloom.h"

typedef struct {
    uint32_t unused;
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)nic;
    (void)s;
}

__attribute__((noinline)) static uint32_t recurse(const volatile uint32_t *zero) {
    return *zero ? 0 : recurse(zero) + 1 + recurse(zero);
}

static void on_slot(sl_nic *nic, state_t *s) {
    if (sl_self(nic) == 2 && sl_slot(nic) == 1) s->unused = recurse(&s->unused);
    if (sl_slot(nic) == 2) sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
