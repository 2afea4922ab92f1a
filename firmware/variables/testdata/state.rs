//! A state with members of all kinds, without Rust's library, so that a compiler without the target's library builds it:
//!
//!     rustc +nightly --target wasm32-unknown-unknown -g -O -C panic=abort --emit=obj --remap-path-prefix "$PWD/=" \
//!         --remap-path-prefix "$PWD=." -o state.o state.rs
//!     wasm-ld --no-entry --allow-undefined --export=starloom_slot --export=__stack_pointer -o state.wasm state.o
#![feature(no_core, lang_items, auto_traits)]
#![no_core]
#![crate_type = "cdylib"]
#![allow(internal_features, dead_code)]

#[lang = "pointee_sized"]
pub trait PointeeSized {}
#[lang = "meta_sized"]
pub trait MetaSized: PointeeSized {}
#[lang = "sized"]
pub trait Sized: MetaSized {}
#[lang = "copy"]
pub trait Copy {}
impl Copy for u32 {}
impl Copy for bool {}
#[lang = "unpin"]
pub auto trait Unpin {}
#[lang = "unsafe_unpin"]
pub auto trait UnsafeUnpin {}
#[lang = "freeze"]
unsafe auto trait Freeze {}
#[lang = "legacy_receiver"]
pub trait LegacyReceiver {}
impl<T: PointeeSized> LegacyReceiver for &mut T {}

pub enum Phase { Idle, Wait, Done = 9 }
pub enum Option<T> { None, Some(T) }
pub enum Message { Quiet, Data { origin: u32, hops: u8 }, Ack(u32) }
pub struct Item { origin: u32, destination: u32 }
pub struct State {
    phase: Phase,
    acknowledged: bool,
    sent: u32,
    queue: [Item; 2],
    list: [u16; 40],
    held: Option<u32>,
    last: Message,
    near: Option<&'static u32>,
    pair: (u8, i16),
    who: *const u8,
    letter: char,
    none: (),
}
pub struct Nic { cell: u32 }

#[inline(never)]
fn on_slot(nic: &mut Nic, s: &mut State) {
    s.acknowledged = true;
    s.sent = nic.cell;
    s.phase = Phase::Wait;
    s.held = Option::Some(nic.cell);
    s.last = Message::Ack(nic.cell);
}

#[no_mangle]
pub extern "C" fn starloom_slot(nic: &mut Nic, s: &mut State) { on_slot(nic, s) }
