/* Gives results with names: a draw below 10, of odd processors minus their number too, in the second
 * slot, and a word without a name. Processor 3 gives nothing. */
#include "starloom.h"

typedef struct {
    uint32_t unused;
} state_t;

STARLOOM_RESULTS("draw", "minus", "never")

static void on_start(sl_nic *nic, state_t *s) {
    (void)nic;
    (void)s;
}

static void on_slot(sl_nic *nic, state_t *s) {
    (void)s;
    uint32_t self = sl_self(nic);
    if (sl_slot(nic) == 1) {
        if (self != 3) sl_result(nic, 0, sl_random_below(nic, 10));
        if (self % 2) sl_result(nic, 1, -(uint64_t)self);
        sl_result(nic, 8, (uint64_t)1 << 63);
        sl_done(nic);
    }
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
