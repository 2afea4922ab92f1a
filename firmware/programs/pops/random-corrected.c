/* pops/random-corrected: randomised routing that delivers every packet exactly
 * once, for any d and g, if no frame is lost: docs/reference/pops.md lists the faults that it survives.
 *
 * d = g: as published (pops/random).
 * d > g: steps of six slots; the destination itself sends the ack, so no packet
 *        is deleted before it has arrived. The temporary group of a destination
 *        changes from step to step, so that packets that collide once do not
 *        collide forever.
 * d < g: steps of five slots with hashed listening: a group can hear only d of g
 *        groups, a different set in every step, and a source uses only random
 *        groups that hear it and that the packet's next group hears.
 *
 * Corrections of A. Mei and R. Rizzi, "On-Line Permutation Routing in Partitioned
 * Optical Passive Star Networks". H is a public hash with a common seed. */
#define STARLOOM_LISTEN_SLOTS (bank->shape[1] > bank->shape[0] ? 6u : 5u) /* a step */
#include "starloom_pops.h"

typedef struct {
    sl_packet copy;     /* d <= g: the copy that slot 2 brought */
    uint16_t hears;     /* group heard in slots 1 and 2 of this step */
    uint16_t temporary; /* d > g: own temporary group of this step */
    uint8_t original;   /* the packet that starts here is still here */
    uint8_t arrived;    /* the packet for this processor is here */
    uint8_t holds_copy;
    uint8_t unused;
} state_t;
_Static_assert(sizeof(state_t) == 16, "record layout");

/* H(x, s) in 0..g-1, the same for all processors of a run. */
SL_INLINE uint32_t hash(const sl_nic *nic, uint32_t x, uint32_t step) {
    uint64_t h = sl_mix64(nic->bank.seed ^ 0x505F6861736865D5u);
    h = sl_mix64(h + ((uint64_t)step << 32 | x));
    return (uint32_t)((h >> 32) * sl_groups(nic) >> 32);
}

/* Whether a frame contains a packet that some processor can take. */
SL_INLINE int brings_packet(const sl_nic *nic, const sl_frame *heard) {
    return heard && sl_packet_of(heard)->destination < sl_processors(nic);
}

/* Acks to the group heard in slots 1 and 2; a processor that hears none has nothing to ack. */
SL_INLINE void ack_back(sl_nic *nic, const state_t *s) {
    if (s->hears != SL_PORT_NONE) sl_send_ack(nic, s->hears, SL_ANY);
}

/* ceil(log2(x)), x >= 1 */
SL_INLINE uint32_t log2_ceil(uint32_t x) { return x <= 1 ? 0 : 32 - (uint32_t)__builtin_clz(x - 1); }

/* ---- d > g: six slots ---------------------------------------------------- */

/* Temporary group of destination x in a step. */
SL_INLINE uint32_t temporary_group(const sl_nic *nic, uint32_t x, uint32_t step) {
    const uint32_t g = sl_groups(nic), l = x % sl_group_size(nic);
    return (l % g + hash(nic, l / g, step)) % g;
}

/* Whether a source participates in step s = 1, 2, ...: stage 1 thins out the sources; stage 2
 * lets all participate for 12 steps, then 1, 1/2, ..., 2^-u of them in turn, which removes the
 * heavy tail. C' = 5.3. */
SL_INLINE int takes_part_wide(sl_nic *nic, uint32_t step) {
    const uint64_t d = sl_group_size(nic), g = sl_groups(nic);
    const uint64_t stage1 = (53 * (d - g) + 10 * g - 1) / (10 * g); /* T1 = ceil(C'(d/g - 1)) */
    if (step <= stage1) return sl_chance(nic, 53 * g, (uint32_t)(53 * d - 10 * g * (step - 1)));
    const uint32_t t = step - (uint32_t)stage1;
    if (t <= 12) return 1;
    uint32_t u = g == 1 ? log2_ceil((uint32_t)d) : log2_ceil((uint32_t)((d + g - 1) / g));
    if (u < 1) u = 1;
    const uint32_t shift = (t - 13) % (u + 1);
    return sl_random_bits(nic, shift) == 0;
}

