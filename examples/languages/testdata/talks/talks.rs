//! As talks.c.
#![no_std]

#[macro_use]
mod starloom;
use starloom::{Nic, ANY};

struct State {
    hash: u32,
}

fn on_start(nic: &mut Nic, s: &mut State) { s.hash = nic.ports() }

fn on_slot(nic: &mut Nic, s: &mut State) {
    let mut hash = s.hash;
    let mut add = |value: u32| hash = hash.wrapping_mul(31).wrapping_add(value);
    for port in 0..nic.ports() {
        add(nic.status_of(port) as u32);
    }
    while let Some(frame) = nic.receive() {
        add(frame.tag as u32 + frame.kind as u32 + frame.port as u32);
        for byte in Nic::payload(frame) {
            add(*byte as u32);
        }
    }
    for k in 0..2 * nic.ports() {
        if nic.slot() >= 5 {
            break;
        }
        let (port, room) = (k / 2, nic.tx_free());
        let bytes = ((nic.this() + port) % 9) as usize;
        let mut payload = [0u8; 8];
        for i in 0..bytes {
            payload[i] = (hash >> i) as u8;
        }
        let sent = nic.send(port, ((nic.slot() + port) % 3) as u8, ANY, hash as u16, &payload[..bytes]);
        hash = hash.wrapping_mul(31).wrapping_add(2 * room + sent as u32);
    }
    s.hash = hash;
    nic.result(nic.slot() % 3, hash as u64);
    if nic.slot() == 5 {
        nic.deliver(nic.this());
    }
    if nic.slot() == 6 {
        nic.done();
    }
}

firmware!(State, on_start, on_slot, params: [], probes: []);
