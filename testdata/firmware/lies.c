/* Processor 1 lies about its FIFOs: counts that no FIFO has. */
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
    if (sl_self(nic) == 1) {
        nic->registers->tx_count = 255;
        nic->registers->rx_count = 255;
    }
    sl_listen(nic, 0);
    sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
