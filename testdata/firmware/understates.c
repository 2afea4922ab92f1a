/* pops/offline, whose processors say that they hold nothing. */
#define STARLOOM_SCHEDULE
#include "starloom_pops.h"

typedef struct {
    sl_packet held;
    uint32_t actions;
    uint32_t holds;
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)nic;
    (void)s;
}

static void on_slot(sl_nic *nic, state_t *s) {
    const sl_schedule word = sl_scheduled(nic);
    const sl_frame *heard = sl_receive(nic);
    if (heard && (s->actions & SL_ACTION_FINAL)) {
        sl_done(nic);
    } else if (heard) {
        s->held = *sl_packet_of(heard);
        s->holds = 1;
    }
    s->actions = word.actions;
    if (word.send_port != SL_PORT_NONE) {
        if (word.actions & SL_ACTION_OWN) {
            sl_send_packet(nic, word.send_port, SL_ANY, (sl_packet){sl_self(nic), sl_workload(nic)});
        } else if (s->holds) {
            sl_send_packet(nic, word.send_port, s->held.destination, s->held);
            s->holds = 0;
        }
    }
    sl_listen(nic, word.listen_port);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
