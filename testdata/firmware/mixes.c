/* Sends frames of several sizes for some slots by the ports that a parameter has a bit for: through routers to anybody, over others in
 * turn. Takes what comes, and one frame less in some slots. */
#include "starloom_netlist.h"

STARLOOM_PARAMS("ports=255", "slots=40", "routed=255")
enum { PORTS, SLOTS, ROUTED };

typedef struct {
    uint32_t received;
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)nic;
    (void)s;
}

static void on_slot(sl_nic *nic, state_t *s) {
    const uint32_t n = sl_processors(nic);
    while (sl_receive(nic)) {
        if (++s->received % 5 == 0 && sl_slot(nic) < (uint32_t)sl_param(nic, SLOTS)) break;
    }
    for (uint32_t port = 0; port < sl_own_ports(nic) && sl_slot(nic) < (uint32_t)sl_param(nic, SLOTS); port++) {
        const uint32_t draw = (uint32_t)(sl_mix64(((uint64_t)sl_slot(nic) << 20 | sl_self(nic)) * 1000003u + port) >> 20);
        if (!((uint32_t)sl_param(nic, PORTS) >> port & 1) || sl_sends_to(nic, port) == SL_NOWHERE || sl_tx_free(nic) == 0) continue;
        const int routed = sl_at_router(nic, port);
        if (routed ? draw % 3 != 0 : sl_slot(nic) % n != sl_self(nic)) continue;
        sl_send(nic, (uint16_t)port, SL_KIND_DATA, draw / 8 % (routed ? (uint32_t)sl_param(nic, ROUTED) : n), 8 + draw / 64 % 3 * 8);
    }
    if (sl_slot(nic) >= (uint32_t)sl_param(nic, SLOTS)) sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
