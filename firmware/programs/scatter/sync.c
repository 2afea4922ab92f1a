/* scatter/sync: random scattering of one item, in units.
 *
 * Z. Drezner and A. Barak, "A Probabilistic Algorithm for Scattering Information in a
 * Multicomputer System", conservative analysis. A unit is a slot: in each, every node sends one
 * message to a uniformly drawn other node, with the item if the sender had it at the start of
 * the unit. A message with the item is its packet, one without it is empty. A node never knows
 * that all have the item: the run ends when they do. */
#include "starloom.h"

typedef struct {
    uint32_t coloured; /* it has the item */
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    s->coloured = sl_self(nic) == sl_workload(nic);
    sl_listen(nic, 0);
}

static void on_slot(sl_nic *nic, state_t *s) {
    const sl_frame *frame;
    while ((frame = sl_receive(nic)) != 0)
        if (frame->payload_bytes == sizeof(sl_packet)) s->coloured = 1;

    if (sl_tx_head(nic)) return; /* its output had no time: it waits */
    uint32_t to = sl_random_below(nic, sl_processors(nic) - 1);
    to += to >= sl_self(nic);
    if (s->coloured)
        sl_send_packet(nic, 0, to, (sl_packet){sl_workload(nic), to});
    else
        sl_send(nic, 0, SL_KIND_DATA, to, 0);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
