/* Networks of netlist files, in addition to starloom.h: ports, their neighbours, and the route
 * to every processor. Numbers are those of 'starloom netlist show'. */
#ifndef STARLOOM_NETLIST_H
#define STARLOOM_NETLIST_H

#ifndef STARLOOM_ROM
#define STARLOOM_ROM
#endif
#include "starloom.h"

#define SL_NOWHERE 0xffffffffu

/* This processor's ports, from 0 on; sl_ports is the largest number of any processor. */
SL_INLINE uint32_t sl_own_ports(const sl_nic *nic) { return sl_rom(nic, 0); }

/* The medium that a port sends to and the medium that it hears, SL_NOWHERE for none. */
SL_INLINE uint32_t sl_sends_to(const sl_nic *nic, uint32_t port) { return sl_rom(nic, 1 + 4 * port); }
SL_INLINE uint32_t sl_hears_from(const sl_nic *nic, uint32_t port) { return sl_rom(nic, 2 + 4 * port); }

/* The only processor that hears a port, SL_NOWHERE for several or none. */
SL_INLINE uint32_t sl_neighbour(const sl_nic *nic, uint32_t port) { return sl_rom(nic, 3 + 4 * port); }

/* Reports whether a port is at a star. sl_latency below: cycles from the port's medium to the listeners, 1 by default. */
SL_INLINE int sl_at_star(const sl_nic *nic, uint32_t port) { return sl_rom(nic, 4 + 4 * port) >> 16 == 1; }
/* Report whether a port is at a bus with an arbiter, or at a crossbar. At a crossbar, sl_sends_to is its first output. */
SL_INLINE int sl_at_bus(const sl_nic *nic, uint32_t port) { return sl_rom(nic, 4 + 4 * port) >> 16 == 2; }
SL_INLINE int sl_at_crossbar(const sl_nic *nic, uint32_t port) { return sl_rom(nic, 4 + 4 * port) >> 16 == 3; }
/* Reports whether a port must request before it sends: at a bus with an arbiter and at a crossbar. */
SL_INLINE int sl_asks(const sl_nic *nic, uint32_t port) { return sl_rom(nic, 4 + 4 * port) >> 17 == 1; }
/* Reports whether a port is at a router. A frame then goes to the addressed processor, to one of its ports at a router.
 * sl_sends_to and sl_hears_from are channels, and a path through routers counts as one link of one cycle. */
SL_INLINE int sl_at_router(const sl_nic *nic, uint32_t port) { return sl_rom(nic, 4 + 4 * port) >> 16 == 4; }
SL_INLINE uint32_t sl_latency(const sl_nic *nic, uint32_t port) { return sl_rom(nic, 4 + 4 * port) & 0xffffu; }

/* The route to a processor: the port, and the next processor; SL_NOWHERE for none. Routes are shortest by latency, then by hops,
 * then by the lowest port, unless the netlist specifies routes. Networks of more than 4096 processors, and networks with routes:
 * none, have no route table. */
SL_INLINE int sl_has_ways(const sl_nic *nic) { return !(sl_machine_rom(nic, 0) & 4); }
SL_INLINE uint32_t sl_way(const sl_nic *nic, uint32_t to) {
    return sl_has_ways(nic) ? sl_rom(nic, 1 + 4 * sl_ports(nic) + to) : SL_NOWHERE;
}
SL_INLINE uint32_t sl_next_port(const sl_nic *nic, uint32_t to) {
    return sl_way(nic, to) == SL_NOWHERE ? SL_NOWHERE : sl_way(nic, to) >> 16;
}
SL_INLINE uint32_t sl_next_hop(const sl_nic *nic, uint32_t to) {
    return sl_way(nic, to) == SL_NOWHERE ? SL_NOWHERE : sl_way(nic, to) & 0xffffu;
}

/* Properties of the netlist: frames of several senders may collide on some medium; a NIC hears one port at a time; a NIC has one
 * switch, so it hears the port to which it sends; the number of media; the hash, which changes with any node, port, link or
 * latency. */
SL_INLINE int sl_may_meet(const sl_nic *nic) { return sl_machine_rom(nic, 0) & 1; }
SL_INLINE int sl_hears_one(const sl_nic *nic) { return sl_machine_rom(nic, 0) >> 1 & 1; }
SL_INLINE int sl_one_switch(const sl_nic *nic) { return sl_machine_rom(nic, 0) >> 3 & 1; }
SL_INLINE uint32_t sl_netlist_hash(const sl_nic *nic) { return sl_machine_rom(nic, 1); }
SL_INLINE uint32_t sl_media(const sl_nic *nic) { return sl_machine_rom(nic, 2); }

/* Reports whether a frame to a port (at a crossbar: addressed to the processor) reaches the processor; for this processor,
 * whether the port hears its own frames. Networks without crossbars, and networks of more than 4096 processors, lack this table:
 * 0. */
