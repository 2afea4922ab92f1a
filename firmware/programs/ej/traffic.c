/* ej/traffic: carries packets from node to node, one dimension after the other.
 *
 * The port of a packet follows from the difference of its destination and this node, in dimension 1
 * until that coordinate is right, then in the next dimension: always on a shortest route, with as
 * many hops as the distance of the destination. A port sends one frame in a slot; other frames wait
 * in the port's queue. Forwarded frames go first: a packet that starts here leaves when no other
 * frame waits for its port.
 *
 * queue: frames that may wait for a port. With one more, the processor fails with the number of the
 * port as its code.
 * closed: not 0 if destinations acknowledge packets, by a frame that returns like a packet. Set by
 * the workload. */
#define STARLOOM_ROM
#define STARLOOM_STATE_BYTES (bank->ports * (sizeof(queue_t) + (uint32_t)bank->param[0] * sizeof(waiting_t)))

#include <stdint.h>

/* A waiting frame. */
typedef struct {
    uint32_t kind, origin, destination, number;
} waiting_t;

/* The queue of a port: the place of its head in its ring, and the number of waiting frames. */
typedef struct {
    uint32_t head, count;
} queue_t;

#include "starloom_traffic.h"
#include "starloom_ej.h"

STARLOOM_PARAMS("queue=64", "closed=0")
enum { QUEUE, CLOSED };

typedef struct {
    uint32_t waits;  /* frames in all queues */
    uint32_t place;  /* of the next frame of the packet that is offered */
    queue_t queue[]; /* of each port; their rings follow */
} state_t;

/* A place in the ring of a port; places continue past its end. */
SL_INLINE waiting_t *ring_of(const sl_nic *nic, state_t *s, uint32_t port, uint32_t place) {
    const uint32_t size = (uint32_t)sl_param(nic, QUEUE);
    return (waiting_t *)&s->queue[sl_ports(nic)] + (port * size + (place < size ? place : place - size));
}

/* Queues a frame for a port. */
static void enqueue(sl_nic *nic, state_t *s, uint32_t port, waiting_t frame) {
    queue_t *queue = &s->queue[port];
    if (queue->count == (uint32_t)sl_param(nic, QUEUE)) sl_fail(nic, (int32_t)port);
    *ring_of(nic, s, port, queue->head + queue->count++) = frame;
    s->waits++;
}

/* Forwards or delivers a frame. An acknowledgement returns to the origin of its packet. A
 * faulty neighbour may send any data. */
static void take_in(sl_nic *nic, state_t *s, const sl_frame *frame) {
    const sl_traffic *head = sl_traffic_in(frame);
    if (frame->payload_bytes < sizeof *head || head->origin >= sl_processors(nic) || head->destination >= sl_processors(nic)) return;
    waiting_t on = {frame->kind, head->origin, head->destination, head->number};
    uint32_t home = on.kind == SL_KIND_ACK ? on.origin : on.destination;
    if (home == sl_self(nic)) {
        if (on.kind == SL_KIND_ACK || !sl_traffic_last(head) || !sl_param(nic, CLOSED) || on.origin == home) return;
        on.kind = SL_KIND_ACK;
        home = on.origin;
    }
    enqueue(nic, s, sl_ej_next(nic, home), on);
}

/* Takes the next frame of the offered packet if no other waits for its port. */
static void begin(sl_nic *nic, state_t *s) {
    sl_offer offer;
    if (!sl_offered(nic, &offer) || offer.destination == sl_self(nic)) return;
    const uint32_t port = sl_ej_next(nic, offer.destination);
    if (s->queue[port].count > 0) return;
    const sl_traffic head = sl_traffic_of(nic, &offer, s->place++);
    enqueue(nic, s, port, (waiting_t){SL_KIND_DATA, head.origin, head.destination, head.number});
    if (!sl_traffic_last(&head)) return;
    s->place = 0;
    sl_take(nic);
}

/* Whether a port still has a frame of an earlier slot: with credits, it may have to wait. */
SL_INLINE int is_busy(const sl_nic *nic, uint32_t port, uint32_t left) {
    for (uint32_t place = 0; place < left; place++)
        if (starloom_tx(nic, place)->port == port) return 1;
    return 0;
}

/* Sends the first frame of each queue. */
static void send_all(sl_nic *nic, state_t *s) {
    const uint32_t left = nic->registers->tx_count;
    for (uint32_t port = 0; port < sl_ports(nic) && s->waits > 0; port++) {
        queue_t *queue = &s->queue[port];
        if (queue->count == 0 || is_busy(nic, port, left)) continue;
        const waiting_t *first = ring_of(nic, s, port, queue->head);
        sl_frame *frame = sl_send(nic, port, first->kind, SL_EJ_NEIGHBOUR, sizeof(sl_traffic));
        *(sl_traffic *)frame->payload = (sl_traffic){first->origin, first->destination, first->number};
        queue->head = --queue->count > 0 ? (queue->head + 1) % (uint32_t)sl_param(nic, QUEUE) : 0;
        s->waits--;
    }
}

static void on_start(sl_nic *nic, state_t *s) {
    (void)nic;
    (void)s;
}

static void on_slot(sl_nic *nic, state_t *s) {
    sl_offer offer;
    const sl_frame *frame;
    while ((frame = sl_receive(nic)) != 0) take_in(nic, s, frame);
    begin(nic, s);
    send_all(nic, s);
    if (s->waits == 0 && !sl_offered(nic, &offer)) sl_sleep(nic, SL_LONG); /* until something comes */
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
