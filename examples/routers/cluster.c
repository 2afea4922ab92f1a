/* Takes the packet of each processor to its destination through all that a netlist may join: stars, on which processors send in
 * turn, buses and crossbars, which are asked, links, and routers. What comes for another processor goes on by the next port of its way,
 * so that a gate is nothing but a processor with a port on both sides. */
#define STARLOOM_STATE_BYTES ((uint32_t)(sizeof(uint32_t) * 2 + bank->processors * sizeof(sl_packet)))
#define STARLOOM_TX_STATUS
#include "starloom_netlist.h"

typedef struct {
    uint32_t count, unused; /* packets that wait, the oldest first */
    sl_packet waits[];
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    const sl_packet own = {sl_self(nic), sl_workload(nic)};
    if (own.destination == own.origin) { /* is there already */
        sl_deliver(nic, own);
        sl_done(nic);
        return;
    }
    s->waits[s->count++] = own;
    sl_hold(nic, 1);
}

/* Takes what has come; a star has several hearers, and the tag names the one that is meant. */
static void take(sl_nic *nic, state_t *s) {
    const sl_frame *frame;
    while ((frame = sl_receive(nic))) {
        const sl_packet packet = *sl_packet_of(frame);
        if (frame->tag != sl_self(nic) || packet.destination >= sl_processors(nic)) continue;
        if (packet.destination == sl_self(nic)) sl_done(nic);
        else if (s->count < sl_processors(nic)) s->waits[s->count++] = packet;
        else sl_fail(nic, 1);
    }
}

static void send(sl_nic *nic, sl_packet packet, uint32_t port, uint32_t hop) {
    /* crossbars and routers take a frame to the processor that it is addressed to */
    const uint32_t to = sl_at_router(nic, port) || sl_at_crossbar(nic, port) ? hop : packet.destination;
    sl_frame *frame = sl_send(nic, (uint16_t)port, to == packet.destination ? SL_KIND_DATA : SL_KIND_CONTROL, to, sizeof packet);
    frame->tag = (uint16_t)hop;
    *(sl_packet *)frame->payload = packet;
}

static void on_slot(sl_nic *nic, state_t *s) {
    uint64_t busy = 0; /* ports that have a frame in this slot */
    uint32_t kept = 0;
    take(nic, s);
    if (s->count > sl_processors(nic)) sl_fail(nic, 2);
    for (uint32_t i = 0; i < s->count; i++) {
        const sl_packet packet = s->waits[i];
        const uint32_t port = sl_next_port(nic, packet.destination);
        if (port >= 64) sl_fail(nic, 3); /* there is no way, or more ports than this keeps count of */
        if (busy >> port & 1 || !sl_may_send(nic, port)) {
            s->waits[kept++] = packet;
            continue;
        }
        busy |= (uint64_t)1 << port;
        send(nic, packet, port, sl_next_hop(nic, packet.destination));
    }
    s->count = kept;
    sl_hold(nic, kept);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
