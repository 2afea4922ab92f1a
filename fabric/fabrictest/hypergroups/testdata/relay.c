/* One packet for all: its source tells its group, the head of that group the joining star, and the
 * heads of the others their groups. */
#include "starloom.h"

typedef struct {
    uint32_t told;
} state_t;

STARLOOM_PARAMS("deaf=0", "noisy=0", "astray=0") /* deaf: the last group hears nothing; noisy: all relay; astray: the last processor sends by port 1 */

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    uint32_t groups = sl_shape(nic, 0), size = sl_shape(nic, 1), self = sl_self(nic);
    uint32_t group = self / size, home = sl_workload(nic) / size;
    if (sl_param(nic, 0) && group == groups - 1) sl_listen(nic, SL_PORT_NONE);
    else sl_listen(nic, self % size == 0 && group != home);
}

static void on_slot(sl_nic *nic, state_t *s) {
    uint32_t size = sl_shape(nic, 1), self = sl_self(nic), source = sl_workload(nic);
    uint32_t head = self % size == 0, home = self / size == source / size;
    sl_packet packet = {source, SL_ANY};
    if (sl_slot(nic) == 0 && self == source) sl_send_packet(nic, head ? SL_PORT_ALL : 0, SL_ANY, packet);
    if (sl_param(nic, 2) && sl_slot(nic) == 0 && self == sl_processors(nic) - 1) sl_send_packet(nic, 1, SL_ANY, packet);
    if (!sl_receive(nic)) return;
    sl_done(nic);
    if (s->told) return;
    s->told = 1;
    if (self == source) return;
    if (head) sl_send_packet(nic, home, SL_ANY, packet);
    else if (sl_param(nic, 1) && !home) sl_send_packet(nic, 0, SL_ANY, packet);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
