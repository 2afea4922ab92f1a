/* The runtime's shifts of 64 bits equal the compiler's own, by every distance. */
#include "starloom.h"

uint64_t __ashldi3(uint64_t a, int by);
uint64_t __lshrdi3(uint64_t a, int by);
int64_t __ashrdi3(int64_t a, int by);

typedef struct { uint32_t slots; } state_t;

static void on_start(sl_nic *nic, state_t *s) {
    static const uint64_t values[] = {0, 1, 0x80000000, 0x100000000, 0x8000000000000000,
                                      0xFEDCBA9876543210, 0x0123456789ABCDEF, ~0ull};
    for (unsigned k = 0; k < sizeof values / sizeof *values; k++)
        for (int by = 0; by < 64; by++) {
            sl_assert(nic, __ashldi3(values[k], by) == values[k] << by);
            sl_assert(nic, __lshrdi3(values[k], by) == values[k] >> by);
            sl_assert(nic, __ashrdi3((int64_t)values[k], by) == (int64_t)values[k] >> by);
        }
}

static void on_slot(sl_nic *nic, state_t *s) { sl_done(nic); }

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
