/* ej/all-to-all-c2: all-to-all broadcast in one phase, for every alpha.
 *
 * Each link is used in one direction: +1, +rho^2 or -rho, which add up to 0. The tree of a
 * message has three sectors and is otherwise that of ej/general; staircases are the ROM. Every
 * message reaches every node once, in one phase of n*D steps, D = a+b or a+b-1, where the three
 * phases of the published algorithm take 3*n*M.
 *
 * If a link carries a limited number of packets per slot, packets with the deepest remaining
 * subtree go first. In one dimension one packet per link takes (N-1)/3 steps, the minimum for
 * these links.
 *
 * rotate=1: the order of the dimensions is rotated by the sum of the source's coordinates, so
 * that all links carry the same load; rotate=0: it is not rotated. Default: 1 if a link carries
 * one packet in a slot, otherwise 0. */
#define STARLOOM_ROM
#define STARLOOM_STATE_BYTES (bank->shape[3] ? bank->processors * sizeof(waiting_t) : 0)

#include <stdint.h>

/* A waiting message: its arrival, and the ways still to send. */
typedef struct {
    uint32_t to; /* bit 0: on in the minor direction, 1: in the major one, 2+3*(k-1)+i: sector i of dimension k */
    uint16_t q, p;
    uint8_t sector, dimension;
    uint16_t none;
} waiting_t;

#include "starloom_ej.h"

STARLOOM_PARAMS("rotate=-1")

/* Dimensions are numbered in the rotated order of the message's source. */
typedef struct __attribute__((packed, aligned(2))) {
    uint32_t source;
    uint8_t sector, dimension;
    uint16_t q, p;
} packet_t;

typedef struct {
    uint32_t received; /* messages */
    uint32_t waits;    /* messages that are to be sent yet */
    waiting_t message[];
} state_t;

/* Sector i travels along its major direction rho^(2i), and from there along rho^(2i+2). */
SL_INLINE uint32_t major_of(uint32_t sector) { return 2 * sector; }
SL_INLINE uint32_t minor_of(uint32_t sector) { return (2 * sector + 2) % 6; }

/* The rotation of a source's dimensions. */
static uint32_t rotation_of(const sl_nic *nic, uint32_t source) {
    uint32_t sum = 0, n = sl_ej_dimensions(nic), residues = sl_ej_residues(nic);
    int32_t rotate = sl_param(nic, 0);
    if (rotate < 0) rotate = sl_ej_packets_per_link(nic) == 1;
    if (!rotate) return 0;
    for (uint32_t k = 0; k < n; k++, source /= residues) sum += source % residues;
    return sum % n;
}

SL_INLINE uint32_t port_of(const sl_nic *nic, uint32_t dimension, uint32_t rotation, uint32_t direction) {
    return sl_ej_port((dimension - 1 + rotation) % sl_ej_dimensions(nic) + 1, direction);
}

/* Whether a node can forward a packet: a faulty neighbour may send any data. */
SL_INLINE int is_good(const sl_nic *nic, packet_t packet) {
    return packet.source < sl_processors(nic) && packet.sector < 3 && packet.dimension - 1u < sl_ej_dimensions(nic) &&
           packet.q - 1u < sl_ej_q_max(nic, packet.sector);
}

/* The packet for bit `way` of a message, and its port. */
static packet_t packet_of(const sl_nic *nic, uint32_t source, const waiting_t *m, uint32_t way, uint32_t rotation, uint32_t *port) {
    packet_t packet = {source, m->sector, m->dimension, m->q, m->p};
    uint32_t direction;
    if (way == 0) {
        packet.p++;
        direction = minor_of(m->sector);
    } else if (way == 1) {
        packet.q++;
        direction = major_of(m->sector);
    } else {
        packet = (packet_t){source, (uint8_t)((way - 2) % 3), (uint8_t)((way - 2) / 3 + 1), 1, 0};
        direction = major_of(packet.sector);
    }
    *port = port_of(nic, packet.dimension, rotation, direction);
    return packet;
}

/* The ways of a message from this node. */
static uint32_t ways_of(const sl_nic *nic, const waiting_t *m) {
    uint32_t ways = 0;
    if (m->q > 0 && m->p < sl_ej_p_max(nic, m->sector, m->q)) ways |= 1;
    if (m->q > 0 && m->p == 0 && m->q < sl_ej_q_max(nic, m->sector)) ways |= 2;
    for (uint32_t k = 1; k < m->dimension; k++)
        for (uint32_t sector = 0; sector < 3; sector++)
            if (sl_ej_q_max(nic, sector) > 0) ways |= 1u << (2 + 3 * (k - 1) + sector);
    return ways;
}

/* The number of hops of a sector from q = `from` in its major direction. */
static uint32_t height_of(const sl_nic *nic, uint32_t sector, uint32_t from) {
    uint32_t height = 0;
    for (uint32_t q = from; q <= sl_ej_q_max(nic, sector); q++) {
        uint32_t hops = q - from + sl_ej_p_max(nic, sector, q);
        if (hops > height) height = hops;
    }
    return height;
}

