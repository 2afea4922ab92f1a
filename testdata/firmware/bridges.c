/* Takes the packet of each processor to its destination by the way that the netlist says, over stars and buses, where processors
 * send in turn, and through routers, where they send at any time. */
#define STARLOOM_STATE_BYTES ((uint32_t)(sizeof(uint32_t) * 2 + bank->processors * sizeof(sl_packet)))
#include "starloom_netlist.h"

typedef struct {
    uint32_t count, unused;
    sl_packet waits[];
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    s->waits[s->count++] = (sl_packet){sl_self(nic), sl_workload(nic)};
    sl_hold(nic, 1);
}

static void on_slot(sl_nic *nic, state_t *s) {
    const sl_frame *frame;
    const uint32_t n = sl_processors(nic);
    while ((frame = sl_receive(nic))) {
        const sl_packet packet = *sl_packet_of(frame);
        if (frame->tag != sl_self(nic)) continue; /* a star has several hearers */
        if (packet.destination == sl_self(nic)) sl_done(nic);
        else if (s->count < n) s->waits[s->count++] = packet;
        else sl_fail(nic, 1);
    }
    uint64_t busy[2] = {0, 0}; /* ports that have a frame in this slot */
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->count && i < n; i++) {
        const sl_packet packet = s->waits[i];
        const uint32_t port = sl_next_port(nic, packet.destination), hop = sl_next_hop(nic, packet.destination);
        if (port >= 72) sl_fail(nic, 2);
        const int routed = sl_at_router(nic, port), may = routed || sl_slot(nic) % n == sl_self(nic);
        if (!may || busy[port >> 6] >> (port & 63) & 1 || sl_tx_free(nic) == 0) {
            s->waits[kept++] = packet;
            continue;
        }
        busy[port >> 6] |= 1ull << (port & 63);
        const uint32_t to = routed ? hop : packet.destination;
        sl_frame *sent = sl_send(nic, (uint16_t)port, to == packet.destination ? SL_KIND_DATA : SL_KIND_CONTROL, to, sizeof packet);
        sent->tag = (uint16_t)hop;
        __builtin_memcpy(sent->payload, &packet, sizeof packet);
    }
    s->count = kept;
    sl_hold(nic, kept);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
