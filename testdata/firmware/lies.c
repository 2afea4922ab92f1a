/* Processor 1 lies about its FIFOs: counts that no FIFO has. how: 1 TX, 2 RX, 3 both. */
#include "starloom.h"

typedef struct {
    uint32_t unused;
} state_t;

STARLOOM_PARAMS("how=3")

static void on_start(sl_nic *nic, state_t *s) {
    (void)nic;
    (void)s;
}

static void on_slot(sl_nic *nic, state_t *s) {
    (void)s;
    if (sl_self(nic) == 1) {
        if (sl_param(nic, 0) & 1) nic->registers->tx_count = 255;
        if (sl_param(nic, 0) & 2) nic->registers->rx_count = 5;
    }
    sl_listen(nic, 0);
    sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
