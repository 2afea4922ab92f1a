/* Every processor logs three lines when it starts and thirty in every slot, with
 * what would move a terminal's cursor. */
#include "starloom.h"

typedef struct {
    uint32_t unused;
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_log(nic, "start 0");
    sl_log(nic, "start 1");
    sl_log(nic, "start 2");
}

static void on_slot(sl_nic *nic, state_t *s) {
    (void)s;
    char text[] = "slot\033[2J 0\n";
    for (uint32_t k = 0; k < 30; k++) {
        text[9] = (char)('0' + k % 10);
        sl_log(nic, text);
    }
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
