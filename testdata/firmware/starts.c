/* Says in which slot its start handler believes to be, in which slot it was first called after it, and what was in its state then. */
#include "starloom.h"

typedef struct {
    uint32_t called;
} state_t;

STARLOOM_RESULTS("start", "first", "state")

static void on_start(sl_nic *nic, state_t *s) {
    sl_result(nic, 0, (int32_t)sl_slot(nic));
    sl_result(nic, 2, (int32_t)s->called);
}

static void on_slot(sl_nic *nic, state_t *s) {
    if (!s->called) sl_result(nic, 1, (int32_t)sl_slot(nic));
    s->called++;
    if (sl_slot(nic) == 9) sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
