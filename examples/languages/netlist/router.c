/* Routes a permutation on the network that router.yaml draws, whatever it is: each packet takes the
 * shortest way, from neighbour to neighbour. A port sends one frame in a slot, when it may, the oldest
 * of those that go there; the others wait. net.h has the names of the drawing, written by `starloom netlist header`. */
#define STARLOOM_TX_STATUS /* sl_may_send asks whether a frame still waits in the NIC */
#include "starloom_netlist.h"

#include "net.h"

typedef struct {
    uint32_t count;                  /* packets that wait */
    sl_packet waits[NET_PROCESSORS]; /* the oldest first */
} state_t;

STARLOOM_PROBES("waiting")

static void on_start(sl_nic *nic, state_t *s) {
    SL_NETLIST_CHECK(nic); /* this image is for the network of net.h */
    const sl_packet own = {sl_self(nic), sl_workload(nic)};
    s->waits[s->count++] = own;
    sl_hear_rounds(nic);
}

/* Takes the frames of the slot before: home, or into the queue. */
static void take_in(sl_nic *nic, state_t *s) {
    const sl_frame *frame;
    while ((frame = sl_receive(nic))) {
        if (frame->tag != sl_self(nic) || frame->payload_bytes < sizeof(sl_packet)) continue; /* others hear a star, too */
        const sl_packet packet = *sl_packet_of(frame);
        if (packet.destination == sl_self(nic)) {
            sl_done(nic);
        } else if (packet.destination < NET_PROCESSORS && s->count < NET_PROCESSORS) {
            s->waits[s->count++] = packet;
        }
    }
}

static void on_slot(sl_nic *nic, state_t *s) {
    take_in(nic, s);
    uint32_t kept = 0;             /* packets that go on waiting */
    uint8_t busy[NET_PORTS] = {0}; /* ports that have a frame in this slot */
    for (uint32_t i = 0; i < s->count && i < NET_PROCESSORS; i++) {
        const sl_packet packet = s->waits[i];
        if (packet.destination == sl_self(nic)) { /* its own packet, for itself */
            sl_deliver(nic, packet);
            sl_done(nic);
            continue;
        }
        const uint32_t port = sl_next_port(nic, packet.destination);
        if (port >= sl_own_ports(nic)) sl_fail(nic, 1); /* no way leads there */
        if (busy[port] || !sl_may_send(nic, port)) {
            s->waits[kept++] = packet;
        } else {
            busy[port] = 1;
            sl_send_hop(nic, port, sl_next_hop(nic, packet.destination), packet);
        }
    }
    s->count = kept;
    sl_probe(nic, 0, kept);
    if (sl_hears_one(nic)) sl_hear_rounds(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
