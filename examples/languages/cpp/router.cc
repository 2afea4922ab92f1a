// Routes a permutation on POPS(d,g) with acknowledgements. Time goes in rounds of two
// slots. In round r the group r mod g has its turn: all processors hear it in the first
// slot, and each of its processors whose packet has not arrived sends with probability
// 1/odds. Who has received a packet acknowledges it in the second slot. Acknowledgements
// cannot collide: a coupler has brought one packet at most.
#include "starloom_pops.h"

STARLOOM_PARAMS("odds=2")
STARLOOM_PROBES("sent")

namespace {

// All state of one processor.
struct State {
    bool acknowledged; // the own packet has arrived
    bool received;     // the packet for this processor is here
    uint32_t sent;     // times the own packet was sent

    // The first slot of a round: perhaps send the own packet.
    void data_slot(sl_nic *nic, uint32_t turn) {
        const sl_frame *frame = sl_receive(nic);
        if (frame && frame->kind == SL_KIND_ACK && frame->destination == sl_self(nic)) {
            acknowledged = true;
            sl_log(nic, "acknowledged");
        }
        sl_listen(nic, turn);
        if (sl_group(nic) != turn || acknowledged) return;
        if (sl_random_below(nic, static_cast<uint32_t>(sl_param(nic, 0))) != 0) return;
        const sl_packet packet{sl_self(nic), sl_workload(nic)};
        sl_send_packet(nic, packet.destination / sl_group_size(nic), packet.destination, packet);
        sl_probe(nic, 0, ++sent);
    }

    // The second slot of a round: acknowledge what the first has brought.
    void ack_slot(sl_nic *nic, uint32_t turn) {
        const sl_frame *frame = sl_receive(nic);
        if (frame && frame->kind == SL_KIND_DATA && frame->destination == sl_self(nic)) {
            received = true;
            sl_send_ack(nic, turn, frame->source);
        }
        const bool waits = sl_group(nic) == turn && !acknowledged;
        sl_listen(nic, waits ? sl_workload(nic) / sl_group_size(nic) : SL_PORT_NONE);
    }
};

void on_start(sl_nic *nic, State *) { sl_listen(nic, SL_PORT_NONE); }

void on_slot(sl_nic *nic, State *s) {
    const uint32_t turn = sl_slot(nic) / 2 % sl_groups(nic);
    if (sl_slot(nic) % 2 == 0) {
        s->data_slot(nic, turn);
    } else {
        s->ack_slot(nic, turn);
    }
    if (s->acknowledged && s->received) sl_done(nic);
}

} // namespace

STARLOOM_FIRMWARE(State, on_start, on_slot)
