/* Shows its first two draws of every slot, for the comparison with hw.Stream. */
#include "starloom.h"
typedef struct {
    uint32_t unused;
} state_t;
STARLOOM_PROBES("first", "second")
static void on_start(sl_nic *nic, state_t *s) {
    (void)nic;
    (void)s;
}
static void on_slot(sl_nic *nic, state_t *s) {
    (void)s;
    sl_probe(nic, 0, sl_random(nic));
    sl_probe(nic, 1, sl_random_below(nic, 1000));
}
STARLOOM_FIRMWARE(state_t, on_start, on_slot)
