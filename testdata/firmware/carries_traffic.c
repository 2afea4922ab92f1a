/* Carries traffic on a crossbar as a user's image may, and, with a fault, not as it should: 1 takes a packet and
 * sends nothing, 2 sends every frame twice, 3 sends packets that are not offered, 4 sends them to the next processor,
 * 5 says that they are the next processor's, 6 sends the frames of a packet in reverse order, 7 never takes. */
#define STARLOOM_TX_STATUS
#include "starloom_traffic.h"

STARLOOM_PARAMS("fault=0", "once=9") /* the fault, and in which packet of a source it is */

typedef struct {
    uint32_t place;
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_listen(nic, 0);
}

static void carry(sl_nic *nic, state_t *s, const sl_offer *offer) {
    const uint32_t next = (sl_self(nic) + 1) % sl_processors(nic);
    uint32_t fault = offer->number == (uint32_t)sl_param(nic, 1) ? (uint32_t)sl_param(nic, 0) : 0;
    sl_traffic head = sl_traffic_of(nic, offer, fault == 6 ? offer->frames - 1 - s->place : s->place);
    if (fault == 3) head.number += 1000;
    if (fault == 4) head.destination = (head.destination + 1) % sl_processors(nic);
    if (fault == 5) head.origin = next;
    if (fault != 1) sl_send_traffic(nic, 0, head.destination, head);
    if (fault == 2) sl_send_traffic(nic, 0, head.destination, head);
    if (++s->place < offer->frames || fault == 7) return;
    sl_take(nic);
    s->place = 0;
}

static void on_slot(sl_nic *nic, state_t *s) {
    sl_offer offer;
    while (sl_receive(nic)) {}
    if (!sl_tx_head(nic) && sl_offered(nic, &offer) && s->place < offer.frames) carry(nic, s, &offer);
    sl_sleep(nic, SL_LONG);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
