/* Uses all that a handler may do, at one port or at all of them in a slot, and with request
 * lists if there are some, as the frames that it receives decide: the same natively and in the
 * sandbox. */
#define STARLOOM_TX_STATUS
#define STARLOOM_REQUESTS
#define STARLOOM_LISTEN_SLOTS 3
#include "starloom.h"

typedef struct {
    uint64_t hash;
    uint32_t taken[3];
} state_t;

STARLOOM_PARAMS("depth=3", "last=40", "asserts=99")
STARLOOM_PROBES("hash", "status", "served", "draw")

static void on_start(sl_nic *nic, state_t *s) {
    s->hash = sl_self(nic) + sl_shape(nic, 1) + sl_workload(nic);
    sl_listen(nic, (uint32_t)sl_param(nic, 0));
    sl_log(nic, "starts");
}

/* Changes what the list asks for, or asks. */
static void ask(sl_nic *nic, uint64_t hash) {
    const uint32_t words = sl_list_words(nic), place = (uint32_t)(hash >> 8) % words;
    switch (hash >> 3 & 7) {
    case 0: sl_set_all_valid(nic); break;
    case 1: sl_set_invalid(nic, place); break;
    case 2: sl_first_choice(nic, (uint32_t)(hash >> 32) % (words + 2)); break;
    case 3:
    case 4: sl_send_ack(nic, 0, SL_LISTED); break;
    default: sl_set_valid(nic, place);
    }
}

static void on_slot(sl_nic *nic, state_t *s) {
    const sl_frame *frame;
    const uint32_t lanes = nic->bank.lanes, words = sl_list_words(nic);
    for (uint32_t port = 0; port < lanes; port++) {
        s->hash = sl_mix64(s->hash + sl_status_of(nic, port) + 8 * sl_tx_status_of(nic, port) + ((uint64_t)sl_served_of(nic, port) << 8));
    }
    for (uint32_t place = 0; place < words; place++) s->hash = s->hash * 3 + (uint32_t)sl_valid(nic, place);
    for (uint32_t k = 0; k < sl_slot(nic) % 4 && (frame = sl_receive(nic)) != 0; k++) {
        s->hash = sl_mix64(s->hash + frame->tag + frame->source + frame->port + frame->payload_bytes);
        s->taken[k % 3]++;
        for (uint32_t i = 0; i < frame->payload_bytes; i++) s->hash = s->hash * 31 + frame->payload[i];
        if (words) ask(nic, s->hash);
        switch (s->hash % 8) {
        case 0: sl_send_ack(nic, frame->port, frame->source); break;
        case 1: lanes > 1 ? sl_withdraw_from(nic, frame->port) : sl_withdraw(nic); break;
        case 2: sl_deliver(nic, *sl_packet_of(frame)); break;
        case 3: sl_listen_in(nic, (uint32_t)s->hash % 3, frame->port); break;
        case 4: sl_result(nic, s->taken[0] % 4, s->hash); break;
        default: {
            sl_frame *out = sl_send(nic, !words && s->hash % 11 == 0 ? SL_PORT_ALL : frame->port, frame->kind, frame->source, frame->payload_bytes);
            for (uint32_t i = 0; i < frame->payload_bytes; i++) out->payload[i] = (uint8_t)(frame->payload[i] + 1);
            out->tag = (uint16_t)s->hash;
        }
        }
    }
    sl_probe(nic, 0, s->hash);
    sl_probe(nic, 1, sl_tx_status(nic));
    sl_probe(nic, 2, sl_served(nic));
    sl_probe(nic, 3, sl_random(nic) + (uint64_t)sl_random_below(nic, 10));
    sl_hold(nic, s->taken[1]);
    if (s->hash % 5 == 0) sl_log(nic, "five");
    if (s->hash % 3 == 0) sl_logf(nic, "hash %llx, %5d|%-4s|%03u", (unsigned long long)s->hash, -(int)s->taken[0], "a", s->taken[1]);
    if (s->hash % 7 == 0) sl_sleep(nic, 3);
    if (sl_slot(nic) == 30) sl_done(nic);
    sl_assert(nic, sl_slot(nic) != (uint32_t)sl_param(nic, 2));
    if (sl_slot(nic) == (uint32_t)sl_param(nic, 1) + sl_self(nic) % 3) sl_fail(nic, -5);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
