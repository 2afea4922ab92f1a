/* gossip/hopfield: an associative memory on a crossbar. Processor i holds a block of neurons.
 * In session 0 of a recall every processor sends the start of its block; every later session is
 * a sweep: at the end of its stage A a processor has the new blocks of 0 to i-1 and the old ones
 * of the others, updates its neurons one after the other, and sends them. That is a sequential
 * update of all neurons, so the energy never rises.
 *
 * J. J. Hopfield, "Neural networks and physical systems with emergent collective
 * computational abilities", PNAS 79 (1982): neuron a takes the sign of its field, the sum of
 * w(a,b) s(b) over all b, and is unchanged if the field is 0. w(a,b) is the sum of
 * x(a) x(b) over all patterns x, and w(a,a) = 0. With the overlap m of a pattern, the sum
 * of x(b) s(b), the field of a is the sum of x(a) m minus the number of patterns times s(a),
 * so n^2 weights need not be stored.
 *
 * neurons: neurons per processor; sweeps: sweeps of a recall, 0 for all sessions but the first.
 * The network draws random patterns, and starts with some percent of the bits of a pattern
 * flipped. Recall r begins with pattern r; after the last pattern the first one follows.
 *
 * The ROM of the machine has all patterns, then their starts. A row has a bit for each
 * neuron, 1 for +1 and 0 for -1; the block of a processor is padded to words.
 *
 * Results: the block after session k, 64 neurons per word, from word k * ceil(neurons / 64). */
#define STARLOOM_STATE_BYTES (sizeof(uint32_t) * (row_words(bank) + patterns(bank)))
#include "starloom_gossip.h"

STARLOOM_PARAMS("neurons=16", "sweeps=0", "patterns=10", "flips=10", "scheduling=0")
enum { NEURONS, SWEEPS, PATTERNS, FLIPS, SCHEDULING };

SL_INLINE uint32_t neurons(const sl_bank *bank) { return (uint32_t)bank->param[NEURONS]; }
SL_INLINE uint32_t block_words(const sl_bank *bank) { return (neurons(bank) + 31) / 32; }
SL_INLINE uint32_t row_words(const sl_bank *bank) { return bank->processors * block_words(bank); }
SL_INLINE uint32_t patterns(const sl_bank *bank) { return row_words(bank) ? bank->machine_rom_words / (2 * row_words(bank)) : 0; }

typedef struct {
    sl_gossip gossip;
    uint32_t all[]; /* the neurons of all processors, then the overlap with each pattern */
} state_t;

SL_INLINE uint32_t *block_of(const sl_nic *nic, state_t *s, uint32_t processor) { return s->all + processor * block_words(&nic->bank); }
SL_INLINE const uint32_t *row(const sl_nic *nic, uint32_t k) { return nic->bank.machine_rom + k * row_words(&nic->bank); }

/* Session of a recall, 0 for its start, and number of the recall. */
SL_INLINE uint32_t sweep(const sl_nic *nic, const state_t *s, uint32_t *recall) {
    const uint32_t sweeps = (uint32_t)sl_param(nic, SWEEPS);
    *recall = sweeps ? s->gossip.session / (1 + sweeps) : 0;
    return sweeps ? s->gossip.session % (1 + sweeps) : s->gossip.session;
}

static void take_start(sl_nic *nic, state_t *s, uint32_t recall) {
    const uint32_t words = block_words(&nic->bank), stored = patterns(&nic->bank);
    const uint32_t *start = row(nic, stored + recall % stored) + sl_self(nic) * words;
    uint32_t *block = block_of(nic, s, sl_self(nic));
    for (uint32_t k = 0; k < words; k++) block[k] = start[k];
}

static void update(sl_nic *nic, state_t *s) {
    const uint32_t words = row_words(&nic->bank), stored = patterns(&nic->bank), first = sl_self(nic) * block_words(&nic->bank);
    int32_t *overlap = (int32_t *)(s->all + words);
    for (uint32_t p = 0; p < stored; p++) {
        const uint32_t *pattern = row(nic, p);
        uint32_t differ = 0;
        for (uint32_t k = 0; k < words; k++) differ += (uint32_t)__builtin_popcount(s->all[k] ^ pattern[k]);
        overlap[p] = (int32_t)(sl_processors(nic) * neurons(&nic->bank)) - 2 * (int32_t)differ;
    }
    for (uint32_t k = 0; k < neurons(&nic->bank); k++) {
        const uint32_t word = first + k / 32, bit = 1u << k % 32;
        const int up = (s->all[word] & bit) != 0;
        int64_t field = up ? -(int64_t)stored : (int64_t)stored;
        for (uint32_t p = 0; p < stored; p++) field += row(nic, p)[word] & bit ? overlap[p] : -overlap[p];
        if (field == 0 || (field > 0) == up) continue;
        s->all[word] ^= bit;
        for (uint32_t p = 0; p < stored; p++) overlap[p] += (row(nic, p)[word] & bit ? 2 : -2) * (up ? -1 : 1);
    }
}

static void show(sl_nic *nic, state_t *s) {
    const uint32_t words = block_words(&nic->bank), results = (neurons(&nic->bank) + 63) / 64;
    const uint32_t *block = block_of(nic, s, sl_self(nic));
    for (uint32_t k = 0; k < results; k++)
        sl_result(nic, s->gossip.session * results + k, block[2 * k] | (uint64_t)(2 * k + 1 < words ? block[2 * k + 1] : 0) << 32);
}

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_gossip_start(nic);
}

static void on_slot(sl_nic *nic, state_t *s) {
    const int32_t scheduling = sl_param(nic, SCHEDULING);
    const uint32_t bytes = (neurons(&nic->bank) + 7) / 8;
    for (const sl_frame *frame; (frame = sl_gossip_receive(nic, &s->gossip)) != 0;) {
        if (frame->payload_bytes < sizeof(sl_packet) + bytes) continue; /* too short for a block */
        uint8_t *block = (uint8_t *)block_of(nic, s, frame->source);
        for (uint32_t k = 0; k < bytes; k++) block[k] = frame->payload[sizeof(sl_packet) + k];
    }
    for (;;) {
        switch (sl_gossip_next(nic, &s->gossip, scheduling)) {
        case SL_GOSSIP_READY: {
            uint32_t recall;
            if (sweep(nic, s, &recall) == 0) take_start(nic, s, recall);
            else update(nic, s);
            show(nic, s);
            break;
        }
        case SL_GOSSIP_SEND: {
            const uint8_t *block = (const uint8_t *)block_of(nic, s, sl_self(nic));
            uint8_t *to = sl_gossip_send(nic, &s->gossip, scheduling, bytes);
            for (uint32_t k = 0; k < bytes; k++) to[k] = block[k];
            break;
        }
        case SL_GOSSIP_WAIT: return;
        }
    }
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
