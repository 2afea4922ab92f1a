/* Every processor logs 100 lines that would move a terminal's cursor, and delivers in a loop. */
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
    for (uint32_t k = 0; k < 100; k++) {
        sl_log(nic, "one\ntwo\033[2J\tthree\n");
        sl_host_deliver(k);
    }
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
