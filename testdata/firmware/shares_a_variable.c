/* Keeps what it counts in a static variable: each processor's own when it is alone in an
 * instance, everybody's in a bank. It sends the count to its neighbour from slot 2 on. */
#include "starloom_pops.h"

typedef struct {
    uint32_t slots;
} state_t;

static uint32_t count;

static void on_start(sl_nic *nic, state_t *s) {
    (void)nic;
    (void)s;
}

static void on_slot(sl_nic *nic, state_t *s) {
    while (sl_receive(nic)) {
    }
    s->slots++;
    count++;
    sl_listen(nic, 0);
    if (sl_slot(nic) == 2) {
        sl_frame *frame = sl_send(nic, (sl_group(nic) + 1) % sl_groups(nic), SL_KIND_DATA, (sl_self(nic) + 1) % sl_processors(nic), 4);
        *(uint32_t *)frame->payload = count;
    }
    if (sl_slot(nic) == 4) sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
