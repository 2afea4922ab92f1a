/* pops/traffic: carries packets by time division, without collisions.
 *
 * In slot t, with b = t mod g and j = (t div g) mod d, processor j of group a sends to group a+b
 * (mod g), and group c hears the coupler from group c-b (mod g), the one with light among those that
 * end at the group. So a processor has a turn for each group once in d*g slots, and packets for each
 * group wait in a queue of their own. All processors of a group hear each frame; it is for one of
 * them.
 *
 * queue: packets that may wait here for their turns; others stay with the host. */
#define STARLOOM_LISTEN_SLOTS (bank->shape[0] <= 64 ? bank->shape[0] : 16)
#define STARLOOM_STATE_BYTES ((uint32_t)bank->param[0] * sizeof(waiting_t))

#include <stdint.h>

/* A waiting packet: its frames leave in slot `turn`, and one, two, ... periods later. */
typedef struct {
    uint32_t turn;
    uint32_t destination;
    uint32_t number;
    uint32_t frames; /* that are left */
} waiting_t;

#include "starloom_traffic.h"
#include "starloom_pops.h"

STARLOOM_PARAMS("queue=64")
enum { QUEUE };

typedef struct {
    uint32_t waits, unused; /* packets */
    waiting_t packet[];     /* in the order of their turns */
} state_t;

/* A slot that never occurs. */
#define NEVER 0xFFFFFFFFu

/* The period of a processor's turns for a group: d*g slots. */
SL_INLINE uint32_t period_of(const sl_nic *nic) { return sl_processors(nic); }

/* The first turn for a group from a slot on. */
SL_INLINE uint64_t turn_of(const sl_nic *nic, uint32_t group, uint64_t from) {
    const uint32_t g = sl_groups(nic), period = period_of(nic);
    const uint32_t turn = sl_index(nic) * g + (group + g - sl_group(nic)) % g;
    return from + (turn + period - (uint32_t)(from % period)) % period;
}

/* Hears, in each slot of the listening table from this one on, the group that sends here. */
static void tune(sl_nic *nic) {
    const uint32_t g = sl_groups(nic), slots = nic->bank.listen_slots;
    uint32_t k = sl_slot(nic) % slots, from = (sl_group(nic) + g - sl_slot(nic) % g) % g;
    for (uint32_t i = 0; i < slots; i++) {
        sl_listen_in(nic, k, from);
        k = k + 1 < slots ? k + 1 : 0;
        from = from > 0 ? from - 1 : g - 1;
    }
}

/* Whether the listening table ends in this slot. For up to 64 groups it has all of them, for
 * more those of the next 16 slots: few columns stay in the cache. */
SL_INLINE int is_over(const sl_nic *nic) {
    return nic->bank.listen_slots < sl_groups(nic) && sl_slot(nic) % nic->bank.listen_slots == 0;
}

/* The slots until the next action. */
SL_INLINE uint32_t rest_of(const sl_nic *nic, const state_t *s) {
    const uint32_t slots = nic->bank.listen_slots;
    uint32_t rest = s->waits > 0 ? s->packet[0].turn - sl_slot(nic) : SL_LONG;
    if (slots < sl_groups(nic) && rest > slots - sl_slot(nic) % slots) rest = slots - sl_slot(nic) % slots;
    return rest < SL_LONG ? rest : SL_LONG;
}

/* Inserts a packet by its turn. */
SL_INLINE void insert(state_t *s, waiting_t packet) {
    uint32_t k = s->waits++;
    for (; k > 0 && s->packet[k - 1].turn > packet.turn; k--) s->packet[k] = s->packet[k - 1];
    s->packet[k] = packet;
}

/* Assigns a packet the first free turns for its group from a slot on. */
static void book(const sl_nic *nic, state_t *s, waiting_t packet, uint64_t from) {
    const uint32_t d = sl_group_size(nic), group = packet.destination / d;
    for (uint32_t k = 0; k < s->waits; k++) {
        const waiting_t *other = &s->packet[k];
        const uint64_t free = other->turn + (uint64_t)(other->frames - 1) * period_of(nic) + 1;
        if (other->destination / d == group && free > from) from = free;
    }
    const uint64_t turn = turn_of(nic, group, from);
    packet.turn = turn < NEVER ? (uint32_t)turn : NEVER;
    insert(s, packet);
}

/* Assigns new turns to all packets: a paused processor has missed some. */
static void book_all(const sl_nic *nic, state_t *s) {
    const uint32_t waits = s->waits;
    s->waits = 0;
    for (uint32_t k = 0; k < waits; k++) book(nic, s, s->packet[k], sl_slot(nic));
}

/* Sends a frame of the first packet, whose turn it is; its other frames follow one period apart. */
static void send(sl_nic *nic, state_t *s) {
    waiting_t packet = s->packet[0];
    const sl_traffic head = {sl_self(nic), packet.destination, packet.number | (packet.frames - 1) << 24};
    sl_send_traffic(nic, packet.destination / sl_group_size(nic), packet.destination, head);
    s->waits--;
    for (uint32_t k = 0; k < s->waits; k++) s->packet[k] = s->packet[k + 1];
    if (--packet.frames == 0) return;
    packet.turn = packet.turn < NEVER - period_of(nic) ? packet.turn + period_of(nic) : NEVER;
    insert(s, packet);
}

/* Takes the offered packet if it fits; its turns start at the given slot or later. */
static void take(sl_nic *nic, state_t *s, uint64_t from) {
    sl_offer offer;
    if (s->waits == (uint32_t)sl_param(nic, QUEUE) || !sl_offered(nic, &offer)) return;
    book(nic, s, (waiting_t){0, offer.destination, offer.number, offer.frames}, from);
    sl_take(nic);
}

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    tune(nic);
}

static void on_slot(sl_nic *nic, state_t *s) {
    const uint64_t now = sl_slot(nic);
    while (sl_receive(nic) != 0) {}
    if (is_over(nic)) tune(nic);
    if (s->waits > 0 && s->packet[0].turn < now) book_all(nic, s);
    take(nic, s, now);
    if (s->waits > 0 && s->packet[0].turn == now) {
        send(nic, s);
        take(nic, s, now + 1); /* where it had no room before */
    }
    sl_sleep(nic, rest_of(nic, s));
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
