/* Has a page more than 256 MiB of data of its own. */
#include "starloom.h"

typedef struct {
    uint32_t unused;
} state_t;

static uint8_t table[256 << 20];

static void on_start(sl_nic *nic, state_t *s) {
    (void)nic;
    (void)s;
}

static void on_slot(sl_nic *nic, state_t *s) {
    (void)s;
    ((volatile uint8_t *)table)[sizeof table - 1] = 1;
    sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
