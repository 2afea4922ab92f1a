/* Queues frames of several sizes at the start, takes what comes in every eighth slot, and counts the slots in which its
 * statuses say something: as words 0 to 4 what the receiver says, as words 8 to 11 what the transmitter says. */
#define STARLOOM_TX_STATUS
#include "starloom.h"

typedef struct {
    uint32_t said[16];
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    for (uint32_t k = 0; k < 60; k++) {
        uint32_t to = (uint32_t)(sl_mix64(sl_self(nic) * 1000003u + k) % sl_processors(nic));
        sl_send(nic, 0, SL_KIND_DATA, to, 8 + k % 5 * 8);
    }
    sl_done(nic);
}

static void note(sl_nic *nic, state_t *s, uint32_t word) {
    sl_result(nic, word, ++s->said[word]);
}

static void on_slot(sl_nic *nic, state_t *s) {
    if (sl_status(nic) != SL_STATUS_IDLE) note(nic, s, sl_status(nic) & 7);
    if (sl_tx_status(nic) != SL_TX_NONE) note(nic, s, 8 + (sl_tx_status(nic) & 7));
    if (sl_slot(nic) % 8 == 0)
        while (sl_receive(nic)) {}
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
