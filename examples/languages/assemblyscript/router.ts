// Routes a permutation on POPS(d,g) with acknowledgements. Time goes in rounds of two
// slots. In round r the group r mod g has its turn: all processors hear it in the first
// slot, and each of its processors whose packet has not arrived sends with probability
// 1/odds. Who has received a packet acknowledges it in the second slot. Acknowledgements
// cannot collide: a coupler has brought one packet at most.
import * as sl from "./starloom";

/** All state of one processor: it lies in its record. Keep nothing in globals. */
@unmanaged class State {
  acknowledged: u32; // 1 once the own packet has arrived
  received: u32;     // 1 once the packet for this processor is here
  sent: u32;         // times the own packet was sent
}

// The size of POPS(d,g): shape words 0 and 1.
function groups(): u32 { return sl.shape(0); }
function groupSize(): u32 { return sl.shape(1); }

function onStart(s: State): void {
  sl.listen(sl.PORT_NONE);
}

/** The first slot of a round: perhaps send the own packet. */
function dataSlot(s: State, turn: u32): void {
  const frame = sl.receive();
  if (frame && frame.kind == sl.KIND_ACK && frame.destination == sl.self()) {
    s.acknowledged = 1;
    sl.log("acknowledged");
  }
  sl.listen(turn);
  if (sl.self() / groupSize() != turn || s.acknowledged) return;
  if (sl.randomBelow(<u32>sl.param(0)) != 0) return;
  const destination = sl.workload();
  sl.sendPacket(destination / groupSize(), destination, sl.self(), destination);
  sl.probe(0, ++s.sent);
}

/** The second slot of a round: acknowledge what the first has brought. */
function ackSlot(s: State, turn: u32): void {
  const frame = sl.receive();
  if (frame && frame.kind == sl.KIND_DATA && frame.destination == sl.self()) {
    s.received = 1;
    sl.sendAck(turn, frame.source);
  }
  sl.listen(sl.self() / groupSize() == turn && !s.acknowledged ? sl.workload() / groupSize() : sl.PORT_NONE);
}

function onSlot(s: State): void {
  const turn = sl.slot() / 2 % groups();
  if (sl.slot() % 2 == 0) {
    dataSlot(s, turn);
  } else {
    ackSlot(s, turn);
  }
  if (s.acknowledged && s.received) sl.done();
}

// The image's entry points.
export function starloom_abi(): u32 { return sl.ABI_VERSION; }
export function starloom_bank(): usize { return sl.BANK; }
export function starloom_attach(cells: u32, payloadBytes: u32, rxFrames: u32, txFrames: u32): usize {
  return sl.attach(cells, payloadBytes, rxFrames, txFrames, offsetof<State>());
}
export function starloom_start(count: u32): void {
  for (let k: u32 = 0; k < count; k++) {
    onStart(changetype<State>(sl.begin(k, 0)));
    sl.end();
  }
}
export function starloom_slot(count: u32, slot: u32): void {
  for (let k: u32 = 0; k < count; k++) {
    onSlot(changetype<State>(sl.begin(k, slot)));
    sl.end();
  }
}
export function starloom_param_names(): usize { return sl.names(["odds=2"]); }
export function starloom_probe_names(): usize { return sl.names(["sent"]); }
