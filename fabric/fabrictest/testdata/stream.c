/* Node 0 sends a frame over its link +1 in every slot in which the one before has left; its
 * neighbour takes one frame out of its FIFO in every so many slots. */
#define STARLOOM_TX_STATUS
#include "starloom_ej.h"

typedef struct {
    uint32_t sent;
} state_t;

STARLOOM_PARAMS("every=1", "until=40") /* every: 0 for never */

static void on_start(sl_nic *nic, state_t *s) {
    (void)nic;
    (void)s;
}

static void on_slot(sl_nic *nic, state_t *s) {
    uint32_t slot = sl_slot(nic), every = (uint32_t)sl_param(nic, 0);
    if (every && slot % every == 0) sl_receive(nic);
    if (slot >= (uint32_t)sl_param(nic, 1)) {
        sl_done(nic);
        return;
    }
    if (sl_self(nic) == 0 && !sl_tx_head(nic)) *(uint32_t *)sl_ej_send(nic, sl_ej_port(1, 0), 4) = s->sent++;
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
