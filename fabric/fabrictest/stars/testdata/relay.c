/* One packet for all: its source tells both of its stars, and the first processor of each group
 * that it reaches tells the next group, until it has been round. */
#include "starloom.h"

typedef struct {
    uint32_t unused;
} state_t;

STARLOOM_PARAMS("deaf=0") /* 1: the last group hears nothing */

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    uint32_t groups = sl_shape(nic, 0), size = sl_shape(nic, 1), group = sl_self(nic) / size;
    uint32_t home = sl_workload(nic) / size;
    sl_listen(nic, sl_param(nic, 0) && group == groups - 1 ? SL_PORT_NONE : group != home);
}

static void on_slot(sl_nic *nic, state_t *s) {
    (void)s;
    uint32_t groups = sl_shape(nic, 0), size = sl_shape(nic, 1), self = sl_self(nic);
    uint32_t distance = (self / size + groups - sl_workload(nic) / size) % groups;
    sl_packet packet = {sl_workload(nic), SL_ANY};
    if (sl_slot(nic) == 0 && self == sl_workload(nic)) sl_send_packet(nic, SL_PORT_ALL, SL_ANY, packet);
    if (!sl_receive(nic)) return;
    sl_done(nic);
    if (self % size == 0 && distance > 0 && distance < groups - 1) sl_send_packet(nic, 1, SL_ANY, packet);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
