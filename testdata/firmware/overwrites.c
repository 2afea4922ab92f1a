/* Every processor fills the registers that it may write with ones, and behaves after two slots. */
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
    nic->bank.rx_status[nic->cell] = 0xFF;
    nic->registers->flags = 0xFF & ~(SL_FLAG_DONE | SL_FLAG_FAULTY);
    nic->registers->held = 0xFF;
    nic->registers->reserved = 0xFF;
    if (sl_slot(nic) == 2) sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
