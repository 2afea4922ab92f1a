/* netlist/gossip: every processor sends its number to all others, through neighbours.
 *
 * A processor forwards each number that it has learned once, the oldest first, at all of its ports, as soon as
 * it may: see sl_tell in starloom_netlist.h. At routers it sends only its own number, to one processor after the other. After D. Topkis,
 * "Concurrent broadcast for information dissemination", 1985. The run ends when all processors know all numbers. */
#define STARLOOM_TX_STATUS
#define STARLOOM_STATE_BYTES ((uint32_t)(sizeof(uint32_t) * (1 + bank->processors + bank->processors / 32) + bank->ports * sizeof(sl_told)))
#include "starloom_netlist.h"

typedef struct {
    uint32_t known;   /* packets */
    uint32_t words[]; /* what each port has told; the packets in the order of their arrival, as sl_tell has them; a bit for each known origin */
} state_t;

static uint32_t *order(const sl_nic *nic, state_t *s) { return s->words + 2 * sl_ports(nic); }

static void learn(const sl_nic *nic, state_t *s, uint32_t origin, uint32_t from) {
    const uint32_t n = sl_processors(nic);
    uint32_t *is = order(nic, s) + n;
    if (origin >= n || s->known >= n || is[origin / 32] >> (origin % 32) & 1) return;
    is[origin / 32] |= 1u << (origin % 32);
    order(nic, s)[s->known++] = (from < 256 ? from << 24 : 0) | origin;
}

static void on_start(sl_nic *nic, state_t *s) {
    learn(nic, s, sl_self(nic), 0);
    sl_hear_rounds(nic);
}

static void on_slot(sl_nic *nic, state_t *s) {
    const sl_frame *frame;
    if (s->known > sl_processors(nic)) sl_fail(nic, 3);
    while ((frame = sl_receive(nic)))
        if (frame->payload_bytes >= sizeof(sl_packet)) learn(nic, s, sl_packet_of(frame)->origin, frame->port + 1u);
    if (sl_tell(nic, (sl_told *)s->words, order(nic, s), s->known) && !sl_hears_one(nic)) sl_sleep(nic, SL_LONG); /* until something comes */
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
