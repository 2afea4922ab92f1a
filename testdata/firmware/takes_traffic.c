/* Takes every packet of traffic that it is offered, and sends nothing. */
#include "starloom_traffic.h"

typedef struct {
    uint32_t unused;
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_listen(nic, 0);
}

static void on_slot(sl_nic *nic, state_t *s) {
    sl_offer offer;
    (void)s;
    if (sl_offered(nic, &offer)) sl_take(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
