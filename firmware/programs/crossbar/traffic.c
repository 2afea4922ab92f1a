/* crossbar/traffic: packets of any size, straight to their destinations.
 *
 * It always listens. Frames of a packet are sent one after the other; one that is blocked waits, and all
 * behind it: the input is a queue, first come, first served. */
#define STARLOOM_TX_STATUS
#include "starloom_traffic.h"

typedef struct {
    uint32_t place; /* of the next frame of the packet that is offered */
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_listen(nic, 0);
}

static void on_slot(sl_nic *nic, state_t *s) {
    sl_offer offer;
    while (sl_receive(nic) != 0) {}
    if (!sl_tx_head(nic) && sl_offered(nic, &offer)) {
        sl_send_traffic(nic, 0, offer.destination, sl_traffic_of(nic, &offer, s->place));
        if (++s->place == offer.frames) {
            sl_take(nic);
            s->place = 0;
        }
    }
    sl_sleep(nic, SL_LONG); /* until something was received or sent, or a packet is offered */
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
