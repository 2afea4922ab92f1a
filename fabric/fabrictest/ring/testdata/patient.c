/* The router of router.c on links that are shut at times: it follows what becomes of each
 * frame, and sleeps in between. */
#define STARLOOM_TX_STATUS
#include "starloom.h"

typedef struct {
    uint32_t queued, blocked, arrived;
} state_t;

STARLOOM_PARAMS("withdraw=0", "depth=2") /* withdraw: each second time that a frame is blocked it has to queue again */

static void check(sl_nic *nic, int holds, int32_t code) {
    if (!holds) sl_fail(nic, code);
}

static void on_start(sl_nic *nic, state_t *s) {
    sl_listen(nic, 0);
    check(nic, sl_tx_status_of(nic, 1) == SL_TX_NONE && s->queued == 0, 1);
}

static void queue(sl_nic *nic, state_t *s, sl_packet packet) {
    sl_send_packet(nic, 1, packet.destination, packet);
    s->queued++;
}

static void on_slot(sl_nic *nic, state_t *s) {
    uint32_t status = sl_tx_status_of(nic, 1);
    check(nic, (status == SL_TX_NONE) == (s->queued == 0), 2);
    check(nic, (sl_tx_head(nic) != 0) == (s->queued > (status == SL_TX_SENT)), 3);
    if (status == SL_TX_SENT) s->queued--;
    if (status == SL_TX_BLOCKED) {
        sl_packet packet = *sl_packet_of(sl_tx_head(nic));
        check(nic, sl_served_of(nic, 1) == packet.destination, 4);
        if (sl_param(nic, 0) && ++s->blocked % 2 == 0) {
            sl_withdraw_from(nic, 1);
            s->queued--;
            queue(nic, s, packet);
        }
    }
    if (sl_slot(nic) == 0) queue(nic, s, (sl_packet){sl_self(nic), sl_workload(nic)});
    for (const sl_frame *frame; (frame = sl_receive(nic));) {
        sl_packet packet = *sl_packet_of(frame);
        if (packet.destination == sl_self(nic))
            s->arrived = 1;
        else
            queue(nic, s, packet);
    }
    check(nic, sl_tx_free(nic) == (uint32_t)sl_param(nic, 1) - s->queued, 5);
    if (s->arrived && s->queued == 0) sl_done(nic); /* it has to be called when its last frame was sent */
    sl_sleep(nic, SL_LONG);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
