//! The firmware ABI in Rust, without std: the registers of firmware/ABI.md, and the loops
//! over a bank of processors around the handlers of one. What it does is what starloom.h
//! does. Not here: sl_delivered, sl_logf, sl_assert, transmit statuses and withdrawing,
//! schedules, ROMs, request lists, tag filters, listening tables, states whose size depends on
//! the network. Each is a column, a flag or an import of firmware/ABI.md.
#![allow(dead_code)]

use core::arch::wasm32;
use core::mem::size_of;

pub const PORT_ALL: u32 = 0xfffe;
pub const PORT_NONE: u32 = 0xffff;
pub const ANY: u32 = 0xffff_ffff;
pub const KIND_DATA: u8 = 0;
pub const KIND_ACK: u8 = 1;
pub const STATUS_OK: u8 = 1;
const ABI_VERSION: u32 = 3;
const FLAG_DONE: u8 = 1;
const FLAG_TX_OVERFLOW: u8 = 4;
const FLAG_SLEEPING: u8 = 16;

/// A frame; the payload follows it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Frame {
    pub kind: u8,
    pub flags: u8,
    pub payload_bytes: u16,
    pub source: u32,
    pub destination: u32,
    pub tag: u16,
    pub port: u16,
}

/// A packet that travels over several hops: the first bytes of a data frame's payload.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Packet {
    pub origin: u32,
    pub destination: u32,
}

#[repr(C)]
struct Processor {
    wake: u16,
    tx_fewer: u8,
    reserved: u8,
    rx_count: u8,
    tx_count: u8,
    held: u8,
    flags: u8,
}

/// The bank's descriptor, in the order of the register map.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Bank {
    abi: u32,
    cells: u32,
    current: u32,
    record: *mut u8,
    record_stride: u32,
    rx: u32,
    tx: u32,
    rx_more: *mut u8,
    tx_more: *mut u8,
    frame_stride: u32,
    rx_frames: u32,
    tx_frames: u32,
    payload_bytes: u32,
    first: u32,
    processors: u32,
    shape: [u32; 8],
    ports: u32,
    seed: u64,
    param: [i32; 16],
    processor: *mut Processor,
    workload: *mut u32,
    calls: *mut u32,
    rx_status: *mut u8,
    listen: *mut u16,
    listen_slots: u32,
    unused: [u32; 11], // schedule to accept_tag: 0
    lanes: u32,
}
const _: () = assert!(size_of::<Bank>() == 240);

pub static mut BANK: Bank = unsafe { core::mem::transmute([0u64; 30]) };

#[link(wasm_import_module = "starloom")]
extern "C" {
    fn log(text: *const u8, bytes: u32);
    fn probe(signal: u32, value: u64);
    fn fail(code: i32);
    fn deliver(origin: u32);
    fn result(k: u32, value: u64);
}

extern "C" {
    static __heap_base: u8;
}

/// The processor's window on its NIC.
pub struct Nic {
    bank: Bank,
    cell: u32,
    slot: u32,
    draws: u32,
    taken: u32,
}

