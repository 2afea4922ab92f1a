/* netlist/gossip: everybody tells everybody its number, over neighbours.
 *
 * A processor passes on what it has learned, each once, the oldest first, at all of its ports. Where
 * frames of several senders may meet on a medium, or a NIC hears one port at a time, one processor
 * sends in a slot, in turn; in the latter case NICs hear their ports in turn, each for as many slots
 * as there are processors, and each packet is sent as often as any has ports. After D. Topkis,
 * "Concurrent broadcast for information dissemination", 1985. The run is over when all know all. */
#define STARLOOM_STATE_BYTES ((uint32_t)(sizeof(uint32_t) * (4 + bank->processors + bank->processors / 32)))
#include "starloom_netlist.h"

typedef struct {
    uint32_t known, told, times; /* packets; those that have left; times that the next one has left */
    uint32_t words[];            /* a bit for each known origin, then the origins in the order of their arrival */
} state_t;

static uint32_t *order(const sl_nic *nic, state_t *s) { return s->words + sl_processors(nic) / 32 + 1; }

static void learn(const sl_nic *nic, state_t *s, uint32_t origin) {
    if (origin >= sl_processors(nic) || s->known >= sl_processors(nic) || s->words[origin / 32] >> (origin % 32) & 1) return;
    s->words[origin / 32] |= 1u << (origin % 32);
    order(nic, s)[s->known++] = origin;
}

static void on_start(sl_nic *nic, state_t *s) { learn(nic, s, sl_self(nic)); }

/* Whether a way leads out of any port. */
static int sends(const sl_nic *nic) {
    for (uint32_t port = 0; port < sl_own_ports(nic); port++)
        if (sl_sends_to(nic, port) != SL_NOWHERE) return 1;
    return 0;
}

static void on_slot(sl_nic *nic, state_t *s) {
    const uint32_t n = sl_processors(nic), slot = sl_slot(nic), turns = sl_may_meet(nic) || sl_hears_one(nic);
    const sl_frame *frame;
    if (s->known > n) sl_fail(nic, 3);
    while ((frame = sl_receive(nic)))
        if (frame->payload_bytes >= sizeof(sl_packet)) learn(nic, s, sl_packet_of(frame)->origin);
    if (s->told < s->known && (!turns || slot % n == sl_self(nic)) && sends(nic)) {
        sl_send_packet(nic, SL_PORT_ALL, SL_ANY, (sl_packet){order(nic, s)[s->told], SL_ANY});
        if (++s->times >= (sl_hears_one(nic) ? sl_ports(nic) : 1)) {
            s->times = 0;
            s->told++;
        }
    }
    if (sl_hears_one(nic)) {
        sl_listen(nic, slot / n % sl_own_ports(nic));
    } else if (s->told == s->known) {
        sl_sleep(nic, SL_LONG); /* until something comes */
    }
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
