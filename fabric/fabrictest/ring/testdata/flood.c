/* Sends, hears and takes at random: control frames to each port and to all, more than the
 * links carry and the FIFOs hold. */
#define STARLOOM_TX_STATUS
#include "starloom.h"

typedef struct {
    uint32_t sent;
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)nic;
    (void)s;
}

static void on_slot(sl_nic *nic, state_t *s) {
    uint32_t sum = 0;
    for (uint32_t port = 0; port < sl_ports(nic); port++) {
        uint32_t status = sl_tx_status_of(nic, port);
        sum += (status + 5 * sl_served_of(nic, port) + 7 * sl_status_of(nic, port)) << port;
        if (status == SL_TX_BLOCKED && sl_random_below(nic, 4) == 0) sl_withdraw_from(nic, port);
    }
    uint32_t take = sl_random_below(nic, 5);
    if (sl_slot(nic) >= 30) { /* the FIFOs become empty */
        take = ~0u;
        sl_done(nic);
    }
    for (const sl_frame *frame; take-- && (frame = sl_receive(nic));) sum += frame->tag + frame->port + frame->payload[0];
    if (sl_slot(nic) >= 30) return;
    for (uint32_t k = sl_random_below(nic, 4); k > 0; k--) {
        uint32_t port = sl_random_below(nic, sl_ports(nic) + 1), bytes = sl_random_below(nic, 16) + 1;
        sl_frame *frame = sl_send(nic, port == sl_ports(nic) ? SL_PORT_ALL : port, SL_KIND_CONTROL, sl_random_below(nic, 9), bytes);
        frame->tag = (uint16_t)s->sent++;
        frame->payload[0] = (uint8_t)sum; /* what this NIC was told is in the digest */
    }
    uint32_t hear = sl_random_below(nic, sl_ports(nic) + 6);
    sl_listen(nic, hear < sl_ports(nic) ? hear : hear == sl_ports(nic) ? SL_PORT_NONE : SL_PORT_ALL);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
