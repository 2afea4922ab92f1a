/* The reference for the broken ones: on POPS(1,n) with the reverse permutation every
 * packet takes one hop, and every processor knows whom to hear. Keeps all rules. */
#include "starloom.h"

typedef struct {
    uint32_t unused;
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)nic;
    (void)s;
}

static void on_slot(sl_nic *nic, state_t *s) {
    (void)s;
    const uint32_t self = sl_self(nic);
    sl_listen(nic, sl_processors(nic) - 1 - self);
    if (sl_slot(nic) == 0) sl_send_packet(nic, sl_workload(nic), sl_workload(nic), (sl_packet){self, sl_workload(nic)});
    sl_receive(nic);
    sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
