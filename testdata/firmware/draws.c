/* Both processors draw in every slot until slot 3. The parameter "mode" selects the draws:
 *   0  sl_chance and sl_random_below(3): processor 1 fails for outcomes 1 and 2 in slot 2
 *   1  sl_random
 *   2  thirteen bits in slot 2
 *   3  until both have drawn 1: some runs do not end, but all can
 *   4  never an end, whatever is drawn
 *   5  outcomes that cannot happen: of sl_chance 0 and sl_chance 1 */
#include "starloom.h"

typedef struct {
    uint32_t steps;
} state_t;

STARLOOM_PARAMS("mode=0")

static void on_start(sl_nic *nic, state_t *s) {
    (void)nic;
    (void)s;
}

static void on_slot(sl_nic *nic, state_t *s) {
    switch (sl_param(nic, 0)) {
    case 0: {
        int first = sl_chance(nic, 3, 3) && sl_chance(nic, 1, 2);
        uint32_t second = sl_random_below(nic, 3);
        if (sl_self(nic) == 1 && s->steps == 2 && first && second == 2) sl_fail(nic, 7);
        break;
    }
    case 1:
        if (sl_random(nic) == 5) sl_fail(nic, 1);
        break;
    case 2: {
        uint32_t ones = 0;
        for (uint32_t k = 0; s->steps == 2 && k < 13; k++) ones += sl_random_bits(nic, 1);
        if (ones == 14) sl_fail(nic, 2);
        break;
    }
    case 3:
        if (sl_random_bits(nic, 1)) sl_done(nic);
        return;
    case 4:
        if (sl_random_bits(nic, 2) == 3) s->steps ^= 1;
        return;
    case 5:
        if (sl_chance(nic, 0, 2) || !sl_chance(nic, 2, 2)) sl_fail(nic, 1);
        break;
    }
    if (s->steps++ == 3) sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
