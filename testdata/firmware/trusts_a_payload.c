/* Faults that good neighbours never bring out: `fault` 0, an index from the payload that nobody
 * checks; 1, a division by a byte of the payload; 2, a loop that runs as long as a word of the
 * payload says; 3, an assertion about the payload. 4 is none: it gives up on some payloads. */
#include "starloom_pops.h"

typedef struct {
    uint32_t sum, table[8];
} state_t;

STARLOOM_PARAMS("fault=0")

static void on_start(sl_nic *nic, state_t *s) {
    (void)nic;
    (void)s;
}

static void take(sl_nic *nic, const sl_frame *frame, state_t *s, int32_t fault) {
    const uint32_t *words = (const uint32_t *)frame->payload;
    volatile uint32_t *sum = &s->sum;
    switch (fault) {
    case 0: s->table[words[1]]++; break;
    case 1: *sum += 1000 / frame->payload[5]; break;
    case 3: sl_assert(nic, words[1] < 8); break;
    case 4:
        if (words[1] >= 8) sl_fail(nic, 9);
        break;
    default:
        for (uint32_t left = words[1]; left != 0; left--) *sum += left;
    }
}

static void on_slot(sl_nic *nic, state_t *s) {
    const sl_frame *frame;
    while ((frame = sl_receive(nic)) != 0)
        if (frame->kind == SL_KIND_DATA && frame->payload_bytes >= 8) take(nic, frame, s, sl_param(nic, 0));
    sl_listen(nic, (sl_group(nic) + sl_groups(nic) - 1) % sl_groups(nic));
    if (sl_slot(nic) < 4 && sl_self(nic) == 0) {
        uint32_t *words = (uint32_t *)sl_send(nic, 1, SL_KIND_DATA, 2, 8)->payload;
        words[0] = 0xA5;
        words[1] = sl_param(nic, 0) == 1 ? 0x0100 : 3;
    }
    if (sl_slot(nic) == 6) sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
