/* Shows a chance and some bits in every slot, for the comparison with hw.Stream. */
#include "starloom.h"
typedef struct {
    uint32_t unused;
} state_t;
STARLOOM_PROBES("chance", "bits", "none")
static void on_start(sl_nic *nic, state_t *s) {
    (void)nic;
    (void)s;
}
static void on_slot(sl_nic *nic, state_t *s) {
    (void)s;
    sl_probe(nic, 0, (uint64_t)sl_chance(nic, 3, 10));
    sl_probe(nic, 1, sl_random_bits(nic, 5));
    sl_probe(nic, 2, sl_random_bits(nic, 0));
}
STARLOOM_FIRMWARE(state_t, on_start, on_slot)