impl Nic {
    fn registers(&self) -> &'static mut Processor {
        unsafe { &mut *self.bank.processor.add(self.cell as usize) }
    }

    /// Frame `place` of a FIFO, 0 the head, which is in the record.
    fn frame(&self, head: u32, more: *mut u8, place: u32) -> *mut Frame {
        let bank = &self.bank;
        let at = if place == 0 {
            bank.record.wrapping_add((self.cell * bank.record_stride + head) as usize)
        } else {
            more.wrapping_add((((place - 1) * bank.cells + self.cell) * bank.frame_stride) as usize)
        };
        at as *mut Frame
    }

    pub fn this(&self) -> u32 { self.bank.first + self.cell }
    pub fn processors(&self) -> u32 { self.bank.processors }
    /// Word k, 0 to 7, of the network's size.
    pub fn shape(&self, k: usize) -> u32 { self.bank.shape[k] }
    pub fn slot(&self) -> u32 { self.slot }
    /// This processor's word of the workload.
    pub fn workload(&self) -> u32 { unsafe { *self.bank.workload.add(self.cell as usize) } }
    /// Parameter number k.
    pub fn param(&self, k: usize) -> i32 { self.bank.param[k] }
    /// What the receiver says of the slot before.
    pub fn status(&self) -> u8 { unsafe { *self.bank.rx_status.add(self.cell as usize) } }

    /// Ports of a NIC, and what the receiver of one says where all are used in one slot.
    pub fn ports(&self) -> u32 { self.bank.ports }
    pub fn status_of(&self, port: u32) -> u8 {
        unsafe { *self.bank.rx_status.add((port * self.bank.cells + self.cell) as usize) }
    }

    /// Takes the next frame from the RX FIFO; it is valid until the handler returns.
    pub fn receive(&mut self) -> Option<&'static Frame> {
        if self.taken >= self.registers().rx_count as u32 {
            return None;
        }
        self.taken += 1;
        Some(unsafe { &*self.frame(self.bank.rx, self.bank.rx_more, self.taken - 1) })
    }

    /// The payload of a received frame.
    pub fn payload(frame: &'static Frame) -> &'static [u8] {
        unsafe { core::slice::from_raw_parts((frame as *const Frame).add(1) as *const u8, frame.payload_bytes as usize) }
    }

    /// Frames that still fit into the TX FIFO.
    pub fn tx_free(&self) -> u32 {
        let taken = self.registers().tx_count as u32 + self.registers().tx_fewer as u32;
        self.bank.tx_frames.saturating_sub(taken)
    }

    /// Appends a frame to the TX FIFO, if there is room.
    fn queue(&mut self, port: u32, kind: u8, destination: u32, payload_bytes: u32) -> Option<*mut Frame> {
        let queued = self.registers().tx_count as u32;
        if self.tx_free() == 0 {
            self.registers().flags |= FLAG_TX_OVERFLOW;
            return None;
        }
        self.registers().tx_count = (queued + 1) as u8;
        let frame = self.frame(self.bank.tx, self.bank.tx_more, queued);
        unsafe {
            *frame = Frame { kind, flags: 0, payload_bytes: payload_bytes as u16, source: 0, destination, tag: 0, port: port as u16 };
        }
        if payload_bytes <= self.bank.payload_bytes { Some(frame) } else { None }
    }

    /// Sends a frame; false if the TX FIFO is full. A payload larger than nic.payload_bytes
    /// fails the run.
    pub fn send(&mut self, port: u32, kind: u8, destination: u32, tag: u16, payload: &[u8]) -> bool {
        if let Some(frame) = self.queue(port, kind, destination, payload.len() as u32) {
            unsafe {
                (*frame).tag = tag;
                core::ptr::copy_nonoverlapping(payload.as_ptr(), frame.add(1) as *mut u8, payload.len());
            }
            return true;
        }
        false
    }

    /// Sends a data frame that carries one packet.
    pub fn send_packet(&mut self, port: u32, destination: u32, packet: Packet) {
        if let Some(frame) = self.queue(port, KIND_DATA, destination, size_of::<Packet>() as u32) {
            unsafe { *(frame.add(1) as *mut Packet) = packet }
        }
    }

    /// Sends a frame without payload.
    pub fn send_ack(&mut self, port: u32, destination: u32) {
        self.queue(port, KIND_ACK, destination, 0);
    }

    /// Hears this port from this slot on.
    pub fn listen(&mut self, port: u32) {
        unsafe { *self.bank.listen.add(self.cell as usize) = port as u16 }
    }

    /// Says that there is nothing to do before the slot that comes `slots` later.
    pub fn sleep(&mut self, slots: u32) {
        self.registers().wake = (self.slot + slots) as u16;
        self.registers().flags |= FLAG_SLEEPING;
    }

    /// Says that this processor has finished.
    pub fn done(&mut self) { self.registers().flags |= FLAG_DONE }

    /// Says how many packets this processor holds, for the memory rule.
    pub fn hold(&mut self, packets: u32) { self.registers().held = packets.min(255) as u8 }

    /// 32 uniform bits: a function of seed, processor, slot and the number of the draw.
    pub fn random(&mut self) -> u32 {
        const GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;
        let x = mix64(self.bank.seed.wrapping_add(GAMMA.wrapping_mul(self.this() as u64)));
        let draw = (self.slot as u64) << 16 | (self.draws & 0xFFFF) as u64;
        self.draws += 1;
        (mix64(x.wrapping_add(GAMMA.wrapping_mul(draw))) >> 32) as u32
    }

    /// Uniform in 0..bound-1.
    pub fn random_below(&mut self, bound: u32) -> u32 {
        (self.random() as u64 * bound as u64 >> 32) as u32
    }

    /// A line in the firmware log.
    pub fn log(&self, text: &str) { unsafe { log(text.as_ptr(), text.len() as u32) } }

    /// Shows a value in the waveform.
    pub fn probe(&self, signal: u32, value: u64) { unsafe { probe(signal, value) } }

    /// Says that the packet of this origin has come to stay.
    pub fn deliver(&self, origin: u32) { unsafe { deliver(origin) } }

    /// Gives word k of this processor's results to the report.
    pub fn result(&self, k: u32, value: u64) { unsafe { result(k, value) } }

    /// Gives up: the run fails with this code and names the processor.
    pub fn fail(&self, code: i32) -> ! {
        unsafe { fail(code) };
        wasm32::unreachable()
    }

    /// Removes what the handler took from the head of the RX FIFO.
    fn consume(&mut self) {
        if self.taken == 0 {
            return;
        }
        let left = self.registers().rx_count as u32 - self.taken;
        self.registers().rx_count = left as u8;
        for place in 0..left {
            unsafe {
                core::ptr::copy(
                    self.frame(self.bank.rx, self.bank.rx_more, place + self.taken) as *const u8,
                    self.frame(self.bank.rx, self.bank.rx_more, place) as *mut u8,
                    self.bank.frame_stride as usize,
                )
            }
        }
    }
}

