/* ej/general: one-to-all broadcast for every alpha.
 *
 * Like ej/improved, but the extent of a sector is not a formula: after q hops in its major
 * direction a packet makes at most E(q) hops in its minor one. The staircases E are chosen such
 * that every residue is reached once, in the step of its distance. The paper gives none. */
#define STARLOOM_ROM
#include "starloom_ej.h"

/* Sector i of six travels along rho^((i+1) mod 6) and from there along rho^i. */
typedef struct {
    uint16_t sector, dimension, q, p;
} packet_t;

typedef struct {
    /* nothing to do once the message is here */
} state_t;

SL_INLINE uint32_t major_of(uint32_t sector) { return (sector + 1) % 6; }

SL_INLINE void send(sl_nic *nic, uint32_t direction, packet_t packet) {
    *(packet_t *)sl_ej_send(nic, sl_ej_port(packet.dimension, direction), sizeof packet) = packet;
}

/* Accepts the packet of a frame if a node can forward it: a faulty neighbour may send any
 * data. */
SL_INLINE int take(const sl_nic *nic, const sl_frame *frame, packet_t *packet) {
    if (frame->kind != SL_KIND_DATA || frame->payload_bytes != sizeof *packet) return 0;
    *packet = *(const packet_t *)frame->payload;
    return packet->sector < 6 && packet->dimension - 1u < sl_ej_dimensions(nic) && packet->q - 1u < sl_ej_q_max(nic, packet->sector);
}

/* Opens the sectors of the given dimension and all lower ones. */
SL_INLINE void open_all(sl_nic *nic, uint32_t dimension) {
    for (; dimension > 0; dimension--)
        for (uint32_t sector = 0; sector < 6; sector++)
            if (sl_ej_q_max(nic, sector) > 0) send(nic, major_of(sector), (packet_t){(uint16_t)sector, (uint16_t)dimension, 1, 0});
}

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_ej_await(nic);
    if (sl_self(nic) == sl_ej_source(nic)) open_all(nic, sl_ej_dimensions(nic)); /* it is done in on_slot */
}

static void on_slot(sl_nic *nic, state_t *s) {
    (void)s;
    const sl_frame *frame;
    while ((frame = sl_receive(nic)) != 0) {
        packet_t packet, on;
        if (!take(nic, frame, &packet)) continue;
        on = packet;
        if (packet.p < sl_ej_p_max(nic, packet.sector, packet.q)) {
            on.p++;
            send(nic, packet.sector, on);
        }
        if (packet.p == 0 && packet.q < sl_ej_q_max(nic, packet.sector)) {
            on.p = 0;
            on.q++;
            send(nic, major_of(packet.sector), on);
        }
        open_all(nic, packet.dimension - 1u);
    }
    sl_done(nic);
    sl_sleep(nic, SL_LONG);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
