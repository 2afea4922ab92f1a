/* Processor 1 overwrites the descriptor of its bank and goes on; all handlers trap from then on. */
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
    if (sl_self(nic) == 1)
        for (uint32_t k = 0; k < sizeof starloom_bank; k++) ((volatile uint8_t *)&starloom_bank)[k] = 0xFF;
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
