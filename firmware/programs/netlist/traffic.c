/* netlist/traffic: carries packets from processor to processor, each on the shortest route.
 *
 * A port sends one frame in a slot, when it may: see sl_may_send in starloom_netlist.h; other frames
 * wait in the port's queue. Forwarded frames go first: a packet that starts here leaves when no other
 * frame waits for its port. The destination of a frame is the processor that takes it: other
 * listeners of a star ignore it.
 *
 * queue: frames that may wait for a port. With one more, the processor fails with the number of the
 * port as its code.
 * closed: not 0 if destinations acknowledge packets, by a frame that returns like a packet. Set by
 * the workload. */
#define STARLOOM_ROM
#define STARLOOM_TX_STATUS
#define STARLOOM_STATE_BYTES (bank->ports * (sizeof(queue_t) + (uint32_t)bank->param[0] * sizeof(waiting_t)) + 8)

#include <stdint.h>

/* A waiting frame. */
typedef struct {
    uint32_t next, kind, origin, destination, number;
} waiting_t;

/* The queue of a port: the place of its head in its ring, and the number of waiting frames. */
typedef struct {
    uint32_t head, count;
} queue_t;

#include "starloom_traffic.h"
#include "starloom_netlist.h"

STARLOOM_PARAMS("queue=64", "closed=0")
enum { QUEUE, CLOSED };

typedef struct {
    uint32_t waits;  /* frames in all queues */
    uint32_t place;  /* of the next frame of the packet that is offered */
    queue_t queue[]; /* of each port; their rings follow */
} state_t;

/* A place in the ring of a port; places continue past its end. */
SL_INLINE waiting_t *ring_of(const sl_nic *nic, state_t *s, uint32_t port, uint32_t place) {
    return (waiting_t *)&s->queue[sl_ports(nic)] + (port * (uint32_t)sl_param(nic, QUEUE) + place % (uint32_t)sl_param(nic, QUEUE));
}

/* The port at a router by which frames reach this processor; SL_NOWHERE without one. */
static uint32_t port_to_self(const sl_nic *nic) {
    for (uint32_t port = 0; port < sl_ports(nic); port++)
        if (sl_at_router(nic, port)) return port;
    return SL_NOWHERE;
}

/* The port that leads to a processor; without one, the processor fails. */
static uint32_t port_to(sl_nic *nic, uint32_t home) {
    const uint32_t port = home == sl_self(nic) ? port_to_self(nic) : sl_next_port(nic, home);
    if (port >= sl_own_ports(nic) || port >= sl_ports(nic)) sl_fail(nic, 1000);
    return port;
}

/* Queues a frame for the port that leads to its destination. */
static void enqueue(sl_nic *nic, state_t *s, uint32_t home, waiting_t frame) {
    const uint32_t port = port_to(nic, home);
    queue_t *queue = &s->queue[port];
    if (queue->count >= (uint32_t)sl_param(nic, QUEUE)) sl_fail(nic, (int32_t)port);
    frame.next = home == sl_self(nic) ? home : sl_next_hop(nic, home);
    *ring_of(nic, s, port, queue->head + queue->count++) = frame;
    s->waits++;
}

/* Forwards or delivers a frame. An acknowledgement returns to the origin of its packet. A
 * faulty neighbour may send any data. */
static void take_in(sl_nic *nic, state_t *s, const sl_frame *frame) {
    const sl_traffic *head = sl_traffic_in(frame);
    if (frame->destination != sl_self(nic) || frame->payload_bytes < sizeof *head) return;
    if (head->origin >= sl_processors(nic) || head->destination >= sl_processors(nic)) return;
    waiting_t on = {0, frame->kind, head->origin, head->destination, head->number};
    uint32_t home = on.kind == SL_KIND_ACK ? on.origin : on.destination;
    if (home == sl_self(nic)) {
        if (on.kind == SL_KIND_ACK || !sl_traffic_last(head) || !sl_param(nic, CLOSED)) return;
        if (on.origin == home && port_to_self(nic) == SL_NOWHERE) return;
        on.kind = SL_KIND_ACK;
        home = on.origin;
    }
    enqueue(nic, s, home, on);
}

/* Takes the next frame of the offered packet if no other waits for its port. */
static void begin(sl_nic *nic, state_t *s) {
    sl_offer offer;
    if (!sl_offered(nic, &offer) || offer.destination >= sl_processors(nic)) return;
    if (s->queue[port_to(nic, offer.destination)].count > 0) return;
    const sl_traffic head = sl_traffic_of(nic, &offer, s->place++);
    enqueue(nic, s, offer.destination, (waiting_t){0, SL_KIND_DATA, head.origin, head.destination, head.number});
    if (!sl_traffic_last(&head)) return;
    s->place = 0;
    sl_take(nic);
}

/* Sends the first frame of each queue that may leave. */
static void send_all(sl_nic *nic, state_t *s) {
    for (uint32_t port = 0; port < sl_ports(nic) && s->waits > 0; port++) {
        queue_t *queue = &s->queue[port];
        if (queue->count == 0 || !sl_may_send(nic, port)) continue;
        const waiting_t *first = ring_of(nic, s, port, queue->head);
        sl_frame *frame = sl_send(nic, (uint16_t)port, first->kind, first->next, sizeof(sl_traffic));
        *(sl_traffic *)frame->payload = (sl_traffic){first->origin, first->destination, first->number};
        queue->head = --queue->count > 0 ? (queue->head + 1) % (uint32_t)sl_param(nic, QUEUE) : 0;
        s->waits--;
    }
}

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_hear_rounds(nic);
}

static void on_slot(sl_nic *nic, state_t *s) {
    sl_offer offer;
    const sl_frame *frame;
    while ((frame = sl_receive(nic)) != 0) take_in(nic, s, frame);
    begin(nic, s);
    send_all(nic, s);
    if (sl_hears_one(nic))
        sl_hear_rounds(nic);
    else if (s->waits == 0 && !sl_offered(nic, &offer))
        sl_sleep(nic, SL_LONG); /* until something comes */
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
