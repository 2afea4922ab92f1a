/* Breaks firmware_trap: processor `victim` traps in slot 1, in the way `how`:
 * 0 unreachable, 1 memory out of bounds, 2 division by zero, 3 stack overflow. */
#include "starloom.h"

typedef struct {
    uint32_t unused;
} state_t;

STARLOOM_PARAMS("victim=2", "how=0")

static void on_start(sl_nic *nic, state_t *s) {
    (void)nic;
    (void)s;
}

__attribute__((noinline)) static uint32_t recurse(volatile uint32_t depth) {
    volatile uint32_t room[256];
    room[depth % 256] = depth;
    if (depth == 0xFFFFFFFF) return 0;
    return recurse(depth + 1) + room[depth % 256];
}

__attribute__((noinline)) static uint32_t break_down(uint32_t how, volatile uint32_t *zero) {
    switch (how) {
    case 1: return *(volatile uint32_t *)0xFFFFFFF0u;
    case 2: return 1000 / *zero;
    case 3: return recurse(0);
    default: __builtin_trap();
    }
}

static void on_slot(sl_nic *nic, state_t *s) {
    if (sl_slot(nic) == 1 && sl_self(nic) == (uint32_t)sl_param(nic, 0))
        s->unused = break_down((uint32_t)sl_param(nic, 1), &s->unused);
    if (sl_slot(nic) == 2) sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
