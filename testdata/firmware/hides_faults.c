/* Faults that no single arbitrary frame brings out: `fault` 0, a word of four bytes in the payload; 1,
 * four frames in their order, one byte each; 2, a byte after the payload, where a longer frame has left
 * something; 3, a kind, flags and a tag; 4, a packet that is announced because of an ack. */
#include "starloom_pops.h"

typedef struct {
    uint32_t heard; /* of the four frames */
} state_t;

STARLOOM_PARAMS("fault=0")

static const uint8_t order[4] = {0x53, 0xA7, 0x1C, 0xE9};

static void on_start(sl_nic *nic, state_t *s) {
    (void)nic;
    (void)s;
}

static void take(sl_nic *nic, const sl_frame *frame, state_t *s, int32_t fault) {
    const uint32_t *words = (const uint32_t *)frame->payload;
    switch (fault) {
    case 0:
        if (frame->payload_bytes >= 8 && words[1] == 0x5EC2E7A1) __builtin_trap();
        break;
    case 1:
        if (frame->payload_bytes < 1) break;
        s->heard = frame->payload[0] == order[s->heard] ? s->heard + 1 : 0;
        if (s->heard == 4) __builtin_trap();
        break;
    case 2:
        sl_send_ack(nic, frame->payload[12] % sl_groups(nic), SL_ANY);
        break;
    case 3:
        if (frame->kind == SL_KIND_CONTROL && frame->flags == 0x5A && frame->tag == 0xBEE5) __builtin_trap();
        break;
    default:
        if (frame->kind == SL_KIND_ACK) sl_deliver(nic, (sl_packet){sl_processors(nic) - 1 - sl_self(nic), sl_self(nic)});
    }
}

static void on_slot(sl_nic *nic, state_t *s) {
    const sl_frame *frame;
    while ((frame = sl_receive(nic)) != 0) take(nic, frame, s, sl_param(nic, 0));
    sl_listen(nic, (sl_group(nic) + sl_groups(nic) - 1) % sl_groups(nic));
    if (sl_slot(nic) == 9) sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
