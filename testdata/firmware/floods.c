/* Processor 1 sends more frames in one slot than its TX FIFO holds, and fills in what
 * sl_send returns without a look at it. A frame that is not sent starts as zeros. */
#include "starloom.h"

typedef struct {
    uint32_t unused;
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_listen(nic, 1);
}

static void on_slot(sl_nic *nic, state_t *s) {
    (void)s;
    if (sl_self(nic) == 1 && sl_slot(nic) == 0) {
        for (uint32_t k = 0; k < 7; k++) {
            uint32_t room = sl_tx_free(nic);
            sl_frame *frame = sl_send(nic, 2, SL_KIND_CONTROL, 2, 16);
            uint64_t *payload = (uint64_t *)frame->payload;
            if (!room && (frame->kind || payload[0] || payload[1])) sl_fail(nic, 1);
            payload[0] = k;
            payload[1] = ~0ull;
        }
        if (*(volatile uint64_t *)0) sl_fail(nic, 2); /* address 0 is the end of the stack */
    }
    sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
