/* pops/random: randomised on-line permutation routing on POPS(d,g), as published.
 *
 * A. Mei and R. Rizzi, "On-Line Permutation Routing in Partitioned Optical
 * Passive Star Networks". One step of five slots, repeated while any source still
 * holds its packet. Delta(x) = x mod g.
 *
 * d > g: in the first T1 = ceil(4(d/g - 1)) steps a source participates with
 * probability g / (d - g(s - 1)/4), s = 1, 2, ..., and in slots 1 and 2 only g
 * processors of a group listen. Two packets of one step may then share temporary
 * group and destination group; they collide in slot 5 although both have been
 * acknowledged, and are lost. The rules show it; pops/random-corrected corrects
 * it. */
#define STARLOOM_LISTEN_SLOTS 5 /* a step */
#include "starloom_pops.h"

typedef struct {
    sl_packet copy; /* the copy that slot 2 brought */
    uint32_t has;   /* the packets that are here: a set of the bits below */
    uint32_t bad;   /* packets for processors that do not exist, which were dropped */
} state_t;

enum {
    ORIGINAL = 1, /* the packet that starts here */
    ARRIVED = 2,  /* the packet for this processor */
    COPY = 4,     /* a stranger's copy that slot 2 brought */
    PASSED = 8    /* a stranger's copy that slot 1 brought and slot 2 passed on */
};

/* The group that this processor hears in slots 1 and 2: Delta(self); for d > g only local index
 * k < g listens, to group k. */
SL_INLINE uint32_t hears(const sl_nic *nic) {
    if (sl_group_size(nic) <= sl_groups(nic)) return sl_self(nic) % sl_groups(nic);
    return sl_index(nic) < sl_groups(nic) ? sl_index(nic) : SL_PORT_NONE;
}

/* The packet of a frame if some processor can take it; otherwise it is dropped. */
SL_INLINE const sl_packet *packet_of(const sl_nic *nic, state_t *s, const sl_frame *heard) {
    if (!heard) return 0;
    const sl_packet *packet = sl_packet_of(heard);
    if (packet->destination < sl_processors(nic)) return packet;
    s->bad++;
    return 0;
}

static void on_start(sl_nic *nic, state_t *s) {
    s->has = ORIGINAL;
    sl_hold(nic, 1);
    sl_listen_in(nic, 0, hears(nic));
    sl_listen_in(nic, 1, hears(nic));
    sl_listen_in(nic, 4, sl_self(nic) % sl_groups(nic));
}

/* Whether a source participates in step s = 1, 2, ... */
SL_INLINE int takes_part(sl_nic *nic, uint32_t step) {
    const uint64_t d = sl_group_size(nic), g = sl_groups(nic);
    if (d <= g || (uint64_t)(step - 1) * g >= 4 * (d - g)) return 1; /* s > T1 */
    return sl_chance(nic, 4 * g, (uint32_t)(4 * d - g * (step - 1)));
}

static void on_slot(sl_nic *nic, state_t *s) {
    const sl_frame *heard = sl_receive(nic);
    const sl_packet *packet;
    const uint32_t slot = sl_slot(nic) % 5, before = s->has;
    uint32_t has = before, sleep = 5 - slot; /* until the next step */

    switch (slot) {
    case 0: /* slot 1: undelivered originals go to random groups */
        if (heard && heard->destination == sl_self(nic)) has |= ARRIVED; /* slot 5 of the step before */
        has &= ~(uint32_t)(COPY | PASSED);
        sl_listen_in(nic, 2, SL_PORT_NONE);
        sl_listen_in(nic, 3, SL_PORT_NONE);
        if (!(has & ORIGINAL)) {
            sleep = SL_LONG; /* others may still need this processor: frames wake it */
        } else if (takes_part(nic, sl_slot(nic) / 5 + 1)) {
            const uint32_t group = sl_random_below(nic, sl_groups(nic)); /* the own group is allowed */
            sl_send_packet(nic, group, SL_ANY, (sl_packet){sl_self(nic), sl_workload(nic)});
            sl_listen_in(nic, 3, group); /* slot 4 may acknowledge it */
        }
        break;

    case 1: /* slot 2: every holder of a copy sends it to Delta(destination) and drops it */
        if ((packet = packet_of(nic, s, heard))) {
            const uint32_t group = packet->destination % sl_groups(nic);
            has |= PASSED;
            sl_send_packet(nic, group, SL_ANY, *packet);
            sl_listen_in(nic, 2, group); /* slot 3 may acknowledge it */
        }
        break;

    case 2: /* slot 3: every holder of a slot-2 copy acks to where the copy came from */
        has &= ~(uint32_t)PASSED;
        if ((packet = packet_of(nic, s, heard))) {
            has |= COPY;
            s->copy = *packet;
            sl_send_ack(nic, hears(nic), SL_ANY);
            sleep = 2; /* until slot 5 */
        }
        break;

    case 3: /* slot 4: who heard an ack forwards it to where the packet came from */
        if (heard) sl_send_ack(nic, hears(nic), SL_ANY);
        if (has & COPY) sleep = 1;
        break;

    case 4: /* slot 5: an ack deletes the original; slot-2 copies go to their destination group */
        if (heard) {
            has &= ~(uint32_t)ORIGINAL;
            sl_done(nic);
        }
        if (has & COPY) sl_send_packet(nic, s->copy.destination / sl_group_size(nic), s->copy.destination, s->copy);
        break;
    }

    sl_sleep(nic, sleep);
    if (has != before) {
        s->has = has;
        sl_hold(nic, (uint32_t)__builtin_popcount(has));
    }
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
