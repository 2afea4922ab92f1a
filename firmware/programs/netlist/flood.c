/* netlist/flood: who knows the packet tells everybody at the other ends of its ports.
 *
 * Where frames of several senders may meet on a medium, or a NIC hears one port at a time, each
 * processor sends in its turn only, one processor in a slot. Elsewhere it sends in the slot after
 * that in which it has heard. It sends once, but where NICs hear one port at a time: they hear their
 * ports in turn, each for as many slots as there are processors, and it sends as often as any has
 * ports. The workload's word is the processor that knows the packet first; it hears it as well. */
#include "starloom_netlist.h"

typedef struct {
    uint32_t knows, left; /* times that it is still to be sent */
} state_t;

static void learn(const sl_nic *nic, state_t *s) {
    if (s->knows) return;
    s->knows = 1;
    for (uint32_t port = 0; port < sl_own_ports(nic); port++) /* does a way lead out of any? */
        if (sl_sends_to(nic, port) != SL_NOWHERE) s->left = sl_hears_one(nic) ? sl_ports(nic) : 1;
}

static void on_start(sl_nic *nic, state_t *s) {
    if (sl_self(nic) == sl_workload(nic)) learn(nic, s);
}

static void on_slot(sl_nic *nic, state_t *s) {
    uint32_t slot = sl_slot(nic), n = sl_processors(nic), turns = sl_may_meet(nic) || sl_hears_one(nic);
    while (sl_receive(nic)) {
        learn(nic, s);
        sl_done(nic);
    }
    if (s->left && (!turns || slot % n == sl_self(nic))) {
        sl_send_packet(nic, SL_PORT_ALL, SL_ANY, (sl_packet){sl_workload(nic), SL_ANY});
        s->left--;
    }
    if (sl_hears_one(nic)) sl_listen(nic, slot / n % sl_own_ports(nic));
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
