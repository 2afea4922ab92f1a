/* netlist/unicast: at routers, the source sends the packet to each processor, one frame after the other.
 *
 * The workload's word is the source, which hears the packet as well. */
#include "starloom.h"

typedef struct {
    uint32_t next; /* of the source: whom it sends to next */
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    if (sl_self(nic) == sl_workload(nic)) sl_done(nic);
}

static void on_slot(sl_nic *nic, state_t *s) {
    while (sl_receive(nic)) sl_done(nic);
    if (sl_self(nic) != sl_workload(nic)) {
        sl_sleep(nic, SL_LONG); /* until something comes */
        return;
    }
    for (; s->next < sl_processors(nic) && sl_tx_free(nic) > 0; s->next++)
        if (s->next != sl_self(nic)) sl_send_packet(nic, 0, s->next, (sl_packet){sl_self(nic), s->next});
    if (s->next >= sl_processors(nic)) sl_sleep(nic, SL_LONG);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
