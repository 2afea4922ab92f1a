/* Buses, beside starloom.h: a vertex has a port for each bus that it has a tap on, and one switch
 * to all of them. In a slot it is on one bus, where it sends or listens. */
#ifndef STARLOOM_BUS_H
#define STARLOOM_BUS_H

#include "starloom.h"

/* Vertices that may be on a bus in one slot, the sender included. */
SL_INLINE uint32_t sl_bus_length(const sl_nic *nic) { return sl_shape(nic, 1); }

#ifdef STARLOOM_SCHEDULE
/* What the schedule of gossip says for this slot: ports to send to and to hear, SL_PORT_NONE for
 * none. In sl_schedule_word each stands plus one, so that 0 is neither. */
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
