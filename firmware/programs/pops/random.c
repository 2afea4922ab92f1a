/* pops/random: randomised on-line permutation routing on POPS(d,g), d = g.
 *
 * A. Mei and R. Rizzi, "On-Line Permutation Routing in Partitioned Optical
 * Passive Star Networks"; the published rule, one step of five slots, repeated
 * while any source still holds its packet. Delta(x) = x mod g. */
#include "starloom.h"

typedef struct {
    sl_packet copy;      /* the copy that slot 1 or slot 2 brought */
    uint16_t random;     /* r: where slot 1 sent a copy of the original */
    uint16_t forwarded;  /* b: where slot 2 sent a stranger's copy */
    uint8_t original;    /* the packet that starts here is still here */
    uint8_t arrived;     /* the packet for this processor is here */
    uint8_t sent;        /* slot 1 sent a copy */
    uint8_t passed;      /* slot 2 passed a stranger's copy on */
    uint8_t holds_copy;
    uint8_t acked;       /* slot 3 brought an ack */
    uint8_t unused[6];
} state_t;
_Static_assert(sizeof(state_t) == 24, "record layout");

static void on_start(sl_nic *nic, state_t *s) {
    s->original = 1;
    sl_hold(nic, 1);
}

static void on_slot(sl_nic *nic, state_t *s) {
    const uint32_t g = sl_groups(nic), d = sl_group_size(nic);
    const uint32_t delta_self = sl_self(nic) % g;
    const sl_frame *heard = sl_receive(nic);

    switch (sl_slot(nic) % 5) {
    case 0: /* slot 1: every undelivered original goes to a random group */
        if (heard && heard->destination == sl_self(nic)) s->arrived = 1; /* slot 5 of the step before */
        s->holds_copy = 0;
        s->sent = s->original;
        if (s->original) {
            s->random = (uint16_t)sl_random_below(nic, g);
            sl_send_packet(nic, s->random, SL_ANY, (sl_packet){sl_self(nic), sl_workload(nic)});
        }
        sl_listen(nic, delta_self);
        break;

    case 1: /* slot 2: every holder of a copy sends it to Delta(destination) and drops it */
        s->passed = s->holds_copy = heard != 0;
        if (heard) {
            sl_packet copy = *sl_packet_of(heard);
            s->forwarded = (uint16_t)(copy.destination % g);
            sl_send_packet(nic, s->forwarded, SL_ANY, copy);
        }
        sl_listen(nic, delta_self);
        break;

    case 2: /* slot 3: every holder of a slot-2 copy acks to where the copy came from */
        s->holds_copy = heard != 0;
        if (heard) {
            s->copy = *sl_packet_of(heard);
            sl_send_ack(nic, delta_self, SL_ANY);
        }
        sl_listen(nic, s->passed ? s->forwarded : SL_PORT_NONE);
        break;

    case 3: /* slot 4: who heard an ack forwards it to Delta(self) */
        if (heard) sl_send_ack(nic, delta_self, SL_ANY);
        sl_listen(nic, s->sent ? s->random : SL_PORT_NONE);
        break;

    case 4: /* slot 5: an ack deletes the original; slot-2 copies go to their destination group */
        if (heard) {
            s->original = 0;
            sl_done(nic);
        }
        if (s->holds_copy) sl_send_packet(nic, s->copy.destination / d, s->copy.destination, s->copy);
        sl_listen(nic, delta_self);
        break;
    }

    sl_hold(nic, s->original + s->arrived + s->holds_copy);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