/* The depth in hops of the subtree of a packet, which includes a whole tree in each lower
 * dimension. */
static uint32_t depth_of(const sl_nic *nic, packet_t packet, uint32_t whole) {
    uint32_t own = packet.p > 0 ? sl_ej_p_max(nic, packet.sector, packet.q) - packet.p : height_of(nic, packet.sector, packet.q);
    return own + (packet.dimension - 1u) * whole;
}

/* The depth in hops of the tree of one dimension. */
static uint32_t whole_of(const sl_nic *nic) {
    uint32_t whole = 0;
    for (uint32_t sector = 0; sector < 3; sector++)
        if (sl_ej_q_max(nic, sector) > 0) {
            uint32_t hops = 1 + height_of(nic, sector, 1);
            if (hops > whole) whole = hops;
        }
    return whole;
}

/* Links without a limit: a message takes all its ways at once. */
static void send_all(sl_nic *nic, sl_ej_lists *lists, uint32_t source, const waiting_t *m) {
    uint32_t rotation = rotation_of(nic, source);
    for (uint32_t ways = ways_of(nic, m); ways; ways &= ways - 1) {
        uint32_t port;
        packet_t packet = packet_of(nic, source, m, (uint32_t)__builtin_ctz(ways), rotation, &port);
        *(packet_t *)sl_ej_append(nic, lists, port, sizeof packet) = packet;
    }
}

/* Links with a limit: packets with the deepest subtrees go first, one per port in a pass. */
static void send_deepest(sl_nic *nic, state_t *s, sl_ej_lists *lists) {
    struct {
        uint32_t depth, source, way; /* depth + 1, 0 for none */
        packet_t packet;
    } best[SL_EJ_PORTS_MAX];
    uint32_t whole = whole_of(nic), ports = sl_ports(nic);
    for (uint32_t pass = 0; pass < sl_ej_packets_per_link(nic) && s->waits > 0; pass++) {
        for (uint32_t port = 0; port < ports; port++) best[port].depth = 0;
        for (uint32_t source = 0; source < sl_processors(nic); source++) {
            const waiting_t *m = &s->message[source];
            if (!m->to) continue;
            uint32_t rotation = rotation_of(nic, source);
            for (uint32_t ways = m->to; ways; ways &= ways - 1) {
                uint32_t port, way = (uint32_t)__builtin_ctz(ways);
                packet_t packet = packet_of(nic, source, m, way, rotation, &port);
                uint32_t depth = 1 + depth_of(nic, packet, whole);
                if (depth <= best[port].depth) continue;
                best[port].depth = depth;
                best[port].source = source;
                best[port].way = way;
                best[port].packet = packet;
            }
        }
        for (uint32_t port = 0; port < ports; port++) {
            if (!best[port].depth) continue;
            *(packet_t *)sl_ej_append(nic, lists, port, sizeof(packet_t)) = best[port].packet;
            waiting_t *m = &s->message[best[port].source];
            m->to &= ~(1u << best[port].way);
            if (!m->to) s->waits--;
        }
    }
}

/* Accepts a message; the own one as if from a dimension above all. */
static void take(sl_nic *nic, state_t *s, sl_ej_lists *lists, uint32_t source, waiting_t m) {
    if (!sl_ej_packets_per_link(nic)) {
        send_all(nic, lists, source, &m);
        return;
    }
    m.to = ways_of(nic, &m);
    if (!s->message[source].to && m.to) s->waits++;
    s->message[source] = m;
}

/* Sends what the links allow. A processor that has forwarded all messages is done. */
static void go_on(sl_nic *nic, state_t *s, sl_ej_lists *lists) {
    if (s->waits > 0) send_deepest(nic, s, lists);
    if (s->waits > 0) return;
    if (s->received == sl_processors(nic) - 1) sl_done(nic);
    sl_sleep(nic, SL_LONG);
}

static void on_start(sl_nic *nic, state_t *s) {
    sl_ej_lists lists = {{0}};
    take(nic, s, &lists, sl_self(nic), (waiting_t){0, 0, 0, 0, (uint8_t)(sl_ej_dimensions(nic) + 1), 0});
    go_on(nic, s, &lists);
}

static void on_slot(sl_nic *nic, state_t *s) {
    if (sl_slot(nic) == 0) return; /* on_start has done it */
    sl_ej_lists lists = {{0}};
    const sl_frame *frame;
    while ((frame = sl_receive(nic)) != 0)
        for (uint32_t at = 0; at + sizeof(packet_t) <= frame->payload_bytes; at += sizeof(packet_t)) {
            packet_t packet = *(const packet_t *)(frame->payload + at);
            if (!is_good(nic, packet)) continue;
            s->received++;
            take(nic, s, &lists, packet.source, (waiting_t){0, packet.q, packet.p, packet.sector, packet.dimension, 0});
        }
    go_on(nic, s, &lists);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
