/* Floods an Eisenstein-Jacobi network with the message of one source: a node that receives it for
 * the first time sends it to all of its neighbours in the next slot, to those that have it, too. */
#include "starloom_ej.h"

typedef struct {
    uint8_t sent;
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)nic;
    (void)s;
}

static void on_slot(sl_nic *nic, state_t *s) {
    uint32_t has = sl_self(nic) == sl_ej_source(nic);
    while (sl_receive(nic)) has = 1;
    if (has && !s->sent) {
        for (uint32_t port = 0; port < sl_ports(nic); port++) sl_ej_send(nic, port, 8);
        s->sent = 1;
    }
    if (sl_slot(nic) > 4) sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