SL_INLINE void start_wide(sl_nic *nic, state_t *s) {
    s->hears = sl_index(nic) < sl_groups(nic) ? (uint16_t)sl_index(nic) : SL_PORT_NONE;
    sl_listen_in(nic, 0, s->hears);
    sl_listen_in(nic, 1, s->hears);
}

SL_INLINE void slot_wide(sl_nic *nic, state_t *s) {
    const uint32_t slot = sl_slot(nic) % 6, step = sl_slot(nic) / 6 + 1;
    const sl_frame *heard = sl_receive(nic);
    uint32_t sleep = 6 - slot; /* until the next step */

    switch (slot) {
    case 0: /* slot 1: undelivered originals go to random groups */
        if (heard) { /* slot 6 of the step before: the ack has come back */
            s->original = 0;
            sl_done(nic);
        }
        s->holds_copy = 0;
        for (uint32_t k = 2; k < 6; k++) sl_listen_in(nic, k, SL_PORT_NONE);
        if (s->original && takes_part_wide(nic, step)) {
            const uint32_t random = sl_random_below(nic, sl_groups(nic));
            sl_send_packet(nic, random, SL_ANY, (sl_packet){sl_self(nic), sl_workload(nic)});
            sl_listen_in(nic, 5, random); /* slot 6 may bring the ack */
        }
        if (!s->arrived) {
            s->temporary = (uint16_t)temporary_group(nic, sl_self(nic), step);
            sl_listen_in(nic, 2, s->temporary); /* slot 3 may bring the packet */
        } else if (!s->original) {
            sleep = SL_LONG; /* others may still need this processor: frames wake it */
        }
        break;

    case 1: /* slot 2: copies go to the destination's temporary group of this step */
        s->holds_copy = heard != 0;
        if (heard) {
            const sl_packet copy = *sl_packet_of(heard);
            const uint32_t group = temporary_group(nic, copy.destination, step);
            sl_send_packet(nic, group, SL_ANY, copy);
            sl_listen_in(nic, 4, group); /* slot 5 may bring its ack */
            sleep = 1;
        }
        break;

    case 2: /* slot 3: copies go to the destination group, undelivered destinations listen */
        s->holds_copy = (uint8_t)brings_packet(nic, heard);
        if (s->holds_copy) {
            const sl_packet copy = *sl_packet_of(heard);
            const uint32_t group = copy.destination / sl_group_size(nic);
            sl_send_packet(nic, group, copy.destination, copy);
            sl_listen_in(nic, 3, group); /* slot 4 may bring its ack */
        }
        break;

    case 3: /* slot 4: the destination acks to its temporary group, the holder listens */
        if (heard && heard->destination == sl_self(nic)) {
            s->arrived = 1;
            sl_send_ack(nic, s->temporary, heard->source);
        }
        break;

    case 4: /* slot 5: the ack goes on to the random group */
        if (heard && heard->destination == sl_self(nic)) ack_back(nic, s);
        break;

    case 5: /* slot 6: and to the source, which deletes the original */
        if (heard) ack_back(nic, s);
        break;
    }
    sl_sleep(nic, sleep);
    sl_hold(nic, s->original + s->arrived + s->holds_copy);
}

/* ---- d <= g: five slots --------------------------------------------------- */

/* The group that local index k of group x hears in slots 1 and 2 of a step. For d = g the
 * published rule: Delta(self). */
SL_INLINE uint32_t listens_to(const sl_nic *nic, uint32_t x, uint32_t k, uint32_t step) {
    const uint32_t d = sl_group_size(nic), g = sl_groups(nic);
    return d == g ? (x * d + k) % g : (k + hash(nic, x, step)) % g;
}

/* Draws r uniformly among the groups that hear this group in slot 1 and that group b =
 * Delta(destination) hears in slot 2; 0 if there is none. */
