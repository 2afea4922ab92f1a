/* Announces the packet that is for this processor, on POPS(1,n) with the reverse
 * permutation. What has brought it is a parameter: 0 nothing, 1 a data frame for
 * anybody, 2 a control frame, which the host cannot read, 3 a data frame that comes
 * after the announcement. With 4 every processor announces its own packet, which is for
 * another one, and with 5 one of a processor that does not exist. */
#include "starloom.h"

typedef struct {
    uint32_t unused;
} state_t;

STARLOOM_PARAMS("by=0")

static void on_start(sl_nic *nic, state_t *s) {
    (void)nic;
    (void)s;
}

static void on_slot(sl_nic *nic, state_t *s) {
    (void)s;
    const int32_t by = sl_param(nic, 0);
    const uint32_t self = sl_self(nic), other = sl_processors(nic) - 1 - self;
    const sl_packet mine = {self, sl_workload(nic)};
    sl_listen(nic, other);
    if (sl_slot(nic) == 0 && by > 0 && by < 4) {
        sl_frame *frame = sl_send(nic, other, by == 2 ? SL_KIND_CONTROL : SL_KIND_DATA, SL_ANY, sizeof mine);
        if (frame) *(sl_packet *)frame->payload = mine;
    }
    while (sl_receive(nic)) {}
    if (sl_slot(nic) == (by == 1 || by == 2)) {
        const uint32_t origin = by == 4 ? self : by == 5 ? 9 : sl_workload(nic); /* reverse: its own inverse */
        sl_deliver(nic, (sl_packet){origin, self});
    }
    if (sl_slot(nic) == 1) sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
