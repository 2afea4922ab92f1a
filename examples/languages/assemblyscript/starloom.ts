// The firmware ABI in AssemblyScript: the registers of firmware/ABI.md, and the loops over a
// bank of processors around the handlers of one. What it does is what starloom.h does. Not
// here: sl_delivered, sl_logf, sl_assert, transmit statuses and withdrawing, schedules, ROMs,
// request lists, tag filters, listening tables, states whose size depends on the network.
// Each is a column, a flag or an import of firmware/ABI.md.
//
// Build with --runtime stub, which never frees: a handler makes no objects.

export const PORT_ALL: u32 = 0xfffe;
export const PORT_NONE: u32 = 0xffff;
export const ANY: u32 = 0xffffffff;
export const KIND_DATA: u8 = 0;
export const KIND_ACK: u8 = 1;
export const STATUS_OK: u8 = 1;
export const ABI_VERSION: u32 = 3;
const FLAG_DONE: u8 = 1;
const FLAG_TX_OVERFLOW: u8 = 4;
const FLAG_SLEEPING: u8 = 16;
const FRAME_BYTES: u32 = 16;

// @ts-ignore: decorator
@external("starloom", "log") declare function hostLog(text: usize, bytes: u32): void;
// @ts-ignore: decorator
@external("starloom", "probe") declare function hostProbe(signal: u32, value: u64): void;
// @ts-ignore: decorator
@external("starloom", "fail") declare function hostFail(code: i32): void;
// @ts-ignore: decorator
@external("starloom", "deliver") declare function hostDeliver(origin: u32): void;
// @ts-ignore: decorator
@external("starloom", "result") declare function hostResult(k: u32, value: u64): void;

/** A frame; the payload follows it. */
@unmanaged export class Frame {
  kind: u8;
  flags: u8;
  payloadBytes: u16;
  source: u32;
  destination: u32;
  tag: u16;
  port: u16;
}

/** The registers of one processor's NIC. */
@unmanaged class Processor {
  wake: u16;
  txFewer: u8;
  reserved: u8;
  rxCount: u8;
  txCount: u8;
  held: u8;
  flags: u8;
}

/** The bank's descriptor, in the order of the register map; shape and param are in it. */
@unmanaged class Bank {
  abi: u32;
  cells: u32;
  current: u32;
  record: u32;
  recordStride: u32;
  rx: u32;
  tx: u32;
  rxMore: u32;
  txMore: u32;
  frameStride: u32;
  rxFrames: u32;
  txFrames: u32;
  payloadBytes: u32;
  first: u32;
  processors: u32;
}
const SHAPE: usize = 60, PORTS: usize = 92, SEED: usize = 96, PARAM: usize = 104;
const PROCESSOR: usize = 168, WORKLOAD: usize = 172, CALLS: usize = 176, RX_STATUS: usize = 180;
const LISTEN: usize = 184, LISTEN_SLOTS: usize = 188, LANES: usize = 236;

/** Where the descriptor is. */
export const BANK: usize = memory.data(240, 8);

/** What stands before the state in a processor's record. Globals would be shared by all processors of a bank. */
@unmanaged class Call {
  slot: u32;
  draws: u32;
  taken: u32;
  reserved: u32;
}
const TEXT: usize = 16, TEXT_BYTES: i32 = 64, CALL_BYTES: u32 = 80;

// @ts-ignore: decorator
@inline function bank(): Bank { return changetype<Bank>(BANK); }
/** The cell whose handler runs. */
// @ts-ignore: decorator
@inline function cell(): u32 { return load<u32>(load<u32>(BANK + CALLS) + 4 * bank().current); }
// @ts-ignore: decorator
@inline function record(): usize { return bank().record + cell() * bank().recordStride; }
// @ts-ignore: decorator
@inline function call(): Call { return changetype<Call>(record()); }
// @ts-ignore: decorator
@inline function column(register: usize, bytes: u32): usize { return load<u32>(BANK + register) + cell() * bytes; }
// @ts-ignore: decorator
@inline function registers(): Processor { return changetype<Processor>(column(PROCESSOR, sizeof<u64>() as u32)); }

