/* Keeps a count in a static variable, which all processors of a bank share: alone, a
 * processor counts only its own turns. */
#include "starloom.h"

typedef struct {
    uint32_t unused;
} state_t;

static uint32_t turns;

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_listen(nic, 0);
}

static void on_slot(sl_nic *nic, state_t *s) {
    (void)s;
    turns++;
    if (sl_slot(nic) == 2) sl_send(nic, 0, SL_KIND_DATA, 0, 4)->payload[0] = (uint8_t)turns;
    if (sl_slot(nic) == 3) sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
