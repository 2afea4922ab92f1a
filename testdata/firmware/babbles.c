/* Queues more frames than its TX FIFO holds: counted, and the rest is sent later. */
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
    if (sl_self(nic) == 0 && sl_slot(nic) == 0)
        for (uint32_t k = 0; k < nic->bank.tx_frames + 1; k++) sl_send_ack(nic, 0, SL_ANY);
    sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
