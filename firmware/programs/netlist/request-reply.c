/* netlist/request-reply: at routers, every processor requests the number of all others, the next processor first, and replies to
 * requests: by its second port if it has two, otherwise by the port of requests.
 *
 * A request is accepted only if its reply fits into the TX FIFO. If replies wait after requests, with short FIFOs, processors can come
 * to wait for one another. With two ports and a traffic class for each, replies wait only for replies, which are always accepted. */
#include "starloom_netlist.h"

#define REQUESTS 0u /* the port that requests take */

typedef struct {
    uint32_t asked, answered; /* processors that have been sent a request; replies that have come */
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)nic;
    (void)s;
}

static void take(sl_nic *nic, state_t *s, const sl_frame *frame, uint32_t replies) {
    if (frame->kind == SL_KIND_ACK)
        sl_send_packet(nic, replies, frame->source, (sl_packet){sl_self(nic), frame->source});
    else
        s->answered++;
}

static void on_slot(sl_nic *nic, state_t *s) {
    const uint32_t n = sl_processors(nic), replies = sl_own_ports(nic) > 1 ? 1 : REQUESTS;
    const sl_frame *frame;
    if (replies != REQUESTS)
        while ((frame = sl_receive_from(nic, replies))) take(nic, s, frame, replies);
    while (sl_tx_free_of(nic, replies) > 0 && (frame = sl_receive(nic))) take(nic, s, frame, replies);
    for (; s->asked + 1 < n && sl_tx_free_of(nic, REQUESTS) > 0; s->asked++)
        sl_send_ack(nic, REQUESTS, (sl_self(nic) + 1 + s->asked) % n);
    if (s->answered + 1 >= n) sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
