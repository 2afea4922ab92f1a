/* A NIC controller with a mistake. Requests leave by port 0 and replies by port 1, each in a class of its own, so that no reply waits for a
 * request, anywhere in the network. But frames are taken in the order in which they have come: a reply waits for a request before it, which
 * waits for room for its own reply.
 *
 * With replies_first=1 it takes those first, which is all that was missing. */
#include "starloom_netlist.h"

STARLOOM_PARAMS("replies_first=0")

#define REQUESTS 0u
#define REPLIES 1u

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
    if (sl_param(nic, 0))
        while (sl_receive_from(nic, REPLIES)) s->answered++;
    while (sl_tx_free_of(nic, REPLIES) > 0 && (frame = sl_receive(nic))) {
        if (frame->port == REQUESTS)
            sl_send_packet(nic, REPLIES, frame->source, (sl_packet){sl_self(nic), frame->source});
        else
            s->answered++;
    }
    for (; s->asked + 1 < n && sl_tx_free_of(nic, REQUESTS) > 0; s->asked++)
        sl_send_ack(nic, REQUESTS, (sl_self(nic) + 1 + s->asked) % n);
    if (s->answered + 1 >= n) sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
