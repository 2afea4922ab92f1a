/* Breaks the rule that no link of an Eisenstein-Jacobi network is used both ways in one slot:
 * in slot 2 node 0 sends over its link +rho, and all other nodes over their links -rho, one of
 * which is the same link. */
#include "starloom_ej.h"

typedef struct {
    uint32_t received;
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)nic;
    (void)s;
}

static void on_slot(sl_nic *nic, state_t *s) {
    enum { PLUS_RHO = 1, MINUS_RHO = 4 };
    while (sl_receive(nic)) s->received++;
    if (sl_slot(nic) == 2) sl_ej_send(nic, sl_ej_port(1, sl_self(nic) == 0 ? PLUS_RHO : MINUS_RHO), 8);
    if (sl_slot(nic) == 3) sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
