/* Queues frames of several sizes at the start, and takes what comes. */
#include "starloom.h"

STARLOOM_PARAMS("frames=200", "sizes=5")
enum { FRAMES, SIZES };

typedef struct {
    uint32_t received;
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    for (uint32_t k = 0; k < (uint32_t)sl_param(nic, FRAMES); k++) {
        uint32_t to = (uint32_t)(sl_mix64(sl_self(nic) * 1000003u + k) % sl_processors(nic));
        sl_send(nic, 0, SL_KIND_DATA, to, 8 + k % (uint32_t)sl_param(nic, SIZES) * 8);
    }
    sl_done(nic);
}

static void on_slot(sl_nic *nic, state_t *s) {
    while (sl_receive(nic)) s->received++;
    sl_sleep(nic, SL_LONG);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
