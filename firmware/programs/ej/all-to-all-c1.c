/* ej/all-to-all-c1: all-to-all broadcast in three phases, corrected.
 *
 * The published algorithm never serves a node whose coordinates belong to sectors of different
 * phases. Here every node starts in each phase all messages that it has, in the dimensions in
 * which its coordinate still equals the source's. Every message reaches every node once, in the
 * same number of steps. The packets for a link travel in one frame. */
#define STARLOOM_STATE_BYTES (bank->processors * sizeof(uint16_t))
#include "starloom_ej.h"

typedef struct __attribute__((packed, aligned(2))) {
    uint32_t source;
    uint8_t sector, dimension;
    uint16_t q, p;
    uint16_t zero; /* dimensions, bit k-1, in which the receiver lies where the source does */
} packet_t;

#define HAS 0x8000u

typedef struct {
    uint32_t phase;      /* that it has started, 1 to 3 */
    uint16_t messages[]; /* by source: HAS and the dimensions of `zero` */
} state_t;

/* The phase of a sector: 6 and 1, 2 and 3, 4 and 5, numbered from 0. */
SL_INLINE uint32_t phase_of(uint32_t sector) { return (sector + 1) % 6 / 2 + 1; }

SL_INLINE void send(sl_nic *nic, sl_ej_lists *lists, uint32_t direction, packet_t packet) {
    *(packet_t *)sl_ej_append(nic, lists, sl_ej_port(packet.dimension, direction), sizeof packet) = packet;
}

/* Starts a message in the dimensions of `zero` below `below`. */
static void start(sl_nic *nic, sl_ej_lists *lists, uint32_t source, uint32_t below, uint32_t zero, uint32_t phase) {
    for (uint32_t dimension = below - 1; dimension > 0; dimension--) {
        uint32_t bit = 1u << (dimension - 1);
        if (!(zero & bit)) continue;
        for (uint32_t k = 0; k < 2; k++) {
            uint32_t major = (2 * (phase - 1) + k) % 6;
            send(nic, lists, major, (packet_t){source, (uint8_t)((major + 5) % 6), (uint8_t)dimension, 1, 0, (uint16_t)(zero & ~bit)});
        }
    }
}

/* Whether a node can forward a packet: a faulty neighbour may send any data. */
SL_INLINE int is_good(const sl_nic *nic, packet_t packet) {
    return packet.source < sl_processors(nic) && packet.sector < 6 && packet.dimension - 1u < sl_ej_dimensions(nic);
}

static void take(sl_nic *nic, state_t *s, sl_ej_lists *lists, packet_t packet) {
    s->messages[packet.source] = (uint16_t)(HAS | packet.zero);
    packet_t on = packet;
    if (packet.q + packet.p < sl_ej_diameter(nic)) { /* a sector is a triangle */
        on.p++;
        send(nic, lists, packet.sector, on);
        if (packet.p == 0) {
            on.p = 0;
            on.q++;
            send(nic, lists, (packet.sector + 1u) % 6, on);
        }
    }
    start(nic, lists, packet.source, packet.dimension, packet.zero, phase_of(packet.sector));
}

/* Starts the phase that begins in this slot, if any, and sleeps until the next one; after the
 * last phase the processor is done. */
static void go_phase(sl_nic *nic, state_t *s, sl_ej_lists *lists) {
    uint32_t dimensions = sl_ej_dimensions(nic), steps = dimensions * sl_ej_diameter(nic), slot = sl_slot(nic), phase = slot / steps + 1;
    if (phase > 3) {
        sl_done(nic);
        sl_sleep(nic, SL_LONG);
        return;
    }
    if (slot % steps == 0 && s->phase < phase) {
        s->phase = phase;
        for (uint32_t source = 0; source < sl_processors(nic); source++)
            if (s->messages[source] & HAS) start(nic, lists, source, dimensions + 1, s->messages[source] & ~HAS, phase);
    }
    sl_sleep(nic, phase * steps - slot);
}

static void on_start(sl_nic *nic, state_t *s) {
    sl_ej_lists lists = {{0}};
    s->messages[sl_self(nic)] = (uint16_t)(HAS | ((1u << sl_ej_dimensions(nic)) - 1));
    go_phase(nic, s, &lists);
}

static void on_slot(sl_nic *nic, state_t *s) {
    if (sl_slot(nic) == 0) return; /* on_start has done it */
    sl_ej_lists lists = {{0}};
    const sl_frame *frame;
    while ((frame = sl_receive(nic)) != 0)
        for (uint32_t at = 0; at + sizeof(packet_t) <= frame->payload_bytes; at += sizeof(packet_t)) {
            packet_t packet = *(const packet_t *)(frame->payload + at);
            if (is_good(nic, packet)) take(nic, s, &lists, packet);
        }
    go_phase(nic, s, &lists);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
