/* gossip/voting: N-modular redundancy with replicated voters on a crossbar. Processor i is
 * voter i: it sends the value of its module to all others and decides once it has the values
 * of all modules. Several sessions are several votes.
 *
 * V. De Florio and C. Blondia, "The Algorithm of Pipelined Gossiping", section 1: the voting
 * farm. A faulty module does not make its voter faulty: voters work in any case.
 *
 * adjudicate, over the values that a voter has, as signed numbers:
 *   0 majority   the value of more than half of all modules; none if there is no such value
 *   1 plurality  the most frequent value; of several the smallest
 *   2 median     the value at place k/2 of k values in ascending order, from 0
 *
 * timeout: 0 waits forever, so one silent module keeps all voters from deciding. With another
 * number of slots, a voter that waits for k messages gives up after k times that many slots
 * without a message; of several waiting voters, the one with the lowest id thus continues
 * first, as without faults. A message that is not accepted for that long is withdrawn, and a
 * voter that has given up listens while it sends, or two could wait for each other. The voter
 * of a silent module sends nothing and decides by the others' values, but waits for its module
 * as they do, and so stays in step with them from session to session.
 *
 * Results of session k: word 2k+1 is 1 if the voter has decided, otherwise 0; word 2k is its
 * decision.
 *
 * The module, in the ROM after the order of n-1 processors: a word that is 1 if the module is
 * silent, then its values for voters 0, 1, ..., n-1, low word first. */
#define STARLOOM_STATE_BYTES (bank->processors * sizeof(int64_t) + (bank->processors + 63) / 64 * sizeof(uint64_t))
#include "starloom_gossip.h"

STARLOOM_PARAMS("adjudicate=0", "scheduling=0", "timeout=0")
enum { ADJUDICATE, SCHEDULING, TIMEOUT };
enum { MAJORITY, PLURALITY, MEDIAN };

typedef struct {
    sl_gossip gossip;
    uint32_t waits, since; /* the stage in which it waits, and from which slot on; SL_GOSSIP_ENDED: in none */
    uint32_t early;        /* messages of higher ids in stage A */
    uint16_t late;         /* it has given up something in this session, or another voter has */
    uint16_t alone;        /* nothing but its own module is missing */
    int64_t value[];       /* of every module, and after them a bit for each that it has */
} state_t;

static uint64_t *has(sl_nic *nic, state_t *s) { return (uint64_t *)(s->value + sl_processors(nic)); }

static void take(sl_nic *nic, state_t *s, uint32_t module, int64_t value) {
    s->value[module] = value;
    has(nic, s)[module / 64] |= (uint64_t)1 << module % 64;
}

static int module_silent(const sl_nic *nic) { return (int)sl_rom(nic, sl_processors(nic) - 1); }

/* Its module is silent, and others do not wait for it forever. */
static int speechless(const sl_nic *nic) { return sl_param(nic, TIMEOUT) && module_silent(nic); }

/* The module's value for a voter. */
static int64_t module_says(const sl_nic *nic, uint32_t voter) {
    const uint32_t at = sl_processors(nic) + 2 * voter;
    return (int64_t)(sl_rom(nic, at) | (uint64_t)sl_rom(nic, at + 1) << 32);
}

/* Sinks the value at the root of a heap of count values, with the largest at the root. */
static void sink(int64_t *value, uint32_t root, uint32_t count) {
    for (uint32_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && value[child] < value[child + 1]) child++;
        if (value[root] >= value[child]) return;
        const int64_t larger = value[child];
        value[child] = value[root];
        value[root] = larger;
    }
}

/* Heapsort, ascending. */
static void sort(int64_t *value, uint32_t count) {
    for (uint32_t root = count / 2; root-- > 0;) sink(value, root, count);
    for (uint32_t left = count; left-- > 1;) {
        const int64_t largest = value[0];
        value[0] = value[left];
        value[left] = largest;
        sink(value, 0, left);
    }
}

/* The place of the most frequent value, the first of several; its number of votes in *votes. */
static uint32_t most(const int64_t *value, uint32_t count, uint32_t *votes) {
    uint32_t place = 0, same = 0;
    *votes = 0;
    for (uint32_t k = 0; k < count; k++) {
        same = k > 0 && value[k] == value[k - 1] ? same + 1 : 1;
        if (same > *votes) {
            *votes = same;
            place = k;
        }
    }
    return place;
}

