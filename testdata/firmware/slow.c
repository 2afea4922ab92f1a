/* Processor 2 is slow in slot 3: most of it in a loop two calls deep; or, with deep=N, N calls deep;
 * with deep=-1 it clears memory, and with deep=-N it is called in a tree of N levels. */
#include "starloom.h"

STARLOOM_PARAMS("turns=1000", "deep=0")

typedef struct {
    uint32_t found;
} state_t;

static volatile uint32_t table[64];

__attribute__((noinline)) static uint32_t find(uint32_t turns) {
    uint32_t found = 0;
    for (uint32_t k = 0; k < turns; k++)
        found += table[k % 64];
    return found;
}

__attribute__((noinline)) static uint32_t look_up(uint32_t turns) {
    uint32_t found = 0;
    for (uint32_t k = 0; k < turns / 16; k++)
        found ^= table[k % 64];
    return found + find(turns);
}

__attribute__((noinline)) static uint32_t dig(uint32_t depth) {
    table[depth % 64] += depth ? dig(depth - 1) : 0;
    return table[(depth + 1) % 64];
}

__attribute__((noinline)) static void wipe(uint32_t bytes) {
    static char room[4096];
    __builtin_memset(room, 7, bytes);
    table[0] += (uint32_t)room[table[0] % 4096];
}

__attribute__((noinline)) static uint32_t branch(int32_t levels) {
    if (!levels) return 1;
    table[levels] = branch(levels - 1);
    return branch(levels - 1) + table[levels];
}

static void on_start(sl_nic *nic, state_t *s) {
    (void)nic;
    s->found = 0;
}

static void on_slot(sl_nic *nic, state_t *s) {
    int slow = sl_self(nic) == 2 && sl_slot(nic) == 3;
    uint32_t turns = slow ? (uint32_t)sl_param(nic, 0) : 1;
    s->found += find(1);
    s->found += look_up(turns);
    const int32_t deep = slow ? sl_param(nic, 1) : 0;
    if (deep > 0) s->found += dig((uint32_t)deep);
    if (deep == -1) wipe(4000 + turns);
    if (deep < -1) s->found += branch(-deep);
    if (sl_slot(nic) == 6) sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