SL_INLINE int sl_leads_to(const sl_nic *nic, uint32_t port, uint32_t processor) {
    const uint32_t n = sl_processors(nic), ways = sl_has_ways(nic) ? n : 0;
    const uint32_t k = 1 + 4 * sl_ports(nic) + ways + port * ((n + 31) / 32) + processor / 32;
    return k < sl_rom_words(nic) && sl_rom(nic, k) >> processor % 32 & 1;
}

/* Call in on_start: gives up with code 1000 if the network is not that of the header written by
 * `starloom netlist header`. */
#define SL_NETLIST_CHECK(nic) \
    do { \
        if (sl_netlist_hash(nic) != NET_HASH) sl_fail(nic, 1000); \
    } while (0)

/* Maximum number of a port's frames on its link and at the receiver; 0 for a port without credits. */
SL_INLINE uint32_t sl_credits(const sl_nic *nic, uint32_t port) { return sl_rom(nic, 4 + 4 * port) >> 24; }

/* At routers, each port of a NIC has its own part of both FIFOs: nic.tx_frames and nic.rx_frames of the scenario. Frames of one
 * port therefore do not wait for frames of another port. */

/* Number of frames of a port that still fit into its part of the TX FIFO. */
SL_INLINE uint32_t sl_tx_free_of(const sl_nic *nic, uint32_t port) {
    const uint32_t part = nic->bank.tx_frames / sl_ports(nic), free = sl_tx_free(nic);
    uint32_t queued = 0;
    for (uint32_t place = 0; place < nic->registers->tx_count; place++) queued += starloom_tx(nic, place)->port == port;
    if (queued >= part) return 0;
    return part - queued < free ? part - queued : free;
}

/* Takes the next frame of a port from the RX FIFO, ahead of other ports; 0 for none. It is
 * valid until the handler returns. */
SL_INLINE const sl_frame *sl_receive_from(sl_nic *nic, uint32_t port) {
    uint32_t place = nic->taken;
    while (place < nic->registers->rx_count && starloom_rx(nic, place)->port != port) place++;
    if (place >= nic->registers->rx_count) return 0;
    for (; place > nic->taken; place--) { /* keeps the order of the other frames */
        uint64_t *a = (uint64_t *)starloom_rx(nic, place), *b = (uint64_t *)starloom_rx(nic, place - 1);
        for (uint32_t word = 0; word < nic->bank.frame_stride / 8; word++) {
            const uint64_t kept = a[word];
            a[word] = b[word];
            b[word] = kept;
        }
    }
    return sl_receive(nic);
}

#ifdef STARLOOM_TX_STATUS
/* A sending discipline under which no frames collide and all are heard, on any netlist.
 *
 * A frame that waits in the NIC for an arbiter, a crossbar or a credit occupies its port. Where frames
 * of several senders may collide on a medium, one processor sends per slot, in turn; a port at an
 * arbiter requests at any time. Where NICs hear one port at a time, all of them use one medium for as
 * many slots as there are processors, then the next medium. Requests are made in the first of these
 * slots, so that all have been served after the last. */

/* The medium of this slot, if NICs hear one port at a time. */
SL_INLINE uint32_t sl_round_medium(const sl_nic *nic) { return sl_slot(nic) / sl_processors(nic) % sl_media(nic); }

/* Reports whether it is this processor's turn. */
SL_INLINE int sl_my_turn(const sl_nic *nic) { return sl_slot(nic) % sl_processors(nic) == sl_self(nic); }

/* Reports whether the frame to a port is still in the NIC, for NICs that hear all of their ports. */
SL_INLINE int sl_waits(const sl_nic *nic, uint32_t port) {
    const uint32_t status = sl_tx_status_of(nic, port);
    return status == SL_TX_BLOCKED || status == SL_TX_COLLIDED;
}

/* Reports whether a frame may be sent to a port in this slot; at a router, as many frames as fit. */
SL_INLINE int sl_may_send(const sl_nic *nic, uint32_t port) {
    if (sl_at_router(nic, port)) return sl_tx_free_of(nic, port) > 0;
    if (!sl_hears_one(nic)) return !sl_waits(nic, port) && (sl_asks(nic, port) || !sl_may_meet(nic) || sl_my_turn(nic));
    return sl_sends_to(nic, port) == sl_round_medium(nic) && (sl_asks(nic, port) ? sl_slot(nic) % sl_processors(nic) == 0 : sl_my_turn(nic));
}

/* Listens to other processors. Call it in each slot if NICs hear one port at a time, otherwise once at the start. */
SL_INLINE void sl_hear_rounds(sl_nic *nic) {
    uint32_t port = 0;
    if (sl_hears_one(nic))
        while (port < sl_own_ports(nic) && sl_hears_from(nic, port) != sl_round_medium(nic)) port++;
    if (sl_hears_one(nic) || sl_ports(nic) == 1) sl_listen(nic, port < sl_own_ports(nic) ? port : SL_PORT_NONE);
}

