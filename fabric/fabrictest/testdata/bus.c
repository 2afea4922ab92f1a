/* Sends, listens, withdraws and takes at random, at all taps of a vertex: now and then it sends to
 * one bus and listens to another. */
#define STARLOOM_ROM
#define STARLOOM_TX_STATUS
#include "starloom_bus.h"

STARLOOM_PARAMS("slots=40", "one_bus=0", "idle=2") /* one_bus: never two in a slot; idle: it does nothing in idle slots of idle + 2 */

typedef struct {
    uint32_t sum, sent;
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    s->sum = sl_taps(nic) + 3 * sl_vertices(nic) + 5 * sl_bus_length(nic) + 7 * sl_buses(nic) + 11 * (uint32_t)sl_arbitrated(nic);
    for (uint32_t port = 0; port < sl_taps(nic); port++) s->sum = 13 * s->sum + sl_bus_of(nic, port);
}

static void on_slot(sl_nic *nic, state_t *s) {
    s->sum = 33 * s->sum + sl_status(nic) + 5 * sl_tx_status(nic) + 7 * sl_served(nic);
    uint32_t take = sl_slot(nic) < (uint32_t)sl_param(nic, 0) ? sl_random_below(nic, 3) : ~0u;
    for (const sl_frame *frame; take-- && (frame = sl_receive(nic)) != 0;) s->sum += frame->tag + frame->port + 3 * frame->source + frame->payload[0];
    if (sl_slot(nic) >= (uint32_t)sl_param(nic, 0)) { /* the FIFOs become empty */
        sl_listen(nic, SL_PORT_NONE);
        sl_done(nic);
        return;
    }
    if (sl_taps(nic) == 0) return;
    if (sl_tx_status(nic) == SL_TX_BLOCKED && sl_random_below(nic, 8) == 0) sl_withdraw(nic);
    uint32_t listen = sl_random_below(nic, sl_taps(nic) + 1);
    if (sl_random_below(nic, (uint32_t)sl_param(nic, 2) + 2) > 1 && sl_tx_free(nic)) {
        sl_frame *frame = sl_send(nic, sl_random_below(nic, sl_taps(nic)), SL_KIND_CONTROL, sl_random(nic), 1 + sl_random_below(nic, 16));
        frame->tag = (uint16_t)s->sent++;
        frame->payload[0] = (uint8_t)s->sum; /* what this NIC was told is in the digest */
    }
    const sl_frame *head = sl_tx_head(nic);
    if (sl_param(nic, 1) && head) listen = head->port;
    sl_listen(nic, listen < sl_taps(nic) ? listen : SL_PORT_NONE);
    if (sl_random_below(nic, 4) == 0) { /* while its frame waits, too */
        if (!head) sl_listen(nic, SL_PORT_NONE);
        sl_sleep(nic, 1 + sl_random_below(nic, 4));
    }
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
