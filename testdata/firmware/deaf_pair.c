/* Processors 0 and 1 send to 2 and 3, which never listen: on a crossbar the frames wait for ever. */
#include "starloom.h"

typedef struct {
    uint32_t unused;
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    if (sl_self(nic) < 2) sl_send_ack(nic, 0, sl_self(nic) + 2);
    else sl_done(nic);
}

static void on_slot(sl_nic *nic, state_t *s) {
    (void)s;
    if (sl_self(nic) < 2) sl_listen(nic, 0);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
