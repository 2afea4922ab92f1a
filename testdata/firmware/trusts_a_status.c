/* For NICs that use all ports in one slot: traps when port 3 has received a frame with a wrong CRC
 * and port 5 at the same time one that did not fit. */
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
    if (sl_status_of(nic, 3) == SL_STATUS_CRC && sl_status_of(nic, 5) == SL_STATUS_OVERFLOW) __builtin_trap();
    if (sl_slot(nic) == 4) sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
