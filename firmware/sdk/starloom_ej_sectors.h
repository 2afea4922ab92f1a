/* One-to-all broadcast by sectors on an Eisenstein-Jacobi network with alpha = a+(a+1)*rho, in
 * addition to starloom_ej.h. Z. Hussain, "An Improved One-to-All Broadcasting in Higher
 * Dimensional Eisenstein-Jacobi Networks", Algorithms 1 and 2: the packet travels along the
 * major direction of its sector, and from there along its minor direction. */
#ifndef STARLOOM_EJ_SECTORS_H
#define STARLOOM_EJ_SECTORS_H

#include "starloom_ej.h"

/* The major direction in the packet of a sector. A program may redefine it to study a misprint. */
#ifndef SL_EJ_MAJOR
#define SL_EJ_MAJOR(direction) (direction)
#endif

/* A packet: directions 0..5, the dimension in which it travels, the hops left, and the step in
 * which its receiver sends. */
typedef struct {
    uint8_t major : 4, minor : 4;
    uint8_t dimension;
    uint16_t x, y, step;
} sl_ej_packet;

SL_INLINE void sl_ej_send_packet(sl_nic *nic, uint32_t direction, sl_ej_packet packet) {
    *(sl_ej_packet *)sl_ej_send(nic, sl_ej_port(packet.dimension, direction), sizeof packet) = packet;
}

/* Accepts the packet of a frame if a node can forward it: a faulty neighbour may send any
 * data. */
SL_INLINE int sl_ej_take(const sl_nic *nic, const sl_frame *frame, sl_ej_packet *packet) {
    if (frame->kind != SL_KIND_DATA || frame->payload_bytes != sizeof *packet) return 0;
    *packet = *(const sl_ej_packet *)frame->payload;
    return packet->major < 6 && packet->minor < 6 && packet->dimension - 1u < sl_ej_dimensions(nic);
}

/* Starts the broadcast in all sectors of a dimension. step is the current step. */
SL_INLINE void sl_ej_open(sl_nic *nic, uint32_t dimension, uint32_t step) {
    uint16_t hops = (uint16_t)(sl_ej_diameter(nic) - 1);
    for (uint32_t major = 0; major < 6; major++) {
        sl_ej_packet packet = {(uint8_t)SL_EJ_MAJOR(major), (uint8_t)((major + 5) % 6), (uint8_t)dimension, hops, hops, (uint16_t)(step + 1)};
        sl_ej_send_packet(nic, major, packet);
    }
}

/* Forwards a packet in its dimension. */
SL_INLINE void sl_ej_forward(sl_nic *nic, sl_ej_packet packet) {
    sl_ej_packet on = packet;
    on.step++;
    if (packet.x > 0) {
        on.x = (uint16_t)(packet.x - 1);
        on.y = 0;
        sl_ej_send_packet(nic, packet.minor, on);
    }
    if (packet.y > 0) {
        on.x = (uint16_t)(packet.x - 1);
        on.y = (uint16_t)(packet.y - 1);
        sl_ej_send_packet(nic, packet.major, on);
    }
}

#endif