/** Frame `place` of a FIFO, 0 the head, which is in the record. */
function frameAt(head: u32, more: u32, place: u32): usize {
  if (place == 0) return <u32>record() + head;
  return more + ((place - 1) * bank().cells + cell()) * bank().frameStride;
}

export function self(): u32 { return bank().first + cell(); }
export function processors(): u32 { return bank().processors; }
/** Word k, 0 to 7, of the network's size. */
export function shape(k: u32): u32 { return load<u32>(BANK + SHAPE + 4 * k); }
export function slot(): u32 { return call().slot; }
/** This processor's word of the workload. */
export function workload(): u32 { return load<u32>(column(WORKLOAD, 4)); }
/** Parameter number k. */
export function param(k: u32): i32 { return load<i32>(BANK + PARAM + 4 * k); }
/** What the receiver says of the slot before. */
export function status(): u8 { return load<u8>(column(RX_STATUS, 1)); }

/** Ports of a NIC, and what the receiver of one says where all are used in one slot. */
export function ports(): u32 { return load<u32>(BANK + PORTS); }
export function statusOf(port: u32): u8 { return load<u8>(load<u32>(BANK + RX_STATUS) + port * bank().cells + cell()); }

/** Takes the next frame from the RX FIFO; null when it is empty. */
export function receive(): Frame | null {
  const place = call().taken;
  if (place >= registers().rxCount) return null;
  call().taken = place + 1;
  return changetype<Frame>(frameAt(bank().rx, bank().rxMore, place));
}

/** The address of a frame's payload. */
export function payload(frame: Frame): usize { return changetype<usize>(frame) + FRAME_BYTES; }

/** Frames that still fit into the TX FIFO. */
export function txFree(): u32 {
  const taken: u32 = <u32>registers().txCount + registers().txFewer;
  return taken < bank().txFrames ? bank().txFrames - taken : 0;
}

/** Appends a frame to the TX FIFO; 0 when there is no room. */
function queue(port: u32, kind: u8, destination: u32, payloadBytes: u32): usize {
  const queued: u32 = registers().txCount;
  if (txFree() == 0) {
    registers().flags |= FLAG_TX_OVERFLOW;
    return 0;
  }
  registers().txCount = <u8>(queued + 1);
  const at = frameAt(bank().tx, bank().txMore, queued);
  const frame = changetype<Frame>(at);
  frame.kind = kind;
  frame.flags = 0;
  frame.payloadBytes = <u16>payloadBytes;
  frame.destination = destination;
  frame.tag = 0;
  frame.port = <u16>port;
  return payloadBytes <= bank().payloadBytes ? at : 0;
}

/** Sends a frame and returns the address of its payload, to be filled in; 0 when the TX FIFO
 * is full, or the payload larger than nic.payload_bytes, which fails the run. */
export function send(port: u32, kind: u8, destination: u32, tag: u16, payloadBytes: u32): usize {
  const at = queue(port, kind, destination, payloadBytes);
  if (at == 0) return 0;
  changetype<Frame>(at).tag = tag;
  return at + FRAME_BYTES;
}

/** Sends a data frame that carries one packet. */
export function sendPacket(port: u32, destination: u32, packetOrigin: u32, packetDestination: u32): void {
  const at = queue(port, KIND_DATA, destination, 8);
  if (at == 0) return;
  store<u32>(at + FRAME_BYTES, packetOrigin);
  store<u32>(at + FRAME_BYTES + 4, packetDestination);
}

/** Sends a frame without payload. */
export function sendAck(port: u32, destination: u32): void { queue(port, KIND_ACK, destination, 0); }

/** Hears this port from this slot on. */
export function listen(port: u32): void { store<u16>(column(LISTEN, 2), <u16>port); }

/** Says that there is nothing to do before the slot that comes `slots` later. */
export function sleep(slots: u32): void {
  registers().wake = <u16>(slot() + slots);
  registers().flags |= FLAG_SLEEPING;
}

/** Says that this processor has finished. */
export function done(): void { registers().flags |= FLAG_DONE; }

/** Says how many packets this processor holds, for the memory rule. */
export function hold(packets: u32): void { registers().held = <u8>min<u32>(packets, 255); }

