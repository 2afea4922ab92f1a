/* crossbar/traffic: packets of any size, directly to their destinations.
 *
 * It always listens. Frames are sent in order; a blocked frame and all after it wait: the input is a FIFO. With
 * acknowledgements, these are sent before packets. They wait in a ring with room for all packets that may be on
 * their way. A frame is delivered when it is taken out of the RX FIFO: with `output: queue` and take: 1 that is
 * the queue of an output. */
#define STARLOOM_TX_STATUS
#define STARLOOM_STATE_BYTES (bank->processors * (uint32_t)bank->param[0] * (uint32_t)sizeof(sl_traffic))
#include "starloom_traffic.h"

/* closed: packets of a source that may be on their way, set by the workload; take: frames that a receiver takes in a slot, 0 for all */
STARLOOM_PARAMS("closed=0", "take=0")
enum { CLOSED, TAKE };

typedef struct {
    uint32_t place;       /* of the next frame of the packet that is offered */
    uint32_t first, acks; /* of the ring: acknowledgements to send */
    sl_traffic ring[];
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_listen(nic, 0);
}

static void receive(sl_nic *nic, state_t *s) {
    const uint32_t room = sl_processors(nic) * (uint32_t)sl_param(nic, CLOSED), take = (uint32_t)sl_param(nic, TAKE);
    const sl_frame *frame;
    for (uint32_t taken = 0; (take == 0 || taken < take) && (frame = sl_receive(nic)) != 0; taken++) {
        if (frame->kind != SL_KIND_DATA || frame->payload_bytes < sizeof(sl_traffic) || !sl_traffic_last(sl_traffic_in(frame))) continue;
        if (sl_closed(nic) == 0 || s->acks >= room) continue;
        uint32_t at = s->first + s->acks++;
        s->ring[at < room ? at : at - room] = *sl_traffic_in(frame);
    }
}

static void send(sl_nic *nic, state_t *s) {
    sl_offer offer;
    if (s->acks > 0) {
        const sl_traffic head = s->ring[s->first++];
        if (s->first >= sl_processors(nic) * (uint32_t)sl_param(nic, CLOSED)) s->first = 0;
        s->acks--;
        sl_acknowledge(nic, 0, head.origin, head);
    } else if (sl_offered(nic, &offer)) {
        sl_send_traffic(nic, 0, offer.destination, sl_traffic_of(nic, &offer, s->place));
        if (++s->place < offer.frames) return;
        sl_take(nic);
        s->place = 0;
    }
}

static void on_slot(sl_nic *nic, state_t *s) {
    receive(nic, s);
    if (!sl_tx_head(nic)) send(nic, s);
    sl_sleep(nic, SL_LONG); /* until something was received or sent, or a packet is offered */
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
