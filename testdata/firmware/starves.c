/* All send to processor 0, which takes nothing for 600 slots. */
#include "starloom.h"

typedef struct {
    uint32_t sent;
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_done(nic);
}

static void on_slot(sl_nic *nic, state_t *s) {
    for (; sl_self(nic) > 0 && s->sent < 40 && sl_tx_free(nic) > 0; s->sent++) sl_send_ack(nic, 0, 0);
    if (sl_slot(nic) >= 600)
        while (sl_receive(nic));
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
