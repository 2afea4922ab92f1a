/* Logs and shows a probe; every processor is done in slot 2. */
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
    if (sl_self(nic) == 3) sl_log(nic, "hello from the firmware");
    sl_probe(nic, 0, 100 + sl_self(nic) + sl_slot(nic));
    if (sl_slot(nic) == 2) sl_done(nic);
}

STARLOOM_PROBES("answer")
STARLOOM_FIRMWARE(state_t, on_start, on_slot)
