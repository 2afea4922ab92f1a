/* netlist/request-reply: at routers, everybody asks everybody for its number, the next processor first, and replies to those
 * who ask.
 *
 * A request is taken only if its reply has room in the TX FIFO, and replies wait in line after requests: with short FIFOs processors
 * come to wait for one another. */
#include "starloom.h"

typedef struct {
    uint32_t asked, answered; /* processors that have been sent a request; replies that have come */
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)nic;
    (void)s;
}

static void on_slot(sl_nic *nic, state_t *s) {
    const uint32_t n = sl_processors(nic);
    const sl_frame *frame;
    while (sl_tx_free(nic) > 0 && (frame = sl_receive(nic))) {
        if (frame->kind == SL_KIND_ACK)
            sl_send_packet(nic, 0, frame->source, (sl_packet){sl_self(nic), frame->source});
        else
            s->answered++;
    }
    for (; s->asked + 1 < n && sl_tx_free(nic) > 0; s->asked++) sl_send_ack(nic, 0, (sl_self(nic) + 1 + s->asked) % n);
    if (s->answered + 1 >= n) sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
