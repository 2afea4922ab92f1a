/* Firmware that fills its TX FIFO in every slot: up to the brim, a frame too far, or as if all
 * FIFOs were equally deep. */
#include "starloom.h"
STARLOOM_PARAMS("manner=0")

typedef struct {
    uint32_t none;
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)nic;
    (void)s;
}

static void on_slot(sl_nic *nic, state_t *s) {
    (void)s;
    uint32_t room = sl_tx_free(nic);
    if (sl_param(nic, 0) == 1) room++;
    if (sl_param(nic, 0) == 2) {
        for (uint32_t k = nic->registers->tx_count; k < nic->bank.tx_frames; k++) {
            *starloom_tx(nic, k) = (sl_frame){.kind = SL_KIND_CONTROL, .destination = SL_ANY};
        }
        nic->registers->tx_count = (uint8_t)nic->bank.tx_frames;
        return;
    }
    while (room--) sl_send(nic, 0, SL_KIND_CONTROL, SL_ANY, 0);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
