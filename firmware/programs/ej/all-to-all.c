/* ej/all-to-all: all-to-all broadcast in three phases, as published.
 *
 * Z. Hussain, "An Improved One-to-All Broadcasting in Higher Dimensional Eisenstein-Jacobi
 * Networks", Algorithms 3 and 4. A phase has n*M steps and serves two of the six sectors in all
 * dimensions, so it uses one direction of every link. The packets for a link travel in one frame.
 *
 * reading=0: every node starts each phase once, with its own message. Complete in one dimension
 * only: nodes with coordinates in sectors of different phases are never served.
 * reading=1: Algorithm 4 to the letter. A node starts phase 1; every packet that arrives at the
 * end of a phase starts the next phase with its message. */
#include "starloom_ej.h"

STARLOOM_PARAMS("reading=0")

typedef struct __attribute__((packed, aligned(2))) {
    uint32_t source;
    uint8_t major : 4, minor : 4;
    uint8_t dimension : 4, phase : 4; /* 1.. */
    uint16_t x, y, step;
} packet_t;

typedef struct {
    uint32_t phase; /* that it has started, 1 to 3 */
} state_t;

/* The first of the two major directions of a phase: +1, +rho^2, -rho. The other is the next one
 * (sectors 6 and 1, 2 and 3, 4 and 5). */
SL_INLINE uint32_t first_major(uint32_t phase) { return 2 * (phase - 1); }

SL_INLINE void send(sl_nic *nic, sl_ej_lists *lists, uint32_t direction, packet_t packet) {
    *(packet_t *)sl_ej_append(nic, lists, sl_ej_port(packet.dimension, direction), sizeof packet) = packet;
}

/* Algorithm 3: starts a message in the given dimension and all lower ones. */
static void start(sl_nic *nic, sl_ej_lists *lists, uint32_t source, uint32_t dimension, uint32_t step, uint32_t phase) {
    uint16_t hops = (uint16_t)(sl_ej_diameter(nic) - 1);
    for (; dimension > 0; dimension--)
        for (uint32_t k = 0; k < 2; k++) {
            uint32_t major = (first_major(phase) + k) % 6;
            send(nic, lists, major,
                 (packet_t){source, (uint8_t)(major & 15), (uint8_t)((major + 5) % 6 & 15), (uint8_t)(dimension & 15), (uint8_t)(phase & 15),
                            hops, hops, (uint16_t)(step + 1)});
        }
}

/* Whether a node can forward a packet: a faulty neighbour may send any data. */
SL_INLINE int is_good(const sl_nic *nic, packet_t packet) {
    return packet.major < 6 && packet.minor < 6 && packet.dimension - 1u < sl_ej_dimensions(nic) && packet.phase - 1u < 3;
}

/* Algorithm 4: the consequences of a packet. */
static void take(sl_nic *nic, sl_ej_lists *lists, packet_t packet) {
    uint32_t last = sl_ej_dimensions(nic) * sl_ej_diameter(nic);
    if (packet.step > last) {
        if (sl_param(nic, 0) && packet.phase < 3) start(nic, lists, packet.source, sl_ej_dimensions(nic), 1, packet.phase + 1u);
        return;
    }
    packet_t on = packet;
    on.step++;
    if (packet.x > 0) {
        on.x = (uint16_t)(packet.x - 1);
        on.y = 0;
        send(nic, lists, packet.minor, on);
    }
    if (packet.y > 0) {
        on.x = (uint16_t)(packet.x - 1);
        on.y = (uint16_t)(packet.y - 1);
        send(nic, lists, packet.major, on);
    }
    if (packet.dimension > 1) start(nic, lists, packet.source, packet.dimension - 1u, packet.step, packet.phase);
}

/* Starts the own message in the phase that begins in this slot, if any, and sleeps until the
 * next one; after the last phase the processor is done. */
static void go_phase(sl_nic *nic, state_t *s, sl_ej_lists *lists) {
    uint32_t steps = sl_ej_dimensions(nic) * sl_ej_diameter(nic), slot = sl_slot(nic), phase = slot / steps + 1;
    if (phase > 3) {
        sl_done(nic);
        sl_sleep(nic, SL_LONG);
        return;
    }
    if (slot % steps == 0 && s->phase < phase) {
        s->phase = phase;
        if (phase == 1 || !sl_param(nic, 0)) start(nic, lists, sl_self(nic), sl_ej_dimensions(nic), 1, phase);
    }
    sl_sleep(nic, phase * steps - slot);
}

static void on_start(sl_nic *nic, state_t *s) {
    sl_ej_lists lists = {{0}};
    go_phase(nic, s, &lists);
}

static void on_slot(sl_nic *nic, state_t *s) {
    if (sl_slot(nic) == 0) return; /* on_start has done it */
    sl_ej_lists lists = {{0}};
    const sl_frame *frame;
    while ((frame = sl_receive(nic)) != 0)
        for (uint32_t at = 0; at + sizeof(packet_t) <= frame->payload_bytes; at += sizeof(packet_t)) {
            packet_t packet = *(const packet_t *)(frame->payload + at);
            if (is_good(nic, packet)) take(nic, &lists, packet);
        }
    go_phase(nic, s, &lists);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
