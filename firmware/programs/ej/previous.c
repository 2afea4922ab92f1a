/* ej/previous: one-to-all broadcast in rounds, one for each dimension.
 *
 * The algorithm that Z. Hussain, "An Improved One-to-All Broadcasting in Higher Dimensional
 * Eisenstein-Jacobi Networks", section 3, describes for comparison: n rounds of M steps. Round r
 * uses dimension n-r+1, and every node with the message is the centre of a broadcast in that
 * dimension. */
#include "starloom_ej_sectors.h"

typedef struct {
    uint16_t has;    /* it has the message */
    uint16_t opened; /* the last round that it has opened, from 1 */
} state_t;

/* Opens the round that begins in this slot, if any, and sleeps until the next one; after the
 * last round the processor is done. */
static void go_round(sl_nic *nic, state_t *s) {
    uint32_t steps = sl_ej_diameter(nic), rounds = sl_ej_dimensions(nic), slot = sl_slot(nic), round = slot / steps;
    if (round >= rounds) {
        sl_done(nic);
        sl_sleep(nic, SL_LONG);
        return;
    }
    if (s->has && slot % steps == 0 && s->opened <= round) {
        s->opened = (uint16_t)(round + 1);
        sl_ej_open(nic, rounds - round, slot + 1);
    }
    sl_sleep(nic, (round + 1) * steps - slot);
}

static void on_start(sl_nic *nic, state_t *s) {
    s->has = sl_self(nic) == sl_ej_source(nic);
    go_round(nic, s);
}

static void on_slot(sl_nic *nic, state_t *s) {
    const sl_frame *frame;
    while ((frame = sl_receive(nic)) != 0) {
        sl_ej_packet packet;
        if (!sl_ej_take(nic, frame, &packet)) continue;
        s->has = 1;
        sl_ej_forward(nic, packet);
    }
    go_round(nic, s);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
