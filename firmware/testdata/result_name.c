/* A result has a name that no one can write. */
#include "starloom.h"

typedef struct {
    uint32_t unused;
} state_t;

STARLOOM_RESULTS("hops", "1st")

static void on_start(sl_nic *nic, state_t *s) {
    (void)nic;
    (void)s;
}

static void on_slot(sl_nic *nic, state_t *s) {
    (void)s;
    sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
