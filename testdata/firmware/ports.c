/* At routers: queues frames at all ports, with tags and destinations drawn at random, takes those of the last port first in every
 * other call, and says whether each has come by the port that it had to, and of one class and VC in its order. */
#include "starloom_netlist.h"

STARLOOM_PARAMS("frames=40", "classes=1", "room=1")
enum { FRAMES, CLASSES, ROOM };

typedef struct {
    uint32_t sent, received;
} state_t;

typedef struct {
    uint32_t port, ports; /* by which it has left, and how many its sender has */
} body_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_done(nic);
}

static void take(sl_nic *nic, state_t *s, const sl_frame *frame) {
    const body_t *body = (const body_t *)frame->payload;
    const uint32_t own = sl_own_ports(nic);
    uint32_t port = body->ports > 1 ? body->port : frame->tag % (uint32_t)sl_param(nic, CLASSES);
    if (port >= own) port = own - 1;
    if (frame->port != port) sl_fail(nic, 1);
    if (frame->destination != sl_self(nic)) sl_fail(nic, 2);
    s->received++;
}

static void on_slot(sl_nic *nic, state_t *s) {
    const uint32_t own = sl_own_ports(nic);
    const sl_frame *frame;
    if (sl_slot(nic) & 1)
        while ((frame = sl_receive_from(nic, own - 1))) {
            if (frame->port != own - 1) sl_fail(nic, 3);
            take(nic, s, frame);
        }
    else
        while ((frame = sl_receive(nic))) take(nic, s, frame);
    while (s->sent < (uint32_t)sl_param(nic, FRAMES)) {
        const uint64_t draw = sl_mix64(sl_self(nic) * 1000003u + s->sent);
        const uint32_t port = (uint32_t)(draw >> 8) % own;
        if (sl_tx_free_of(nic, port) == 0) break;
        if (sl_tx_free_of(nic, port) > (uint32_t)sl_param(nic, ROOM)) sl_fail(nic, 4);
        sl_frame *out = sl_send(nic, port, SL_KIND_DATA, (uint32_t)(draw >> 32) % sl_processors(nic), sizeof(body_t) + 8 * (draw & 3));
        out->tag = (uint16_t)(draw >> 16 & 15);
        *(body_t *)out->payload = (body_t){port, own};
        s->sent++;
    }
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
