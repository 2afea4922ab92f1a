/* Sends its packet by its last port, where it also listens: two processors whose last ports are linked. */
#include "starloom.h"

typedef struct {
    uint32_t unused;
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)nic;
    (void)s;
}

static void on_slot(sl_nic *nic, state_t *s) {
    (void)s;
    const uint32_t self = sl_self(nic), port = sl_ports(nic) - 1;
    sl_listen(nic, port);
    if (sl_slot(nic) == 0) sl_send_packet(nic, port, sl_workload(nic), (sl_packet){self, sl_workload(nic)});
    sl_receive(nic);
    sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
