/* On one bus, vertex 1 sends a frame in each of the slots 0 to 9. Vertex 2 queues the frames A and B in
 * slot 0, and in slot 4 it withdraws the one at the head, A, and queues C. Then nothing waits but B
 * and C, and as many as before. */
#include "starloom_bus.h"

typedef struct {
    uint32_t unused;
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_listen(nic, sl_self(nic) == 0 ? 0 : SL_PORT_NONE);
}

static void queue(sl_nic *nic, uint32_t reading) {
    *(uint32_t *)sl_send(nic, 0, SL_KIND_DATA, 0, sizeof reading)->payload = reading;
}

static void on_slot(sl_nic *nic, state_t *s) {
    (void)s;
    uint32_t self = sl_self(nic), slot = sl_slot(nic);
    while (sl_receive(nic)) {}
    if (self == 1 && slot < 10) queue(nic, slot);
    if (self == 2 && slot == 0) {
        queue(nic, 0xA);
        queue(nic, 0xB);
    }
    if (self == 2 && slot == 4) {
        sl_withdraw(nic);
        queue(nic, 0xC);
    }
    if (slot == 10) sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
