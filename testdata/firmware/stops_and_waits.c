/* Stop and wait between two processors: a packet is sent again until its number is acknowledged. The acknowledgement has the number in the
 * other byte order, so that only packet 0 is ever acknowledged. */
#include "starloom_traffic.h"

typedef struct {
    uint32_t number, expected, waiting, timer;
    sl_traffic head;
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_listen(nic, 0);
}

static void put(sl_nic *nic, uint32_t kind, sl_traffic head, uint32_t number) {
    sl_frame *frame = sl_send(nic, 0, kind, 1 - sl_self(nic), 16);
    *(sl_traffic *)frame->payload = head;
    *(uint32_t *)(frame->payload + 12) = number;
}

static void on_slot(sl_nic *nic, state_t *s) {
    const sl_frame *frame;
    sl_offer offer;
    while ((frame = sl_receive(nic))) {
        uint32_t number = *(const uint32_t *)(frame->payload + 12);
        if (frame->kind == SL_KIND_DATA) {
            if (number == s->expected) s->expected = number + 1;
            if (s->expected > number) put(nic, SL_KIND_ACK, *sl_traffic_in(frame), __builtin_bswap32(number));
        } else if (s->waiting && number == s->number) {
            s->waiting = 0;
            s->number++;
        }
    }
    if (s->waiting) {
        if (sl_slot(nic) - s->timer < 8) return;
    } else {
        if (!sl_offered(nic, &offer)) return;
        sl_take(nic);
        s->head = sl_traffic_of(nic, &offer, 0);
        s->waiting = 1;
    }
    s->timer = sl_slot(nic);
    put(nic, SL_KIND_DATA, s->head, s->number);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
