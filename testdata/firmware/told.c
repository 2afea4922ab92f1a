/* Firmware for POPS(1,n) that sends its packet straight to its destination and is done when
 * it has been told so. Between, it sleeps. */
#define STARLOOM_TX_STATUS
#include "starloom_pops.h"

typedef struct {
    uint32_t told;
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_listen(nic, sl_groups(nic) - 1 - sl_self(nic)); /* reverse */
}

static void on_slot(sl_nic *nic, state_t *s) {
    uint32_t status = sl_tx_status(nic), due = 2 + sl_self(nic) % 2; /* slots of its own */
    if (status != (s->told == 1 ? SL_TX_SENT : SL_TX_NONE)) sl_fail(nic, 1);
    if (s->told == 1) {
        if (sl_served(nic) != sl_workload(nic) || sl_tx_head(nic)) sl_fail(nic, 2);
        s->told = 2;
        sl_done(nic);
    }
    if (sl_slot(nic) == due) {
        sl_send_packet(nic, sl_workload(nic), sl_workload(nic), (sl_packet){sl_self(nic), sl_workload(nic)});
        s->told = 1;
    }
    while (sl_receive(nic)) {}
    sl_sleep(nic, sl_slot(nic) < due ? due - sl_slot(nic) : SL_LONG);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
