/* Asks for memory without end: the sandbox refuses, and only then is it done. */
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
    while (__builtin_wasm_memory_grow(0, 64) != (uint32_t)-1) {
    }
    sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
