/* Breaks exactly_once of one_to_all: all listen on when they have the packet of processor 0, which sends it twice. */
#include "starloom.h"

typedef struct {
    uint32_t unused;
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_listen(nic, 0);
}

static void on_slot(sl_nic *nic, state_t *s) {
    (void)s;
    if (sl_slot(nic) < 2 && sl_self(nic) == 0) sl_send_packet(nic, SL_PORT_ALL, SL_ANY, (sl_packet){0, 0});
    while (sl_receive(nic)) sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
