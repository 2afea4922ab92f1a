/* pops/one-to-all: the speaker sends to all g couplers of its group, and all
 * processors hear the speaker's group: one slot.
 *
 * A. Mei and R. Rizzi, "On-Line Permutation Routing in Partitioned Optical
 * Passive Star Networks", section 2. The workload's word is the speaker. */
#include "starloom_pops.h"

typedef struct {
    uint32_t heard;
    uint32_t unused;
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_listen(nic, sl_workload(nic) / sl_group_size(nic));
    sl_hold(nic, sl_self(nic) == sl_workload(nic));
}

static void on_slot(sl_nic *nic, state_t *s) {
    const uint32_t speaker = sl_workload(nic);
    if (sl_slot(nic) == 0 && sl_self(nic) == speaker)
        sl_send_packet(nic, SL_PORT_ALL, SL_ANY, (sl_packet){speaker, SL_ANY});
    if (sl_receive(nic)) {
        s->heard = 1;
        sl_hold(nic, 1);
        sl_done(nic);
    }
    sl_sleep(nic, SL_LONG);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
