/* netlist/direct: at routers, which carry a frame to its addressee, each processor sends its packet directly.
 *
 * The workload's word is the destination of the processor's own packet. It is queued in on_start. */
#include "starloom.h"

typedef struct {
    uint32_t received;
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_send_packet(nic, 0, sl_workload(nic), (sl_packet){sl_self(nic), sl_workload(nic)});
}

static void on_slot(sl_nic *nic, state_t *s) {
    while (sl_receive(nic)) s->received++;
    if (s->received) sl_done(nic);
    sl_sleep(nic, SL_LONG); /* until something comes */
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
