/* Sleeps in every way there is, and gives up when it is called at the wrong time.
 * Processor 0 wakes in slot 3 and sends two frames, one per slot: its TX FIFO keeps it
 * awake. Processor 1 hears them in slots 4 and 5 and takes one of them per call; it hears
 * nothing else, since it listens in slots 3, 4, 7, 8, ... only. Processor 2 sleeps on. */
#define STARLOOM_LISTEN_SLOTS 4
#include "starloom.h"

typedef struct {
    uint32_t calls;
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_listen(nic, SL_PORT_NONE);
    if (sl_self(nic) == 1) {
        sl_listen_in(nic, 3, 0);
        sl_listen_in(nic, 0, 0);
    }
}

static void expect(sl_nic *nic, int holds, int32_t code) {
    if (!holds) sl_fail(nic, code);
}

static void on_slot(sl_nic *nic, state_t *s) {
    const uint32_t call = s->calls++, slot = sl_slot(nic);
    switch (sl_self(nic)) {
    case 0:
        expect(nic, slot == (uint32_t[]){0, 3, 4}[call], 1);
        if (call == 0) sl_sleep(nic, 3);
        if (call == 1) {
            sl_send_ack(nic, 1, SL_ANY);
            sl_send_ack(nic, 1, SL_ANY);
        }
        if (call == 2) sl_done(nic);
        if (call >= 1) sl_sleep(nic, SL_LONG);
        break;
    case 1:
        expect(nic, slot == (uint32_t[]){0, 4, 5}[call], 2);
        expect(nic, (sl_receive(nic) != 0) == (call > 0), 3);
        if (call == 2) sl_done(nic);
        sl_sleep(nic, SL_LONG);
        break;
    default:
        expect(nic, slot == 0, 4);
        sl_done(nic);
        sl_sleep(nic, SL_LONG);
    }
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
