/* Routes a permutation on POPS(d,g) with acknowledgements. Time goes in rounds of two
 * slots. In round r the group r mod g has its turn: all processors hear it in the first
 * slot, and each of its processors whose packet has not arrived sends with probability
 * 1/odds, a packet that was sent k times before with 1/(odds - k), but at most 1/2. Who has
 * received a packet acknowledges it in the second slot. Acknowledgements cannot collide: a
 * coupler has brought one packet at most. */
#include "starloom_pops.h"

typedef struct {
    uint32_t acknowledged; /* 1 once the own packet has arrived */
    uint32_t received;     /* 1 once the packet for this processor is here */
    uint32_t sent;         /* times the own packet was sent */
} state_t;

STARLOOM_PARAMS("odds=2")
STARLOOM_PROBES("sent")

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_listen(nic, SL_PORT_NONE);
}

/* The packet is sent with probability 1/odds; the longer it has waited, the higher. */
static uint32_t odds(const sl_nic *nic, const state_t *s) {
    const uint32_t first = (uint32_t)sl_param(nic, 0), least = 2;
    return s->sent + least < first ? first - s->sent : least;
}

/* The first slot of a round: perhaps send the own packet. */
static void data_slot(sl_nic *nic, state_t *s, uint32_t turn) {
    const sl_frame *frame = sl_receive(nic);
    if (frame && frame->kind == SL_KIND_ACK && frame->destination == sl_self(nic)) {
        s->acknowledged = 1;
        sl_log(nic, "acknowledged");
    }
    sl_listen(nic, turn);
    if (sl_group(nic) != turn || s->acknowledged) return;
    if (sl_random_below(nic, odds(nic, s)) != 0) return;
    const sl_packet packet = {sl_self(nic), sl_workload(nic)};
    sl_send_packet(nic, packet.destination / sl_group_size(nic), packet.destination, packet);
    sl_probe(nic, 0, ++s->sent);
}

/* The second slot of a round: acknowledge what the first has brought. */
static void ack_slot(sl_nic *nic, state_t *s, uint32_t turn) {
    const sl_frame *frame = sl_receive(nic);
    if (frame && frame->kind == SL_KIND_DATA && frame->destination == sl_self(nic)) {
        s->received = 1;
        sl_send_ack(nic, turn, frame->source);
    }
    sl_listen(nic, sl_group(nic) == turn && !s->acknowledged ? sl_workload(nic) / sl_group_size(nic) : SL_PORT_NONE);
}

static void on_slot(sl_nic *nic, state_t *s) {
    const uint32_t turn = sl_slot(nic) / 2 % sl_groups(nic);
    if (sl_slot(nic) % 2 == 0) {
        data_slot(nic, s, turn);
    } else {
        ack_slot(nic, s, turn);
    }
    if (s->acknowledged && s->received) sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
