/* Two neighbours exchange their packets in slots 0 and 1, and all other processors keep theirs: it keeps every rule that a network
 * can check. `how` breaks one: 1 all send in slots 0 to 3 at all ports, 2 holds nine packets, 3 a packet is sent again, 4 more frames are
 * queued than a TX FIFO takes, 5 many frames are queued at once, 6 one leader is another, 7 sends to port 0 and listens to port 1,
 * 8 all listen to port 0, 9 all send long and short frames to one, 10 a packet is announced before it comes,
 * 11 leaders are said in the first slot alone. */
#include "starloom.h"

typedef struct {
    uint32_t unused;
} state_t;

STARLOOM_PARAMS("how=0", "from=0", "to=1", "port=0", "ear=0", "back=0", "back_ear=0", "ports=1")
STARLOOM_RESULTS("leader")
enum { HOW, FROM, TO, PORT, EAR, BACK, BACK_EAR, PORTS };
enum { KEEPS, MEETS, HOLDS, AGAIN, OVERFLOWS, QUEUES, DIFFERS, TWO_PORTS, CROWDS, OVERTAKES, LIES, ONCE };

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_hold(nic, 1);
}

static void send(sl_nic *nic, uint32_t port, uint32_t to) {
    sl_send_packet(nic, port, to, (sl_packet){sl_self(nic), sl_workload(nic)});
}

static void many(sl_nic *nic, uint32_t frames, uint32_t to, uint32_t longest) {
    for (uint32_t k = 0; k < frames; k++) {
        sl_frame *f = sl_send(nic, (uint32_t)sl_param(nic, PORT), SL_KIND_CONTROL, to, k % 2 ? 8 : longest);
        f->payload[0] = (uint8_t)k;
    }
}

static void on_slot(sl_nic *nic, state_t *s) {
    (void)s;
    const uint32_t self = sl_self(nic), slot = sl_slot(nic), how = (uint32_t)sl_param(nic, HOW);
    const uint32_t from = (uint32_t)sl_param(nic, FROM), to = (uint32_t)sl_param(nic, TO);
    const uint32_t other = self == from ? to : from;
    while (sl_receive(nic)) {}
    sl_listen(nic, self == to ? (uint32_t)sl_param(nic, EAR) : self == from ? (uint32_t)sl_param(nic, BACK_EAR) : how == CROWDS ? 0 : SL_PORT_NONE);
    if (slot < 4 && how == MEETS)
        for (uint32_t port = 0; port < (uint32_t)sl_param(nic, PORTS); port++) sl_send_ack(nic, port, other);
    if (slot == 0 && self == from) {
        if (how != MEETS) send(nic, (uint32_t)sl_param(nic, PORT), to);
        if (how == AGAIN) send(nic, (uint32_t)sl_param(nic, PORT), to);
        if (how == HOLDS) sl_hold(nic, 9);
        if (how == OVERFLOWS) many(nic, 255, to, 8);
        if (how == QUEUES) many(nic, 20, to, 8);
        if (how == TWO_PORTS) sl_listen(nic, 1);
    }
    if (slot == 0 && self == to && how == LIES) sl_deliver(nic, (sl_packet){from, to});
    if (slot == 0 && self != to && how == OVERTAKES) many(nic, 20, to, 40);
    if (slot == 1 && self == to) send(nic, (uint32_t)sl_param(nic, BACK), from);
    if (slot == 0 && self != from && self != to) sl_deliver(nic, (sl_packet){self, self});
    if (slot == 0 || how != ONCE) sl_result(nic, 0, how == DIFFERS && self == from ? 2 : 1);
    if (slot == 4) sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