/* The session has ended; from now on, values belong to the next one. */
static void adjudicate(sl_nic *nic, state_t *s) {
    const uint32_t modules = sl_processors(nic);
    const int32_t rule = sl_param(nic, ADJUDICATE);
    uint64_t *bits = has(nic, s);
    uint32_t count = 0;
    for (uint32_t module = 0; module < modules; module++)
        if (bits[module / 64] >> module % 64 & 1) s->value[count++] = s->value[module];
    for (uint32_t word = 0; word < (modules + 63) / 64; word++) bits[word] = 0;
    sort(s->value, count);
    uint32_t votes, place = count / 2;
    int decided = count > 0;
    if (rule != MEDIAN) {
        place = most(s->value, count, &votes);
        if (rule == MAJORITY) decided = votes > modules / 2;
    }
    if (decided) sl_result(nic, 2 * s->gossip.session, (uint64_t)s->value[place]);
    sl_result(nic, 2 * s->gossip.session + 1, (uint64_t)decided);
    s->early = s->late = s->alone = 0;
    s->waits = SL_GOSSIP_ENDED;
}

/* Stage B begins. */
static void ready(sl_nic *nic, state_t *s) {
    s->gossip.received += s->early;
    s->early = 0;
    if (s->late) sl_listen(nic, 0);
    if (!speechless(nic)) take(nic, s, sl_self(nic), module_says(nic, sl_self(nic)));
}

/* Continues without missing messages after waiting long enough. */
static int gives_up(sl_nic *nic, state_t *s, int32_t scheduling) {
    sl_gossip *g = &s->gossip;
    const uint32_t others = sl_processors(nic) - 1, timeout = (uint32_t)sl_param(nic, TIMEOUT);
    if (!timeout || g->session == sl_workload(nic)) return 0;
    if (s->waits != g->stage) {
        s->waits = g->stage;
        s->since = sl_slot(nic);
    }
    const uint32_t wanted = g->stage == SL_GOSSIP_A ? sl_self(nic) : others + (speechless(nic) && !s->alone);
    const uint32_t missing = g->stage != SL_GOSSIP_B && g->received < wanted ? wanted - g->received : 1;
    const uint64_t most = (uint64_t)timeout * missing;
    const uint32_t waited = sl_slot(nic) - s->since;
    if (waited < most) {
        sl_sleep(nic, most - waited < SL_LONG ? (uint32_t)most - waited : SL_LONG);
        return 0;
    }
    s->late = 1;
    s->waits = SL_GOSSIP_ENDED;
    switch (g->stage) {
    case SL_GOSSIP_A:
        g->stage = SL_GOSSIP_B;
        g->sent = 0;
        if (scheduling) sl_set_all_valid(nic);
        ready(nic, s);
        if (speechless(nic)) s->waits = SL_GOSSIP_C; /* nothing happens before: it waits on */
        break;
    case SL_GOSSIP_B:
        sl_withdraw(nic);
        if (scheduling) g->sent = others; /* it was for all that are left */
        sl_listen(nic, 0);
        break;
    case SL_GOSSIP_C:
        g->stage = SL_GOSSIP_ENDED;
        adjudicate(nic, s);
        break;
    }
    return 1;
}

static void hear(sl_nic *nic, state_t *s) {
    sl_gossip *g = &s->gossip;
    for (const sl_frame *frame; (frame = sl_gossip_receive(nic, g)) != 0;) {
        take(nic, s, frame->source, *(const int64_t *)(frame->payload + sizeof(sl_packet)));
        if (g->stage != SL_GOSSIP_B) s->waits = SL_GOSSIP_ENDED;
        if (g->stage == SL_GOSSIP_A && frame->source > sl_self(nic)) { /* it has given this one up */
            g->received--;
            s->early++;
            s->late = 1;
        }
    }
}

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_gossip_start(nic);
}

static void on_slot(sl_nic *nic, state_t *s) {
    const int32_t scheduling = sl_param(nic, SCHEDULING);
    hear(nic, s);
    for (;;) {
        switch (sl_gossip_next(nic, &s->gossip, scheduling)) {
        case SL_GOSSIP_READY: ready(nic, s); break;
        case SL_GOSSIP_SEND: {
            if (speechless(nic)) {
                s->gossip.sent = sl_processors(nic) - 1;
                break;
            }
            if (module_silent(nic)) { /* there is nothing to send, now or later */
                sl_sleep(nic, SL_LONG);
                return;
            }
            s->waits = SL_GOSSIP_ENDED;
            const uint32_t to = sl_gossip_to(nic, &s->gossip, scheduling);
            const int64_t value = module_says(nic, to == SL_LISTED ? sl_self(nic) : to);
            *(int64_t *)sl_gossip_send(nic, &s->gossip, scheduling, sizeof value) = value;
            break;
        }
        case SL_GOSSIP_END:
            if (speechless(nic)) {
                s->gossip.stage = SL_GOSSIP_C;
                s->gossip.received--; /* for its own, which does not come */
                s->alone = 1;
                break;
            }
            adjudicate(nic, s);
            break;
        case SL_GOSSIP_WAIT:
            if (!gives_up(nic, s, scheduling)) return;
            break;
        }
    }
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