/* Sends a packet to the next processor on its route. The tag is this processor's number, because a star or a bus may have other
 * listeners. A frame across a crossbar is addressed to this processor, and is a control frame except on the last hop. */
SL_INLINE void sl_send_hop(sl_nic *nic, uint32_t port, uint32_t hop, sl_packet packet) {
    const uint32_t to = sl_at_crossbar(nic, port) ? hop : packet.destination;
    sl_frame *frame = sl_send(nic, port, to == packet.destination ? SL_KIND_DATA : SL_KIND_CONTROL, to, sizeof packet);
    frame->tag = (uint16_t)hop;
    *(sl_packet *)frame->payload = packet;
}

/* The progress of a port that sends packets one by one to the far ends of its link, star, bus or crossbar, or at routers to all
 * processors: packets sent, and frames sent of the next packet. At crossbars and routers, each frame has one addressee. */
typedef struct {
    uint32_t packets, frames;
} sl_told;

/* Reports whether this processor can send to all ports at once (SL_PORT_ALL): no port waits for grants or credits or is at a
 * router, and the NIC has no switch. If NICs hear one port at a time, each packet is sent repeatedly. */
SL_INLINE int sl_tells_all(const sl_nic *nic) {
    for (uint32_t port = 0; port < sl_own_ports(nic); port++)
        if (sl_asks(nic, port) || sl_credits(nic, port) || sl_at_router(nic, port)) return 0;
    return !sl_one_switch(nic);
}

/* Sends the next packet to a port, or to all ports. The word of a packet is its origin and, from bit 24 on, 1 + the port that
 * received it, 0 for none. A packet does not return to a medium whose listeners all have the packet, nor to routers. */
SL_INLINE void sl_tell_port(sl_nic *nic, sl_told *told, uint32_t port, const uint32_t *packets, uint32_t known) {
    const uint32_t n = sl_processors(nic), one = port != SL_PORT_ALL, routes = one && sl_at_router(nic, port), crosses = one && sl_at_crossbar(nic, port);
    const uint32_t frames = crosses || routes ? n - 1 : !one && sl_hears_one(nic) ? sl_ports(nic) : 1;
    while (told->packets < known) {
        const uint32_t packet = packets[told->packets], from = (packet >> 24) - 1;
        int back = from == port && (crosses ? sl_leads_to(nic, port, sl_self(nic)) : sl_sends_to(nic, port) == sl_hears_from(nic, port));
        if (routes) back = packet >> 24 && sl_at_router(nic, from);
        uint32_t to = SL_ANY;
        if (crosses || routes) /* the next processor first, as in pipelined gossip */
            for (; told->frames < frames; told->frames++) {
                to = (uint32_t)((sl_self(nic) + (uint64_t)told->frames + 1) % n);
                if (routes || sl_leads_to(nic, port, to)) break;
            }
        const int sends = !back && told->frames < frames;
        if (sends) sl_send_packet(nic, port, to, (sl_packet){packet & 0xffffff, SL_ANY});
        if (sends && ++told->frames < frames) return;
        told->frames = 0;
        told->packets++;
        if (sends) return;
    }
}

/* Sends to all ports. Call it in each slot; told has one entry per port. Reports whether all packets have been sent. */
SL_INLINE int sl_tell(sl_nic *nic, sl_told *told, const uint32_t *packets, uint32_t known) {
    const uint32_t ports = sl_own_ports(nic), all = (uint32_t)sl_tells_all(nic);
    int done = 1, sends = 0, routed = 0;
    if (ports > sl_ports(nic)) sl_fail(nic, 3);
    for (uint32_t port = 0; port < ports; port++) {
        const int routes = sl_at_router(nic, port);
        if (sl_sends_to(nic, port) == SL_NOWHERE || (routes && routed)) continue; /* one port at a router reaches all processors */
        sends = 1;
        routed = routed || routes;
        if (all) continue;
        for (int more = 1; more && sl_may_send(nic, port); more = routes && told[port].packets < known) sl_tell_port(nic, told + port, port, packets, known);
        done = done && told[port].packets >= known;
    }
    if (!all) {
        sl_hear_rounds(nic);
        return done;
    }
    if (sends && (sl_my_turn(nic) || !(sl_may_meet(nic) || sl_hears_one(nic)))) sl_tell_port(nic, told, SL_PORT_ALL, packets, known);
    if (sl_hears_one(nic)) sl_listen(nic, sl_slot(nic) / sl_processors(nic) % ports);
    return !sends || told->packets >= known;
}
#endif

#endif
