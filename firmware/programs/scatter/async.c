/* scatter/async: random scattering of one item, one sender after the other.
 *
 * Z. Drezner and A. Barak, "A Probabilistic Algorithm for Scattering Information in a
 * Multicomputer System". A unit has as many slots as there are nodes. In each slot one node sends
 * a message to a uniformly drawn other node, with the item if the sender then has it. The schedule
 * selects the sender: its word is the number of the slot, plus 1. A message with the item is its
 * packet, one without it is empty. A node never knows that all have the item: the run ends when
 * they do.
 *
 * order: 0 each node once in a unit, in a new random order; 1 in one random order for all
 * units; 2 a uniformly drawn node in each slot. The schedule depends on it. */
#define STARLOOM_SCHEDULE
#include "starloom.h"

STARLOOM_PARAMS("order=0")

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

    if (sl_schedule_word(nic) == (uint64_t)sl_slot(nic) + 1) {
        uint32_t to = sl_random_below(nic, sl_processors(nic) - 1);
        to += to >= sl_self(nic);
        if (s->coloured)
            sl_send_packet(nic, 0, to, (sl_packet){sl_workload(nic), to});
        else
            sl_send(nic, 0, SL_KIND_DATA, to, 0);
    }
    sl_sleep(nic, SL_LONG); /* until something was received, or its turn comes */
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
