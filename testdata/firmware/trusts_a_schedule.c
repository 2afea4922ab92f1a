/* Traps on a word of the schedule with its highest bit set, and in a named call with the argument 0. */
#define STARLOOM_SCHEDULE
#include "starloom_pops.h"

typedef struct {
    uint32_t unused;
} state_t;

STARLOOM_CALL(share, (uint32_t whole, uint32_t parts), whole / parts)

static void on_start(sl_nic *nic, state_t *s) {
    (void)nic;
    (void)s;
}

static void on_slot(sl_nic *nic, state_t *s) {
    (void)s;
    if (sl_schedule_word(nic) >> 63) __builtin_trap();
    if (sl_slot(nic) == 4) sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
