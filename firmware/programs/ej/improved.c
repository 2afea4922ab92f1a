/* ej/improved: one-to-all broadcast, the paper's improved algorithm.
 *
 * Z. Hussain, "An Improved One-to-All Broadcasting in Higher Dimensional Eisenstein-Jacobi
 * Networks", Algorithms 1 and 2. The source opens the sectors of all dimensions at once. A node
 * that receives the message in dimension k forwards it in its sector and opens the sectors of the
 * dimensions below k. Every node is reached once, in the step of its distance. */
#include "starloom_ej_sectors.h"

typedef struct {
    /* nothing to do once the message is here */
} state_t;

/* Opens the sectors of the given dimension and all lower ones. */
SL_INLINE void open_all(sl_nic *nic, uint32_t dimension, uint32_t step) {
    for (; dimension > 0; dimension--) sl_ej_open(nic, dimension, step);
}

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_ej_await(nic);
    if (sl_self(nic) == sl_ej_source(nic)) open_all(nic, sl_ej_dimensions(nic), 1); /* it is done in on_slot */
}

static void on_slot(sl_nic *nic, state_t *s) {
    (void)s;
    const sl_frame *frame;
    while ((frame = sl_receive(nic)) != 0) {
        sl_ej_packet packet;
        if (!sl_ej_take(nic, frame, &packet)) continue;
        sl_ej_forward(nic, packet);
        open_all(nic, packet.dimension - 1u, packet.step);
    }
    sl_done(nic); /* also if nothing has come in all steps: nothing will */
    sl_sleep(nic, SL_LONG);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
