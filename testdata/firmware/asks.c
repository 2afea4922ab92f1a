/* Asks at random on a network whose frames go to the output of a processor: for one output or
 * for any of its list, with random tags, payloads and queues; withdraws, sleeps, listens and
 * filters at random. It checks that its NIC tells it no lies. */
#define STARLOOM_TX_STATUS
#define STARLOOM_TAGS
#define STARLOOM_REQUESTS
#include "starloom.h"

STARLOOM_PARAMS("lists=0")

typedef struct {
    uint32_t queued, tags; /* frames that were queued, taken or withdrawn; the filter of the slot before plus 1, 0 for any */
    uint32_t heard;
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_listen(nic, 0);
}

static void on_slot(sl_nic *nic, state_t *s) {
    const sl_frame *frame;
    while ((frame = sl_receive(nic))) {
        if (frame->destination != sl_self(nic)) sl_fail(nic, 1);
        if (s->tags && frame->tag != s->tags - 1) sl_fail(nic, 2);
        s->heard++;
    }
    if (sl_tx_status(nic) == SL_TX_SENT) {
        if (s->queued-- == 0) sl_fail(nic, 3);
        if (sl_served(nic) >= sl_processors(nic)) sl_fail(nic, 4);
    }
    if (sl_tx_status(nic) == SL_TX_NONE && s->queued && sl_slot(nic) && !sl_tx_head(nic)) sl_fail(nic, 5);
    if (sl_random_below(nic, 5) == 0 && sl_tx_head(nic)) {
        sl_withdraw(nic);
        s->queued--;
    }
    for (uint32_t frames = sl_random_below(nic, 3); frames-- && sl_tx_free(nic); s->queued++) {
        const int listed = sl_param(nic, 0) && sl_random_below(nic, 2);
        sl_frame *sent = sl_send(nic, 0, SL_KIND_DATA + sl_random_below(nic, 3), listed ? SL_LISTED : sl_random_below(nic, sl_processors(nic)),
                                 sl_random_below(nic, 9));
        sent->tag = (uint16_t)sl_random_below(nic, 3);
        sent->flags = (uint8_t)sl_random(nic);
        for (uint32_t k = 0; k < sent->payload_bytes; k++) sent->payload[k] = (uint8_t)sl_random(nic);
    }
    if (sl_param(nic, 0) && sl_random_below(nic, 4) == 0) sl_set_all_valid(nic);
    if (sl_param(nic, 0) && sl_list_words(nic)) {
        sl_first_choice(nic, sl_random_below(nic, sl_list_words(nic) + 1));
        sl_set_invalid(nic, sl_random_below(nic, sl_list_words(nic)));
    }
    sl_listen(nic, sl_random_below(nic, 3) ? 0 : SL_PORT_NONE);
    s->tags = sl_random_below(nic, 3);
    sl_accept(nic, s->tags ? s->tags - 1 : SL_TAG_ANY);
    if (sl_random_below(nic, 3) == 0) sl_sleep(nic, 1 + sl_random_below(nic, 4));
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
