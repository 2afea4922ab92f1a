/* bus/traffic: packets of any size to the vertices of the own bus.
 *
 * Every vertex has one tap, where it sends and always listens. On a bus with an arbiter, a frame and all
 * after it wait for the grant; without one, each frame is sent once, and is lost if another is sent in
 * the same slot. */
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