function mix64(x: u64): u64 {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

/** 32 uniform bits: a function of seed, processor, slot and the number of the draw. */
export function random(): u32 {
  const gamma: u64 = 0x9E3779B97F4A7C15;
  const x = mix64(load<u64>(BANK + SEED) + gamma * <u64>self());
  const draw = call().draws++;
  return <u32>(mix64(x + gamma * (<u64>slot() << 16 | <u64>(draw & 0xFFFF))) >> 32);
}

/** Uniform in 0..bound-1. */
export function randomBelow(bound: u32): u32 { return <u32>(<u64>random() * <u64>bound >> 32); }

/** A line of ASCII in the firmware log, of 64 characters at most. */
export function log(text: string): void {
  const bytes = min(text.length, TEXT_BYTES), at = record() + TEXT;
  for (let k = 0; k < bytes; k++) store<u8>(at + k, <u8>text.charCodeAt(k));
  hostLog(at, bytes);
}

/** Shows a value in the waveform. */
export function probe(signal: u32, value: u64): void { hostProbe(signal, value); }

/** Says that the packet of this origin has come to stay. */
export function deliver(origin: u32): void { hostDeliver(origin); }

/** Gives word k of this processor's results to the report. */
export function result(k: u32, value: u64): void { hostResult(k, value); }

/** Gives up: the run fails with this code and names the processor. Does not return. */
export function fail(code: i32): void { hostFail(code); unreachable(); }

/** Places the columns and records of a bank in the memory. */
export function attach(cells: u32, payloadBytes: u32, rxFrames: u32, txFrames: u32, stateBytes: u32): usize {
  const b = bank();
  b.abi = ABI_VERSION;
  b.cells = cells;
  b.payloadBytes = payloadBytes;
  b.rxFrames = rxFrames;
  b.txFrames = txFrames;
  b.frameStride = FRAME_BYTES + (payloadBytes + 7) / 8 * 8;
  b.rx = CALL_BYTES + (stateBytes + 7) / 8 * 8;
  b.tx = b.rx + b.frameStride;
  b.recordStride = b.tx + b.frameStride;
  store<u32>(BANK + LISTEN_SLOTS, 1);
  store<u32>(BANK + PROCESSOR, place(cells, 8));
  store<u32>(BANK + RX_STATUS, place(cells, load<u32>(BANK + LANES)));
  store<u32>(BANK + CALLS, place(cells, 4));
  store<u32>(BANK + WORKLOAD, place(cells, 4));
  store<u32>(BANK + LISTEN, place(cells, 2));
  b.record = place(cells, b.recordStride);
  b.rxMore = place(cells, (rxFrames - 1) * b.frameStride);
  b.txMore = place(cells, (txFrames - 1) * b.frameStride);
  return BANK;
}

/** A column with so many bytes for each cell. */
function place(cells: u32, bytes: u32): u32 {
  return (<u32>heap.alloc(<usize>cells * bytes + 64) + 63) / 64 * 64;
}

/** Makes the cell at a place of the list of calls the current one, and returns its state,
 * which starts as zeros. */
export function begin(at: u32, number: u32): usize {
  bank().current = at;
  call().slot = number;
  call().draws = call().taken = 0;
  registers().flags &= ~FLAG_SLEEPING;
  return record() + CALL_BYTES;
}

/** Removes what the handler took from the head of the RX FIFO. */
export function end(): void {
  const taken = call().taken;
  if (taken == 0) return;
  const left: u32 = registers().rxCount - taken;
  registers().rxCount = <u8>left;
  for (let k: u32 = 0; k < left; k++) {
    memory.copy(frameAt(bank().rx, bank().rxMore, k), frameAt(bank().rx, bank().rxMore, k + taken), bank().frameStride);
  }
}

/** The address of a list of texts of ASCII with a zero at the end of each and of the list. */
export function names(texts: StaticArray<string>): usize {
  const list = heap.alloc(4 * (texts.length + 1));
  for (let k = 0; k < texts.length; k++) {
    const text = texts[k], at = heap.alloc(text.length + 1);
    for (let i = 0; i < text.length; i++) store<u8>(at + i, <u8>text.charCodeAt(i));
    store<u8>(at + text.length, 0);
    store<u32>(list + 4 * k, <u32>at);
  }
  store<u32>(list + 4 * texts.length, 0);
  return list;
}
