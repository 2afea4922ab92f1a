/* Breaks firmware_fail: in slot 1, processor 2 finds that an assertion does not hold, and
 * processor 3 gives up three calls deep, two of which are inlined. All processors log. */
#include "starloom.h"

typedef struct {
    uint32_t turns;
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_logf(nic, "%s %u of %u: %5d|%-5d|%05d|%+d %x %#X %c %.3s%% %p", "processor", sl_self(nic), sl_processors(nic), -42, 42, -42, 42,
            0xBEEFu, 0xBEEFu, '!', "abcdef", (void *)0x20);
    sl_logf(nic, "%lld %d %llu %016llx", -5000000000LL, 7, 18446744073709551615ULL, 0x123456789ABCDEFULL);
    sl_logf(nic, "%300d", 1); sl_logf(nic, "[%*d|%-*d|%*d|%.*s|%*.*u|%.*d|%s]", 5, -4, 5, 4, -5, 4, 2, "abc", 6, 3, 7u, -1, 8, "end");
}

static void check(sl_nic *nic, const state_t *s) {
    sl_assert(nic, s->turns < 2 && "too many");
}

SL_INLINE void give_up(sl_nic *nic) {
    sl_fail(nic, 7);
}

__attribute__((noinline)) static void deep(sl_nic *nic) {
    give_up(nic);
}

static void on_slot(sl_nic *nic, state_t *s) {
    s->turns++;
    if (sl_self(nic) == 2) check(nic, s);
    if (sl_self(nic) == 3 && sl_slot(nic) == 1) deep(nic);
    if (sl_slot(nic) == 2) sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
