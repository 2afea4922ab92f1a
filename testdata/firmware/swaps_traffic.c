/* Carries traffic on a crossbar, and sends the second of two packets before the first. */
#include "starloom_traffic.h"

typedef struct {
    uint32_t kept;
    sl_traffic head;
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_listen(nic, 0);
}

static void on_slot(sl_nic *nic, state_t *s) {
    sl_offer offer;
    while (sl_receive(nic)) {}
    if (!sl_offered(nic, &offer)) return;
    sl_traffic head = sl_traffic_of(nic, &offer, 0);
    sl_take(nic);
    if (s->kept) {
        sl_send_traffic(nic, 0, head.destination, head);
        sl_send_traffic(nic, 0, s->head.destination, s->head);
    }
    s->head = head;
    s->kept = !s->kept;
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
