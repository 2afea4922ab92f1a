/* In slot 3 processor 1 writes one word past its own record: into its neighbour's, where
 * processors share a bank. Nothing that is sent depends on it. */
#include "starloom.h"

typedef struct {
    uint32_t table[4];
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)nic;
    (void)s;
}

static void on_slot(sl_nic *nic, state_t *s) {
    s->table[sl_slot(nic) % 4] = 1;
    if (sl_slot(nic) == 3 && sl_self(nic) == 1) {
        volatile uint32_t *words = (volatile uint32_t *)nic->record;
        words[nic->bank.record_stride / 4 + 1] = 0xBAD;
    }
    if (sl_slot(nic) == 4) sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
