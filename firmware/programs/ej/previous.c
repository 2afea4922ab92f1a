/* ej/previous: one-to-all broadcast in rounds, one for each dimension.
 *
 * The algorithm that Z. Hussain, "An Improved One-to-All Broadcasting in Higher Dimensional
 * Eisenstein-Jacobi Networks", section 3 describes and compares with: n rounds of M steps. Round
 * r goes through dimension n-r+1, and every node that has the message then is the centre of a
 * broadcast in that dimension. */
#include "starloom_ej_sectors.h"

typedef struct {
    uint32_t has; /* it has the message */
} state_t;

/* Sleeps until the next round begins; after the last it is done. */
static void rest(sl_nic *nic, uint32_t slot) {
    uint32_t steps = sl_ej_diameter(nic), next = (slot / steps + 1) * steps;
    if (slot >= steps * sl_ej_dimensions(nic)) {
        sl_done(nic);
        sl_sleep(nic, SL_LONG);
        return;
    }
    sl_sleep(nic, next - slot);
}

/* Opens the round that begins in this slot, if one does. */
static void round_of(sl_nic *nic, state_t *s, uint32_t slot) {
    uint32_t steps = sl_ej_diameter(nic), round = slot / steps;
    if (s->has && slot % steps == 0 && round < sl_ej_dimensions(nic)) sl_ej_open(nic, sl_ej_dimensions(nic) - round, slot + 1);
}

static void on_start(sl_nic *nic, state_t *s) {
    s->has = sl_self(nic) == sl_ej_source(nic);
    round_of(nic, s, 0);
    rest(nic, 0);
}

static void on_slot(sl_nic *nic, state_t *s) {
    const sl_frame *frame;
    while ((frame = sl_receive(nic)) != 0) {
        s->has = 1;
        sl_ej_forward(nic, *(const sl_ej_packet *)frame->payload);
    }
    round_of(nic, s, sl_slot(nic));
    rest(nic, sl_slot(nic));
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
