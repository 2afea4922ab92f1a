/* Sends the longest frames that the NIC takes, on POPS(1,2), and one more than fits into the
 * TX FIFO each time; checks every byte of what arrives. */
#include "starloom_pops.h"

typedef struct {
    uint32_t received;
} state_t;

STARLOOM_PARAMS("bytes=0")

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_listen(nic, 1 - sl_self(nic));
}

static void on_slot(sl_nic *nic, state_t *s) {
    uint32_t bytes = (uint32_t)sl_param(nic, 0);
    for (const sl_frame *frame; (frame = sl_receive(nic)); s->received++) {
        if (frame->payload_bytes != bytes) sl_fail(nic, 1);
        for (uint32_t k = 0; k < bytes; k++)
            if (frame->payload[k] != (uint8_t)(k * 7 + frame->source + frame->tag)) sl_fail(nic, 2);
    }
    if (s->received == 3) {
        sl_done(nic);
        return;
    }
    for (uint32_t tries = 0; sl_slot(nic) < 3 && tries < 2; tries++) {
        sl_frame *frame = sl_send(nic, 1 - sl_self(nic), SL_KIND_CONTROL, SL_ANY, bytes);
        frame->tag = (uint16_t)sl_slot(nic);
        for (uint32_t k = 0; k < bytes; k++) frame->payload[k] = (uint8_t)(k * 7 + sl_self(nic) + sl_slot(nic));
    }
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
