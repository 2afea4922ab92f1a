/* pops/two-hops: a deterministic member of the two-hops class, for the adversary.
 *
 * Slots alternate. First hop: every undelivered packet i goes to group
 * choice(i, t), a fixed function. Second hop: every processor that holds a packet
 * sends it to the destination group. A packet that reaches any processor of its
 * destination group is delivered, and its source knows (sl_delivered): the class
 * grants that for free, so the lower bound holds for all algorithms with acks.
 *
 * A. Mei and R. Rizzi, "On-Line Permutation Routing in Partitioned Optical
 * Passive Star Networks", the lower bound for the two-hops class. */
#include "starloom_pops.h"

typedef struct {
    uint32_t unused[2];
} state_t;

/* The schedule: 0 a hash of processor and slot, 1 rotation (i + t), 2 the destination-blind
 * Delta(i), 3 blocks (i / 2 + t / 2). */
STARLOOM_PARAMS("choice=0")

static uint32_t choose(uint32_t i, uint32_t t, uint32_t g, int32_t kind) {
    switch (kind) {
    case 1: return (i + t / 2) % g;
    case 2: return i % g;
    case 3: return (i / 2 + t / 2) % g;
    default: return (uint32_t)((sl_mix64((uint64_t)t << 32 | i) >> 32) * g >> 32);
    }
}

/* Called by the adversary. The parameter is set only when a bank is attached, so the host
 * attaches first. */
static uint32_t choice_of(uint32_t i, uint32_t t, uint32_t g, uint32_t d) {
    (void)d;
    return choose(i, t, g, starloom_bank.param[0]);
}
STARLOOM_CHOICE(choice_of)

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_hold(nic, 1);
    sl_listen(nic, sl_index(nic) < sl_groups(nic) ? sl_index(nic) : SL_PORT_NONE); /* local index k hears group k */
}

static void on_slot(sl_nic *nic, state_t *s) {
    (void)s;
    const uint32_t g = sl_groups(nic);
    const sl_frame *heard = sl_receive(nic);
    if (heard && sl_packet_of(heard)->destination >= sl_processors(nic)) heard = 0; /* it belongs to no group */
    if (sl_delivered(nic)) sl_done(nic);

    if (sl_slot(nic) % 2 == 0) { /* first hop */
        if (!sl_delivered(nic)) {
            const sl_packet packet = {sl_self(nic), sl_workload(nic)};
            sl_send_packet(nic, choose(sl_self(nic), sl_slot(nic), g, sl_param(nic, 0)), SL_ANY, packet);
        }
    } else { /* second hop */
        if (heard) {
            const sl_packet packet = *sl_packet_of(heard);
            sl_send_packet(nic, packet.destination / sl_group_size(nic), packet.destination, packet);
        }
    }
    sl_hold(nic, !sl_delivered(nic) + (heard != 0)); /* one that has come to its group is here until this slot begins */
    if (!heard) sl_sleep(nic, sl_delivered(nic) ? SL_LONG : 2 - sl_slot(nic) % 2);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
