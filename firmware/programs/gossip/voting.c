/* gossip/voting: N-modular redundancy with replicated voters on a crossbar. Processor i is
 * voter i: it tells all others the value of its module, and when it has the values of all
 * modules it decides. Several sessions are several votes.
 *
 * V. De Florio and C. Blondia, "The Algorithm of Pipelined Gossiping", section 1: the voting
 * farm. A faulty module is not the voter's fault: voters do the same in any case.
 *
 * adjudicate, over the values as signed numbers:
 *   0 majority   what more than half of the modules say; nothing if there is no such value
 *   1 plurality  what most of them say; of several such values the smallest
 *   2 median     the middle one, that of place n/2 in ascending order, from 0
 *
 * Results, of session k: word 2k+1 is 1 if the voter has decided and 0 if not, and word 2k
 * what it has decided for.
 *
 * The module, in the ROM after the order of n-1 processors: a word that is 1 if the module
 * says nothing, and what it says to voter 0, 1, ..., n-1, low word first. */
#define STARLOOM_STATE_BYTES (bank->processors * sizeof(int64_t))
#include "starloom_gossip.h"

STARLOOM_PARAMS("adjudicate=0", "scheduling=0")
enum { ADJUDICATE, SCHEDULING };
enum { MAJORITY, PLURALITY, MEDIAN };

typedef struct {
    sl_gossip gossip;
    int64_t value[]; /* of every module */
} state_t;

static int module_silent(const sl_nic *nic) { return (int)sl_rom(nic, sl_processors(nic) - 1); }

/* What the module says to a voter. */
static int64_t module_says(const sl_nic *nic, uint32_t voter) {
    const uint32_t at = sl_processors(nic) + 2 * voter;
    return (int64_t)(sl_rom(nic, at) | (uint64_t)sl_rom(nic, at + 1) << 32);
}

/* Lets the value at the root of a heap of count values, the largest above, sink. */
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

/* The place of the value of which there are most, the first of several; how many in *votes. */
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

/* All modules have been heard. The values are those of the next session after this. */
static void adjudicate(sl_nic *nic, state_t *s) {
    const uint32_t modules = sl_processors(nic);
    const int32_t rule = sl_param(nic, ADJUDICATE);
    sort(s->value, modules);
    uint32_t votes, place = modules / 2;
    int decided = 1;
    if (rule != MEDIAN) {
        place = most(s->value, modules, &votes);
        decided = rule == PLURALITY || votes > modules / 2;
    }
    if (decided) sl_result(nic, 2 * s->gossip.session, (uint64_t)s->value[place]);
    sl_result(nic, 2 * s->gossip.session + 1, (uint64_t)decided);
}

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_gossip_start(nic);
}

static void on_slot(sl_nic *nic, state_t *s) {
    const int32_t scheduling = sl_param(nic, SCHEDULING);
    for (const sl_frame *frame; (frame = sl_gossip_receive(nic, &s->gossip)) != 0;)
        s->value[frame->source] = *(const int64_t *)(frame->payload + sizeof(sl_packet));
    for (;;) {
        switch (sl_gossip_next(nic, &s->gossip, scheduling)) {
        case SL_GOSSIP_READY: s->value[sl_self(nic)] = module_says(nic, sl_self(nic)); break;
        case SL_GOSSIP_SEND: {
            if (module_silent(nic)) {
                sl_sleep(nic, SL_LONG); /* there is nothing to send, now or later */
                return;
            }
            const uint32_t to = sl_gossip_to(nic, &s->gossip, scheduling);
            const int64_t value = module_says(nic, to == SL_LISTED ? sl_self(nic) : to);
            *(int64_t *)sl_gossip_send(nic, &s->gossip, scheduling, sizeof value) = value;
            break;
        }
        case SL_GOSSIP_END: adjudicate(nic, s); break;
        case SL_GOSSIP_WAIT: return;
        }
    }
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
