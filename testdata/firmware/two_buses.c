/* Breaks one_bus: in slot 2 vertex 1 sends to its first bus and listens to its second. */
#include "starloom_bus.h"

typedef struct {
    uint32_t unused;
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_listen(nic, sl_self(nic) == 2 ? 0 : SL_PORT_NONE);
}

static void on_slot(sl_nic *nic, state_t *s) {
    (void)s;
    if (sl_slot(nic) == 2 && sl_self(nic) == 1) {
        sl_send_ack(nic, 0, 0);
        sl_listen(nic, 1);
    }
    if (sl_slot(nic) == 2 && sl_self(nic) == 2) sl_send_ack(nic, 0, 0);
    if (sl_slot(nic) == 3) { /* what the first bus has brought is its own frame: it was not on the second */
        if (sl_self(nic) == 1) {
            const sl_frame *frame = sl_receive(nic);
            if (!frame || frame->source != 1 || frame->port != 0 || sl_receive(nic)) sl_fail(nic, 1);
        }
        sl_listen(nic, SL_PORT_NONE);
        sl_done(nic);
    }
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
