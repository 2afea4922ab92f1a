/* Every packet but that of processor 1 takes one hop in slot 0, on POPS(1,4) with the
 * reverse permutation. Where that one is lost, in slot 1, is a parameter: 0 its
 * destination does not listen, 1 the destination's RX FIFO is full, 2 processor 3 keeps
 * it, 3 it comes in a frame for anybody,
 * 4 processor 3 keeps it, and its sender hears itself, 5 as 0, and processor 0 traps
 * later. */
#include "starloom.h"

typedef struct {
    uint32_t unused;
} state_t;

STARLOOM_PARAMS("how=0")

static void on_start(sl_nic *nic, state_t *s) {
    (void)nic;
    (void)s;
}

static void on_slot(sl_nic *nic, state_t *s) {
    (void)s;
    const uint32_t self = sl_self(nic), other = sl_processors(nic) - 1 - self;
    const int32_t how = sl_param(nic, 0);
    const sl_packet mine = {self, sl_workload(nic)};
    if (sl_slot(nic) == 0) {
        sl_listen(nic, other);
        if (self != 1) sl_send_packet(nic, other, other, mine);
        if (self == 1 && how == 1) sl_send_ack(nic, other, other);
        return;
    }
    sl_listen(nic, SL_PORT_NONE);
    if (sl_slot(nic) == 1) {
        if (self == 1) sl_send_packet(nic, how == 4 ? SL_PORT_ALL : how == 2 ? 3 : 2, how >= 3 && how <= 4 ? SL_ANY : 2, mine);
        if ((self == 1 || self == 3) && how == 4) sl_listen(nic, 1);
        if (self == 2 && (how == 1 || how == 3)) sl_listen(nic, 1);
        if (self == 3 && how == 2) sl_listen(nic, 1);
    }
    if (sl_slot(nic) == 2 && how == 5 && self == 0) __builtin_trap();
    if (how != 1 || self != 2) while (sl_receive(nic)) {}
    if (sl_slot(nic) == 3) sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
