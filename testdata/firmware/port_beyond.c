/* Sends to a port that there is not: its NIC has as many as sl_ports says, counted from 0. */
#include "starloom.h"

typedef struct {
    uint32_t none;
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_send_ack(nic, sl_ports(nic), 0);
    sl_done(nic);
}

static void on_slot(sl_nic *nic, state_t *s) {
    (void)nic;
    (void)s;
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
