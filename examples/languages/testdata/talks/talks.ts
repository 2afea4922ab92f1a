// As talks.c.
import * as sl from "./starloom";

@unmanaged class State {
  hash: u32;
}

function onStart(s: State): void { s.hash = sl.ports(); }

function onSlot(s: State): void {
  for (let port: u32 = 0; port < sl.ports(); port++) s.hash = s.hash * 31 + sl.statusOf(port);
  for (let frame = sl.receive(); frame; frame = sl.receive()) {
    s.hash = s.hash * 31 + frame.tag + frame.kind + frame.port;
    for (let i: u32 = 0; i < frame.payloadBytes; i++) s.hash = s.hash * 31 + load<u8>(sl.payload(frame) + i);
  }
  for (let k: u32 = 0; k < 2 * sl.ports() && sl.slot() < 5; k++) {
    const port = k / 2, room = sl.txFree(), bytes = (sl.self() + port) % 9;
    const at = sl.send(port, <u8>((sl.slot() + port) % 3), sl.ANY, <u16>s.hash, bytes);
    for (let i: u32 = 0; i < bytes && at != 0; i++) store<u8>(at + i, <u8>(s.hash >> i));
    s.hash = s.hash * 31 + 2 * room + u32(at != 0);
  }
  sl.result(sl.slot() % 3, s.hash);
  if (sl.slot() == 5) sl.deliver(sl.self());
  if (sl.slot() == 6) sl.done();
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
export function starloom_param_names(): usize { return sl.names([]); }
export function starloom_probe_names(): usize { return sl.names([]); }
