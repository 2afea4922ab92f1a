/* Keeps a word in a static variable while a handler runs; with `keeps`, also what the handler of
 * another processor has left there, of which nothing that is sent depends. */
#include "starloom_pops.h"

typedef struct {
    uint32_t sum;
} state_t;

static volatile uint32_t scratch;

STARLOOM_PARAMS("keeps=0")

static void on_start(sl_nic *nic, state_t *s) {
    (void)nic;
    (void)s;
}

static void on_slot(sl_nic *nic, state_t *s) {
    if (sl_param(nic, 0) && sl_slot(nic) > 2 && scratch > 100) s->sum++;
    if (sl_slot(nic) > 0) {
        scratch = sl_self(nic) + 1 + sl_slot(nic);
        if (sl_param(nic, 0) && sl_self(nic) == 3) s->sum += scratch == 0xFFFF;
    }
    if (sl_slot(nic) == 6) sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
