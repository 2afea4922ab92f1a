/* Gives results: in slot k, as word k, its number and a high bit; word 7 in every slot. Processor
 * 1 gives one more than it may in slot 2. */
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
    sl_result(nic, sl_slot(nic), (uint64_t)1 << 63 | sl_self(nic));
    sl_result(nic, 7, sl_slot(nic));
    if (sl_slot(nic) == 2) {
        if (sl_self(nic) == 1) for (uint32_t k = 0; k < 1023; k++) sl_result(nic, 7, k);
        sl_done(nic);
    }
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
