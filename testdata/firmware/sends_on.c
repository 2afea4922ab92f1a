/* Breaks finishes: every processor is done at once and sends in every slot all the
 * same, so that the run never ends. */
#include "starloom.h"

typedef struct {
    uint32_t unused;
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_done(nic);
}

static void on_slot(sl_nic *nic, state_t *s) {
    (void)s;
    sl_send_ack(nic, 0, SL_ANY);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
