/* netlist/flood: a processor that knows the packet sends it once to all neighbours.
 *
 * It sends as soon as it may: see sl_tell in starloom_netlist.h. The workload's word is the processor
 * that knows the packet first; this processor hears it as well. */
#define STARLOOM_TX_STATUS
#define STARLOOM_STATE_BYTES (bank->ports * (uint32_t)sizeof(sl_told))
#include "starloom_netlist.h"

typedef struct {
    uint32_t knows, packet;
    sl_told told[]; /* of each port */
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    s->packet = sl_workload(nic) & 0xffffff;
    s->knows = sl_self(nic) == s->packet;
    sl_hear_rounds(nic);
}

static void on_slot(sl_nic *nic, state_t *s) {
    while (sl_receive(nic)) {
        s->knows = 1;
        sl_done(nic);
    }
    sl_tell(nic, s->told, &s->packet, s->knows != 0);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
