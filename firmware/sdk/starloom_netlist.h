/* Networks that a file draws, beside starloom.h: ports, who is at their other ends, and the way to
 * every processor. Numbers are those of 'starloom netlist show'. */
#ifndef STARLOOM_NETLIST_H
#define STARLOOM_NETLIST_H

#ifndef STARLOOM_ROM
#define STARLOOM_ROM
#endif
#include "starloom.h"

#define SL_NOWHERE 0xffffffffu

/* This processor's ports, from 0 on: sl_ports is the most that any has. */
SL_INLINE uint32_t sl_own_ports(const sl_nic *nic) { return sl_rom(nic, 0); }

/* Of a port: the medium that it sends to and the one that it hears, SL_NOWHERE for none. */
SL_INLINE uint32_t sl_sends_to(const sl_nic *nic, uint32_t port) { return sl_rom(nic, 1 + 4 * port); }
SL_INLINE uint32_t sl_hears_from(const sl_nic *nic, uint32_t port) { return sl_rom(nic, 2 + 4 * port); }

/* The one processor that hears what a port sends, SL_NOWHERE if there are several or none. */
SL_INLINE uint32_t sl_neighbour(const sl_nic *nic, uint32_t port) { return sl_rom(nic, 3 + 4 * port); }

/* Whether a port is at a star, and the cycles from its medium to who hears it; 1 if the netlist does not say. */
SL_INLINE int sl_at_star(const sl_nic *nic, uint32_t port) { return sl_rom(nic, 4 + 4 * port) >> 16 == 1; }
/* Whether it is at a bus with an arbiter, or at a crossbar: sl_sends_to is then its first output. */
SL_INLINE int sl_at_bus(const sl_nic *nic, uint32_t port) { return sl_rom(nic, 4 + 4 * port) >> 16 == 2; }
SL_INLINE int sl_at_crossbar(const sl_nic *nic, uint32_t port) { return sl_rom(nic, 4 + 4 * port) >> 16 == 3; }
/* Whether a port asks before it sends: it is at one of both. */
SL_INLINE int sl_asks(const sl_nic *nic, uint32_t port) { return sl_rom(nic, 4 + 4 * port) >> 17 == 1; }
SL_INLINE uint32_t sl_latency(const sl_nic *nic, uint32_t port) { return sl_rom(nic, 4 + 4 * port) & 0xffffu; }

/* The way to a processor: the port, and the next processor on the way; SL_NOWHERE if there is none.
 * Shortest by latency, then by hops, of several the lowest port; or as routes: of the netlist says.
 * Networks of more than 4096 processors, and those with routes: none, have no such table. */
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

/* Whether frames of several senders may meet on some medium, whether a NIC hears one port at a
 * time, and the hash of the netlist, which changes with any node, port, link or latency. */
SL_INLINE int sl_may_meet(const sl_nic *nic) { return sl_machine_rom(nic, 0) & 1; }
SL_INLINE int sl_hears_one(const sl_nic *nic) { return sl_machine_rom(nic, 0) >> 1 & 1; }
SL_INLINE uint32_t sl_netlist_hash(const sl_nic *nic) { return sl_machine_rom(nic, 1); }

/* In on_start: gives up with code 1000 on another network than the one of a header that
 * `starloom netlist header` has written. */
#define SL_NETLIST_CHECK(nic) \
    do { \
        if (sl_netlist_hash(nic) != NET_HASH) sl_fail(nic, 1000); \
    } while (0)

/* How many frames a port may have on its link and at the receiver, 0 if it never waits for a credit. */
SL_INLINE uint32_t sl_credits(const sl_nic *nic, uint32_t port) { return sl_rom(nic, 4 + 4 * port) >> 24; }

#endif
