/* Every packet goes the shorter way round a ring until it is at home. All move in step, so
 * nobody holds more than two: one for each way. */
#define STARLOOM_TX_STATUS
#include "starloom.h"

typedef struct {
    uint32_t sent[2]; /* at each port in the slot before */
} state_t;

STARLOOM_PARAMS("lazy=0") /* 1: node 0 keeps what it should pass on */

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_hold(nic, 1);
}

static void on_slot(sl_nic *nic, state_t *s) {
    uint32_t n = sl_processors(nic), own = sl_slot(nic) == 0, held = 0;
    for (uint32_t port = 0; port < 2; port++) { /* nothing blocks: what was sent has left */
        if (sl_tx_status_of(nic, port) != (s->sent[port] ? SL_TX_SENT : SL_TX_NONE)) sl_fail(nic, 1);
        s->sent[port] = 0;
    }
    for (const sl_frame *frame; own || (frame = sl_receive(nic)); own = 0) {
        sl_packet packet = own ? (sl_packet){sl_self(nic), sl_workload(nic)} : *sl_packet_of(frame);
        if (!own && packet.destination == sl_self(nic)) {
            sl_done(nic);
        } else if (own || !sl_param(nic, 0) || sl_self(nic)) {
            uint32_t port = own ? (packet.destination + n - sl_self(nic)) % n <= n / 2 : !frame->port;
            sl_send_packet(nic, port, packet.destination, packet);
            s->sent[port] = 1;
            held++;
        }
    }
    sl_hold(nic, held);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
