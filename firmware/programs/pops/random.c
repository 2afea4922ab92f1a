/* pops/random: randomised on-line permutation routing on POPS(d,g), as published.
 *
 * A. Mei and R. Rizzi, "On-Line Permutation Routing in Partitioned Optical
 * Passive Star Networks". One step of five slots, repeated while any source still
 * holds its packet. Delta(x) = x mod g.
 *
 * d > g: in the first T1 = ceil(4(d/g - 1)) steps a source takes part with
 * probability g / (d - g(s - 1)/4), s = 1, 2, ..., and in slots 1 and 2 only g
 * processors of a group listen. Two packets of one step may then share their
 * temporary group and their destination group; they collide in slot 5 although
 * both have been acknowledged, and are lost. The rules show it; pops/random-corrected
 * mends it. */
#include "starloom.h"

typedef struct {
    sl_packet copy;      /* the copy that slot 2 brought */
    uint16_t delta;      /* Delta(self) */
    uint16_t random;     /* r: where slot 1 sent a copy of the original */
    uint16_t forwarded;  /* b: where slot 2 sent a stranger's copy */
    uint16_t has;        /* what is here: a set of the bits below */
} state_t;
_Static_assert(sizeof(state_t) == 16, "layout of the state");

enum {
    ORIGINAL = 1, /* the packet that starts here */
    ARRIVED = 2,  /* the packet for this processor */
    COPY = 4,     /* a stranger's copy */
    SENT = 8,     /* slot 1 sent a copy of the original */
    PASSED = 16,  /* slot 2 passed a stranger's copy on */
    PACKETS = ORIGINAL | ARRIVED | COPY
};

static void on_start(sl_nic *nic, state_t *s) {
    s->has = ORIGINAL;
    s->delta = (uint16_t)(sl_self(nic) % sl_groups(nic));
    sl_hold(nic, 1);
}

/* The group that this processor hears in slots 1 and 2: for d > g only local index
 * k < g listens, to group k. */
SL_INLINE uint32_t hears(const sl_nic *nic, const state_t *s) {
    if (sl_group_size(nic) <= sl_groups(nic)) return s->delta;
    return sl_index(nic) < sl_groups(nic) ? sl_index(nic) : SL_PORT_NONE;
}

/* Whether a source takes part in step s = 1, 2, ... */
SL_INLINE int takes_part(sl_nic *nic, uint32_t step) {
    const uint64_t d = sl_group_size(nic), g = sl_groups(nic);
    if (d <= g || (uint64_t)(step - 1) * g >= 4 * (d - g)) return 1; /* s > T1 */
    return sl_random_below(nic, (uint32_t)(4 * d - g * (step - 1))) < 4 * g;
}

static void on_slot(sl_nic *nic, state_t *s) {
    const sl_frame *heard = sl_receive(nic);
    const uint32_t before = s->has;
    uint32_t has = before;

    switch (sl_slot(nic) % 5) {
    case 0: /* slot 1: undelivered originals go to random groups */
        if (heard && heard->destination == sl_self(nic)) has |= ARRIVED; /* slot 5 of the step before */
        has &= ~(uint32_t)(COPY | SENT | PASSED);
        if ((has & ORIGINAL) && takes_part(nic, sl_slot(nic) / 5 + 1)) {
            has |= SENT;
            s->random = (uint16_t)sl_random_below(nic, sl_groups(nic)); /* the own group is allowed */
            sl_send_packet(nic, s->random, SL_ANY, (sl_packet){sl_self(nic), sl_workload(nic)});
        }
        sl_listen(nic, hears(nic, s));
        break;

    case 1: /* slot 2: every holder of a copy sends it to Delta(destination) and drops it */
        if (heard) {
            const sl_packet copy = *sl_packet_of(heard);
            has |= COPY | PASSED;
            s->forwarded = (uint16_t)(copy.destination % sl_groups(nic));
            sl_send_packet(nic, s->forwarded, SL_ANY, copy);
        }
        sl_listen(nic, hears(nic, s));
        break;

    case 2: /* slot 3: every holder of a slot-2 copy acks to where the copy came from */
        has &= ~(uint32_t)COPY;
        if (heard) {
            has |= COPY;
            s->copy = *sl_packet_of(heard);
            sl_send_ack(nic, hears(nic, s), SL_ANY);
        }
        sl_listen(nic, has & PASSED ? s->forwarded : SL_PORT_NONE);
        break;

    case 3: /* slot 4: who heard an ack forwards it to where the packet came from */
        if (heard) sl_send_ack(nic, hears(nic, s), SL_ANY);
        sl_listen(nic, has & SENT ? s->random : SL_PORT_NONE);
        break;

    case 4: /* slot 5: an ack deletes the original; slot-2 copies go to their destination group */
        if (heard) {
            has &= ~(uint32_t)ORIGINAL;
            sl_done(nic);
        }
        if (has & COPY) sl_send_packet(nic, s->copy.destination / sl_group_size(nic), s->copy.destination, s->copy);
        sl_listen(nic, s->delta);
        break;
    }

    if (has != before) { /* most processors are idle in most slots: leave their state clean */
        s->has = (uint16_t)has;
        sl_hold(nic, (uint32_t)__builtin_popcount(has & PACKETS));
    }
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
