/* Every packet goes clockwise round a ring, from port 1 to port 0 of the next node, until
 * it is at home: all move in step, so nobody ever holds more than one. */
#include "starloom.h"

typedef struct {
    uint32_t arrived;
} state_t;

STARLOOM_PARAMS("lazy=0") /* 1: node 0 keeps what it should pass on */

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_listen(nic, 0);
    sl_hold(nic, 1);
}

static void on_slot(sl_nic *nic, state_t *s) {
    sl_packet packet = {sl_self(nic), sl_workload(nic)};
    const sl_frame *frame = sl_receive(nic);
    if (frame)
        packet = *sl_packet_of(frame);
    else if (sl_slot(nic) > 0)
        return;
    if (frame && packet.destination == sl_self(nic)) {
        s->arrived = 1;
        sl_hold(nic, 0);
        sl_done(nic);
    } else if (!sl_param(nic, 0) || sl_self(nic) || !frame) {
        sl_send_packet(nic, 1, packet.destination, packet);
    }
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
