/* Breaks collision_free where a bus has no arbiter: in slot 3 all vertices send to bus 0. */
#include "starloom_bus.h"

typedef struct {
    uint32_t unused;
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)nic;
    (void)s;
}

static void on_slot(sl_nic *nic, state_t *s) {
    (void)s;
    if (sl_slot(nic) == 3) {
        sl_send_ack(nic, 0, 0);
        sl_done(nic);
    }
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
