/* netlist/next-hop: carries the packet of each processor to its destination on the shortest route.
 *
 * At each port a processor sends one frame in a slot, the oldest for that port, when it may: see
 * sl_may_send in starloom_netlist.h. While one waits in the NIC, no other is queued for its port.
 * A frame across a crossbar has the next processor as its destination and is a control frame
 * except on its last hop. A packet whose destination is its own source goes to a neighbour and
 * back, or into a star that its source hears. The tag of a frame is the processor that receives
 * it. The workload's word is the destination of the processor's own packet. */
#define STARLOOM_STATE_BYTES ((uint32_t)(sizeof(uint32_t) * 2 + bank->processors * sizeof(sl_packet)))
#define STARLOOM_TX_STATUS
#include "starloom_netlist.h"

typedef struct {
    uint32_t count, first; /* packets that wait; whether the first one has not left */
    sl_packet waits[];     /* the oldest first */
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    s->waits[s->count++] = (sl_packet){sl_self(nic), sl_workload(nic)};
    sl_hold(nic, 1);
    sl_hear_rounds(nic);
}

/* The route of a packet from here; a packet whose destination is here goes out and returns. */
static uint32_t way_of(const sl_nic *nic, sl_packet packet) {
    uint32_t to = packet.destination, n = sl_processors(nic);
    if (to >= n) return SL_NOWHERE;
    if (to == sl_self(nic)) to = to + 1 < n ? to + 1 : 0;
    return sl_way(nic, to);
}

static void send(sl_nic *nic, sl_packet packet, uint32_t port, uint32_t hop) {
    for (uint32_t p = 0; p < sl_own_ports(nic) && !sl_at_crossbar(nic, port); p++)
        if (packet.destination == sl_self(nic) && sl_hears_from(nic, p) == sl_sends_to(nic, port)) hop = sl_self(nic);
    sl_send_hop(nic, port, hop, packet);
}

static void on_slot(sl_nic *nic, state_t *s) {
    const sl_frame *frame;
    uint32_t ports = sl_own_ports(nic);
    if (ports > sl_ports(nic) || s->count > sl_processors(nic)) sl_fail(nic, 3);
    while ((frame = sl_receive(nic))) {
        sl_packet packet = *sl_packet_of(frame);
        if (frame->tag != sl_self(nic)) continue; /* a star has several hearers */
        if (packet.destination == sl_self(nic)) {
            sl_done(nic);
        } else if (s->count < sl_processors(nic)) {
            s->waits[s->count++] = packet;
        } else {
            sl_fail(nic, 1);
        }
    }
    uint64_t busy[2] = {0, 0}; /* ports that have a frame in this slot: one, where a NIC has more than 72 */
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t way = way_of(nic, s->waits[i]), port = way >> 16;
        if (way == SL_NOWHERE || port >= ports) sl_fail(nic, 2);
        if (sl_may_send(nic, port) && !(busy[port >> 6 & 1] >> (port & 63) & 1)) {
            busy[port >> 6 & 1] |= (uint64_t)1 << (port & 63);
            send(nic, s->waits[i], port, way & 0xffff);
        } else {
            s->waits[kept++] = s->waits[i];
        }
    }
    s->count = kept;
    sl_hold(nic, kept > 254 ? 254 : kept);
    if (sl_hears_one(nic)) sl_hear_rounds(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
