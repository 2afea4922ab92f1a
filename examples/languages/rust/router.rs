//! Routes a permutation on POPS(d,g) with acknowledgements. Time goes in rounds of two
//! slots. In round r the group r mod g has its turn: all processors hear it in the first
//! slot, and each of its processors whose packet has not arrived sends with probability
//! 1/odds. Who has received a packet acknowledges it in the second slot. Acknowledgements
//! cannot collide: a coupler has brought one packet at most.
#![no_std]

#[macro_use]
mod starloom;
use starloom::{Nic, Packet, KIND_ACK, KIND_DATA, PORT_NONE};

/// All state of one processor.
struct State {
    acknowledged: bool, // the own packet has arrived
    received: bool,     // the packet for this processor is here
    sent: u32,          // times the own packet was sent
}

/// The size of POPS(d,g): shape words 0 and 1.
fn groups(nic: &Nic) -> u32 { nic.shape(0) }
fn group_size(nic: &Nic) -> u32 { nic.shape(1) }

fn on_start(nic: &mut Nic, _: &mut State) {
    nic.listen(PORT_NONE);
}

/// The first slot of a round: perhaps send the own packet.
fn data_slot(nic: &mut Nic, s: &mut State, turn: u32) {
    if let Some(frame) = nic.receive() {
        if frame.kind == KIND_ACK && frame.destination == nic.this() {
            s.acknowledged = true;
            nic.log("acknowledged");
        }
    }
    nic.listen(turn);
    if nic.this() / group_size(nic) != turn || s.acknowledged {
        return;
    }
    if nic.random_below(nic.param(0) as u32) != 0 {
        return;
    }
    let packet = Packet { origin: nic.this(), destination: nic.workload() };
    nic.send_packet(packet.destination / group_size(nic), packet.destination, packet);
    s.sent += 1;
    nic.probe(0, s.sent as u64);
}

/// The second slot of a round: acknowledge what the first has brought.
fn ack_slot(nic: &mut Nic, s: &mut State, turn: u32) {
    if let Some(frame) = nic.receive() {
        if frame.kind == KIND_DATA && frame.destination == nic.this() {
            s.received = true;
            nic.send_ack(turn, frame.source);
        }
    }
    let waits = nic.this() / group_size(nic) == turn && !s.acknowledged;
    nic.listen(if waits { nic.workload() / group_size(nic) } else { PORT_NONE });
}

fn on_slot(nic: &mut Nic, s: &mut State) {
    let turn = nic.slot() / 2 % groups(nic);
    if nic.slot() % 2 == 0 {
        data_slot(nic, s, turn);
    } else {
        ack_slot(nic, s, turn);
    }
    if s.acknowledged && s.received {
        nic.done();
    }
}

firmware!(State, on_start, on_slot, params: ["odds=2"], probes: ["sent"]);
