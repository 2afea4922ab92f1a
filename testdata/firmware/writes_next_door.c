/* In slot 3 processor 1 writes `words` words past its own record: into its neighbour's, where
 * processors share a bank. Nothing that is sent depends on it. With `restarts`, every start handler
 * that is called again does so instead. */
#include "starloom.h"

typedef struct {
    uint32_t table[16];
} state_t;

STARLOOM_PARAMS("words=1", "restarts=0")

static uint32_t starts; /* a note of the check */

static void write_next_door(sl_nic *nic) {
    volatile uint32_t *words = (volatile uint32_t *)nic->record;
    for (int32_t k = 1; k <= sl_param(nic, 0); k++) words[nic->bank.record_stride / 4 + k] = 0xBAD;
}

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    if (sl_param(nic, 1) && starts++ >= sl_processors(nic)) write_next_door(nic);
}

static void on_slot(sl_nic *nic, state_t *s) {
    s->table[sl_slot(nic) % 4] = 1;
    if (!sl_param(nic, 1) && sl_slot(nic) == 3 && sl_self(nic) == 1) write_next_door(nic);
    if (sl_slot(nic) == 5) sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
