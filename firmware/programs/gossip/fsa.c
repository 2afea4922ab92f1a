/* gossip/fsa: the automaton of permutation-driven gossiping on a crossbar; its messages are
 * empty.
 *
 * scheduling: 0 requests one addressee at a time; 2 (Algorithm 2) requests all remaining ones,
 * the one under the cursor first; 3 (Algorithm 2') requests all remaining ones in their order. */
#include "starloom_gossip.h"

STARLOOM_PARAMS("scheduling=0")
enum { SCHEDULING };

typedef struct {
    sl_gossip gossip;
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_gossip_start(nic);
}

static void on_slot(sl_nic *nic, state_t *s) {
    const int32_t scheduling = sl_param(nic, SCHEDULING);
    while (sl_gossip_receive(nic, &s->gossip)) {}
    for (;;) {
        switch (sl_gossip_next(nic, &s->gossip, scheduling)) {
        case SL_GOSSIP_SEND: sl_gossip_send(nic, &s->gossip, scheduling, 0); break;
        case SL_GOSSIP_WAIT: return;
        }
    }
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
