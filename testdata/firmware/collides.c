/* Breaks collision_free: all processors of a group send to group 0 in slot 3, acks, or
 * frames of two kinds. */
#include "starloom.h"

typedef struct {
    uint32_t unused;
} state_t;

STARLOOM_PARAMS("kinds=0")

static void on_start(sl_nic *nic, state_t *s) {
    (void)nic;
    (void)s;
}

static void on_slot(sl_nic *nic, state_t *s) {
    (void)s;
    if (sl_slot(nic) == 2) sl_send(nic, 0, sl_param(nic, 0) && sl_self(nic) % 2 ? SL_KIND_DATA : SL_KIND_ACK, SL_ANY, 0);
    if (sl_slot(nic) == 4) sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
