/* One-to-all on POPS(d,g) in one slot: processor 0 sends to all couplers that
 * leave its group, everybody hears that group.
 *
 *     starloom firmware build examples/hello/hello.c
 *     starloom run examples/hello/hello.yaml */
#include "starloom.h"

typedef struct {
    uint32_t word;  /* what processor 0 has said */
    uint32_t heard; /* 1 once it is here */
} state_t;

STARLOOM_PARAMS("word=42")
STARLOOM_PROBES("word")

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_listen(nic, 0); /* port p of the receiver hears group p */
}

static void on_slot(sl_nic *nic, state_t *s) {
    if (sl_slot(nic) == 0 && sl_self(nic) == 0) {
        sl_frame *frame = sl_send(nic, SL_PORT_ALL, SL_KIND_DATA, SL_ANY, sizeof s->word);
        *(uint32_t *)frame->payload = (uint32_t)sl_param(nic, 0);
    }
    const sl_frame *frame = sl_receive(nic);
    if (frame) {
        s->word = *(const uint32_t *)frame->payload;
        s->heard = 1;
        sl_probe(nic, 0, s->word);
        sl_done(nic);
    }
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