SL_INLINE int draw_random_group(sl_nic *nic, uint32_t step, uint32_t *random) {
    const uint32_t d = sl_group_size(nic), g = sl_groups(nic);
    if (d == g) {
        *random = sl_random_below(nic, g);
        return 1;
    }
    const uint32_t a = sl_group(nic), b = sl_workload(nic) % g, shift = hash(nic, b, step);
    uint32_t possible = 0;
    for (uint32_t k = 0; k < d; k++) {
        const uint32_t r = (k + shift) % g;
        possible += (a + g - hash(nic, r, step)) % g < d;
    }
    if (possible == 0) return 0;
    uint32_t chosen = sl_random_below(nic, possible);
    for (uint32_t k = 0; k < d; k++) {
        const uint32_t r = (k + shift) % g;
        if ((a + g - hash(nic, r, step)) % g < d && chosen-- == 0) {
            *random = r;
            break;
        }
    }
    return 1;
}

SL_INLINE void start_narrow(sl_nic *nic, state_t *s) {
    (void)s;
    sl_listen_in(nic, 4, sl_self(nic) % sl_groups(nic));
}

SL_INLINE void slot_narrow(sl_nic *nic, state_t *s) {
    const uint32_t slot = sl_slot(nic) % 5, step = sl_slot(nic) / 5 + 1, d = sl_group_size(nic), g = sl_groups(nic);
    const sl_frame *heard = sl_receive(nic);
    uint32_t sleep = 5 - slot; /* until the next step */

    switch (slot) {
    case 0: /* slot 1: undelivered originals go to random groups */
        if (heard && heard->destination == sl_self(nic)) s->arrived = 1; /* slot 5 of the step before */
        s->holds_copy = 0;
        s->hears = (uint16_t)listens_to(nic, sl_group(nic), sl_index(nic), step);
        sl_listen_in(nic, 0, s->hears);
        sl_listen_in(nic, 1, s->hears);
        sl_listen_in(nic, 2, SL_PORT_NONE);
        sl_listen_in(nic, 3, SL_PORT_NONE);
        if (s->original) {
            uint32_t random = 0;
            /* d < g: everybody for 12 steps, then everybody and half of them in turn */
            const int takes_part = d == g || step <= 12 || step % 2 != 0 || sl_random_bits(nic, 1);
            if (takes_part && draw_random_group(nic, step, &random)) {
                sl_send_packet(nic, random, SL_ANY, (sl_packet){sl_self(nic), sl_workload(nic)});
                sl_listen_in(nic, 3, random); /* slot 4 may acknowledge it */
            }
        } else if (d == g) {
            sleep = SL_LONG; /* it hears the same in every step; others may still need it: frames wake it */
        }
        break;

    case 1: /* slot 2: copies go to Delta(destination) */
        s->holds_copy = heard != 0;
        if (heard) {
            const sl_packet copy = *sl_packet_of(heard);
            const uint32_t group = copy.destination % g;
            sl_send_packet(nic, group, SL_ANY, copy);
            sl_listen_in(nic, 2, group); /* slot 3 may acknowledge it */
            sleep = 1;
        }
        break;

    case 2: /* slot 3: every holder of a slot-2 copy acks to where the copy came from */
        s->holds_copy = (uint8_t)brings_packet(nic, heard);
        if (s->holds_copy) {
            s->copy = *sl_packet_of(heard);
            sl_send_ack(nic, s->hears, SL_ANY);
            sleep = 2; /* until slot 5 */
        }
        break;

    case 3: /* slot 4: who heard an ack forwards it */
        if (heard) sl_send_ack(nic, s->hears, SL_ANY);
        if (s->holds_copy) sleep = 1;
        break;

    case 4: /* slot 5: an ack deletes the original; slot-2 copies go home */
        if (heard) {
            s->original = 0;
            sl_done(nic);
        }
        if (s->holds_copy) sl_send_packet(nic, s->copy.destination / d, s->copy.destination, s->copy);
        break;
    }
    sl_sleep(nic, sleep);
    sl_hold(nic, s->original + s->arrived + s->holds_copy);
}

SL_INLINE int is_wide(const sl_nic *nic) { return sl_group_size(nic) > sl_groups(nic); }

static void on_start(sl_nic *nic, state_t *s) {
    s->original = 1;
    sl_hold(nic, 1);
    if (is_wide(nic)) {
        start_wide(nic, s);
    } else {
        start_narrow(nic, s);
    }
}

static void on_slot(sl_nic *nic, state_t *s) {
    if (is_wide(nic)) {
        slot_wide(nic, s);
    } else {
        slot_narrow(nic, s);
    }
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
