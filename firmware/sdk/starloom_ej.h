/* Addressing on Eisenstein-Jacobi networks, in addition to starloom.h: a node has N residues
 * and six links in each of n dimensions. Port 6*(k-1)+j leads, in dimension k = 1..n, in the
 * direction rho^j: +1, +rho, +rho^2, -1, -rho, -rho^2. A node sends and hears at all ports in
 * one slot. */
#ifndef STARLOOM_EJ_H
#define STARLOOM_EJ_H

#include "starloom.h"

/* The size of the network. */
SL_INLINE uint32_t sl_ej_residues(const sl_nic *nic) { return sl_shape(nic, 0); }         /* N, in each dimension */
SL_INLINE uint32_t sl_ej_dimensions(const sl_nic *nic) { return sl_shape(nic, 1); }       /* n */
SL_INLINE uint32_t sl_ej_diameter(const sl_nic *nic) { return sl_shape(nic, 2); }         /* M, of one dimension */
SL_INLINE uint32_t sl_ej_packets_per_link(const sl_nic *nic) { return sl_shape(nic, 3); } /* 0 for no limit */

SL_INLINE uint32_t sl_ej_port(uint32_t dimension, uint32_t direction) { return 6 * (dimension - 1) + direction; }

/* The source of a one-to-all broadcast. */
SL_INLINE uint32_t sl_ej_source(const sl_nic *nic) { return sl_workload(nic); }

/* The staircases of the broadcasts for every alpha: define STARLOOM_ROM. E(i, q) is the largest
 * number of hops of sector i in its minor direction after q = 1..Q(i) hops in its major direction. */
SL_INLINE uint32_t sl_ej_q_max(const sl_nic *nic, uint32_t sector) {
    return sl_machine_rom(nic, sector + 1) - sl_machine_rom(nic, sector);
}
SL_INLINE uint32_t sl_ej_p_max(const sl_nic *nic, uint32_t sector, uint32_t q) {
    return sl_machine_rom(nic, sl_machine_rom(nic, sector) + q - 1);
}

/* The largest number of ports of a node. */
#define SL_EJ_PORTS_MAX 72

/* One slot of a node that is not the source of a one-to-all broadcast: it waits for the message, at most for the duration of the
 * broadcast. */
SL_INLINE void sl_ej_await(sl_nic *nic) {
    uint32_t steps = sl_ej_dimensions(nic) * sl_ej_diameter(nic);
    sl_sleep(nic, steps < SL_LONG ? steps : SL_LONG);
}

/* The destination of a frame for a neighbour. */
#define SL_EJ_NEIGHBOUR 0xFFFFFFFFu

/* The payload of a new data frame with the given number of bytes, for the node at the other end
 * of a port's link. */
SL_INLINE void *sl_ej_send(sl_nic *nic, uint32_t port, uint32_t bytes) {
    return sl_send(nic, port, SL_KIND_DATA, SL_EJ_NEIGHBOUR, bytes)->payload;
}

/* Frames of one slot, each with a list of packets, for each port that is used. Initialise it
 * with zeros in every slot. */
typedef struct {
    sl_frame *frame[SL_EJ_PORTS_MAX];
} sl_ej_lists;

/* The place of another packet of the given number of bytes to a port. Fails with code 1 if the
 * frame is full. */
SL_INLINE void *sl_ej_append(sl_nic *nic, sl_ej_lists *lists, uint32_t port, uint32_t bytes) {
    sl_frame *frame = lists->frame[port];
    if (!frame) lists->frame[port] = frame = sl_send(nic, port, SL_KIND_DATA, SL_EJ_NEIGHBOUR, 0);
    uint32_t used = frame->payload_bytes;
    if (used + bytes > nic->bank.payload_bytes) sl_fail(nic, 1);
    frame->payload_bytes = (uint16_t)(used + bytes);
    return frame->payload + used;
}

/* The routes of traffic: define STARLOOM_ROM; the workload must be traffic. The residue of `to`
 * minus that of `from`, by the numbering at the head of the ROM. */
SL_INLINE uint32_t sl_ej_difference(const sl_nic *nic, uint32_t to, uint32_t from) {
    const int32_t wide = (int32_t)sl_machine_rom(nic, 0), high = (int32_t)sl_machine_rom(nic, 1), skew = (int32_t)sl_machine_rom(nic, 2);
    int32_t x = (int32_t)to % wide - (int32_t)from % wide, y = (int32_t)to / wide - (int32_t)from / wide;
    if (y < 0) {
        y += high;
        x += skew;
    }
    if (x < 0) x += wide;
    if (x >= wide) x -= wide;
    return (uint32_t)(y * wide + x);
}

/* The port by which a packet continues to another node: dimension 1 first, and within a
 * dimension on a shortest route. */
SL_INLINE uint32_t sl_ej_next(const sl_nic *nic, uint32_t destination) {
    const uint32_t residues = sl_ej_residues(nic);
    uint32_t here = sl_self(nic), dimension = 1;
    for (; here % residues == destination % residues; dimension++) {
        here /= residues;
        destination /= residues;
    }
    const uint32_t left = sl_ej_difference(nic, destination % residues, here % residues);
    return sl_ej_port(dimension, sl_machine_rom(nic, 3 + left / 8) >> 4 * (left % 8) & 0xF);
}

#endif