fn mix64(mut x: u64) -> u64 {
    x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ x >> 31
}

/// Places the columns and records of a bank behind the program's own data. 0: no room.
pub unsafe fn attach(cells: u32, payload_bytes: u32, rx_frames: u32, tx_frames: u32, state_bytes: usize) -> *const Bank {
    let bank = &mut *core::ptr::addr_of_mut!(BANK);
    let mut at = core::ptr::addr_of!(__heap_base) as u64;
    bank.abi = ABI_VERSION;
    bank.cells = cells;
    bank.payload_bytes = payload_bytes;
    bank.rx_frames = rx_frames;
    bank.tx_frames = tx_frames;
    bank.frame_stride = size_of::<Frame>() as u32 + (payload_bytes + 7) / 8 * 8;
    bank.rx = (state_bytes as u32 + 7) / 8 * 8;
    bank.tx = bank.rx + bank.frame_stride;
    bank.record_stride = bank.tx + bank.frame_stride;
    bank.listen_slots = 1;
    let mut place = |bytes: u32| {
        let start = (at + 63) / 64 * 64;
        at = start + cells as u64 * bytes as u64;
        start as u32 as *mut u8
    };
    bank.processor = place(size_of::<Processor>() as u32) as *mut Processor;
    bank.rx_status = place(bank.lanes);
    bank.calls = place(4) as *mut u32;
    bank.workload = place(4) as *mut u32;
    bank.listen = place(2) as *mut u16;
    bank.record = place(bank.record_stride);
    bank.rx_more = place((rx_frames - 1) * bank.frame_stride);
    bank.tx_more = place((tx_frames - 1) * bank.frame_stride);
    if at > 0xFFFF_0000 {
        return core::ptr::null();
    }
    let (pages, have) = ((at as usize + 0xFFFF) >> 16, wasm32::memory_size(0));
    if pages > have && wasm32::memory_grow(0, pages - have) == usize::MAX {
        return core::ptr::null();
    }
    bank
}

/// Calls a handler for the cells that the host wants to be called. A record starts with
/// the state.
pub unsafe fn each<State>(count: u32, slot: u32, handler: fn(&mut Nic, &mut State)) {
    let bank = core::ptr::addr_of_mut!(BANK);
    for place in 0..count {
        core::ptr::addr_of_mut!((*bank).current).write_volatile(place);
        let mut nic = Nic { bank: *bank, cell: *(*bank).calls.add(place as usize), slot, draws: 0, taken: 0 };
        nic.registers().flags &= !FLAG_SLEEPING;
        let record = nic.bank.record.add((nic.cell * nic.bank.record_stride) as usize);
        handler(&mut nic, &mut *(record as *mut State));
        nic.consume();
    }
}

/// Exports an image's entry points: its state, which starts as zeros, its two handlers, its
/// parameters as "name=default" and the names of its probes.
#[macro_export]
macro_rules! firmware {
    ($state:ty, $start:path, $slot:path, params: [$($param:literal),*], probes: [$($probe:literal),*]) => {
        const _: () = assert!(core::mem::align_of::<$state>() <= 8);
        #[no_mangle]
        pub extern "C" fn starloom_abi() -> u32 { 3 }
        #[no_mangle]
        pub extern "C" fn starloom_bank() -> *const $crate::starloom::Bank {
            unsafe { core::ptr::addr_of!($crate::starloom::BANK) }
        }
        #[no_mangle]
        pub unsafe extern "C" fn starloom_attach(cells: u32, payload_bytes: u32, rx_frames: u32, tx_frames: u32) -> *const $crate::starloom::Bank {
            $crate::starloom::attach(cells, payload_bytes, rx_frames, tx_frames, core::mem::size_of::<$state>())
        }
        #[no_mangle]
        pub unsafe extern "C" fn starloom_start(count: u32) { $crate::starloom::each::<$state>(count, 0, $start) }
        #[no_mangle]
        pub unsafe extern "C" fn starloom_slot(count: u32, slot: u32) { $crate::starloom::each::<$state>(count, slot, $slot) }
        #[no_mangle]
        pub extern "C" fn starloom_param_names() -> usize {
            $crate::names!($($param),*)
        }
        #[no_mangle]
        pub extern "C" fn starloom_probe_names() -> usize { $crate::names!($($probe),*) }
        #[panic_handler]
        fn panic(_: &core::panic::PanicInfo) -> ! { core::arch::wasm32::unreachable() }
    };
}

/// The address of a list of texts with a zero at the end of each and of the list.
#[macro_export]
macro_rules! names {
    ($($name:literal),*) => {{
        #[repr(transparent)]
        struct Text(*const u8);
        unsafe impl Sync for Text {}
        static NAMES: &[Text] = &[$(Text(concat!($name, "\0").as_ptr()),)* Text(core::ptr::null())];
        NAMES.as_ptr() as usize
    }};
}
