/* bus/two-phase: gossip in a complete bus network. Every vertex has an item and learns all others.
 *
 * S. Fujita, C. Laforest and S. Perennes, "A Gossip Algorithm for Bus Networks with Buses of
 * Limited Length". A step is a slot. The schedule selects the bus of a vertex, and whether it
 * sends or listens. It sends all items that it knew at the start of the step: a bit for each,
 * item 0 the lowest bit of byte 0. */
#define STARLOOM_SCHEDULE
#define STARLOOM_STATE_BYTES (words_of(bank->processors) * sizeof(uint64_t))
#include "starloom_bus.h"

STARLOOM_PROBES("known") /* items */

SL_INLINE uint32_t words_of(uint32_t items) { return (items + 63) / 64; }
SL_INLINE uint32_t bytes_of(uint32_t items) { return (items + 7) / 8; }

typedef struct {
    uint64_t count;   /* of items that are known */
    uint64_t known[]; /* a bit for each item */
} state_t;

/* Adds the items of a frame; bytes between the end of its payload and the next word are 0. */
static void learn(sl_nic *nic, state_t *s, const sl_frame *frame) {
    const uint32_t items = sl_processors(nic);
    if (frame->kind != SL_KIND_CONTROL || frame->payload_bytes != bytes_of(items)) return;
    const uint64_t *from = (const uint64_t *)frame->payload;
    for (uint32_t k = 0; k < words_of(items); k++) {
        s->count += (uint32_t)__builtin_popcountll(from[k] & ~s->known[k]);
        s->known[k] |= from[k];
    }
    sl_probe(nic, 0, s->count);
    if (s->count == items) sl_done(nic);
}

static void send(sl_nic *nic, const state_t *s, uint32_t port) {
    const uint32_t items = sl_processors(nic);
    uint64_t *to = (uint64_t *)sl_send(nic, port, SL_KIND_CONTROL, SL_ANY, bytes_of(items))->payload;
    for (uint32_t k = 0; k < words_of(items); k++) to[k] = s->known[k];
}

static void on_start(sl_nic *nic, state_t *s) {
    s->count = 1;
    sl_probe(nic, 0, s->count);
    s->known[sl_self(nic) / 64] = (uint64_t)1 << sl_self(nic) % 64;
    sl_listen(nic, SL_PORT_NONE);
}

static void on_slot(sl_nic *nic, state_t *s) {
    for (const sl_frame *frame; (frame = sl_receive(nic)) != 0;) learn(nic, s, frame);
    const sl_bus_schedule now = sl_bus_scheduled(nic);
    if (now.send_port != SL_PORT_NONE) send(nic, s, now.send_port);
    sl_listen(nic, now.listen_port);
    if (now.send_port == SL_PORT_NONE && now.listen_port == SL_PORT_NONE) sl_sleep(nic, SL_LONG); /* until the word changes */
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
