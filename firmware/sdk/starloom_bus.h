/* Addressing in bus networks, in addition to starloom.h: vertices, and buses that are sets of
 * vertices. The ports of a vertex are its taps, one on each of its buses, in the order of the
 * buses. In a slot it uses one bus, to send and listen: with sl_send to one port and sl_listen to
 * another it hears only the port to which it sends, and violates the rule one_bus.
 *
 * A frame reaches all listeners of the bus, whatever its destination; a sender that listens
 * hears its own frame. On buses with an arbiter, a frame waits in the TX FIFO until the bus is
 * granted; the NIC requests it in every slot (STARLOOM_TX_STATUS). */
#ifndef STARLOOM_BUS_H
#define STARLOOM_BUS_H

#include "starloom.h"

/* The size of the network. */
SL_INLINE uint32_t sl_vertices(const sl_nic *nic) { return sl_shape(nic, 0); }
SL_INLINE uint32_t sl_bus_length(const sl_nic *nic) { return sl_shape(nic, 1); } /* maximum number of vertices on a bus in one slot */
SL_INLINE uint32_t sl_buses(const sl_nic *nic) { return sl_shape(nic, 2); }
SL_INLINE int sl_arbitrated(const sl_nic *nic) { return sl_shape(nic, 3) != 0; }

/* Number of this vertex's taps, and the bus of each tap; port k is tap k. Define STARLOOM_ROM before this header. */
SL_INLINE uint32_t sl_taps(const sl_nic *nic) { return sl_rom(nic, 0); }
SL_INLINE uint32_t sl_bus_of(const sl_nic *nic, uint32_t port) { return sl_rom(nic, 1 + port); }

#ifdef STARLOOM_SCHEDULE
/* The gossip schedule for this slot: ports to send to and to hear, SL_PORT_NONE for none. The
 * word of sl_schedule_word contains each port plus one, so that 0 means none. */
typedef struct {
    uint16_t send_port, listen_port;
} sl_bus_schedule;
SL_INLINE sl_bus_schedule sl_bus_scheduled(const sl_nic *nic) {
    const uint64_t word = sl_schedule_word(nic);
    sl_bus_schedule schedule = {(uint16_t)(word - 1), (uint16_t)((word >> 16) - 1)};
    return schedule;
}
#endif

#endif
