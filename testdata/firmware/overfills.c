/* Sends one frame more than its TX FIFO has room for: what is written to it is lost, in memory that
 * all processors of a bank share. */
#include "starloom_pops.h"

typedef struct {
    uint32_t unused;
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)nic;
    (void)s;
}

static void on_slot(sl_nic *nic, state_t *s) {
    (void)s;
    for (uint32_t left = sl_tx_free(nic) + 1; sl_slot(nic) == 1 && left > 0; left--)
        *(uint32_t *)sl_send(nic, 0, SL_KIND_CONTROL, SL_ANY, 4)->payload = 0x600D + sl_self(nic);
    if (sl_slot(nic) == 6) sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
