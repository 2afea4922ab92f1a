//! A model of arbiters with any policy, for `starloom cosim check`: the RTL chooses whom it grants, and the model
//! requires that the granted input requests.
#![no_std]

static mut REQUEST: u64 = 0;
static mut GRANT: u64 = 0;
static mut INDEX: u64 = 0;

#[export_name = "in 4 request"]
pub extern "C" fn request() -> *const u64 { unsafe { core::ptr::addr_of!(REQUEST) } }

#[export_name = "out 1 granted"]
pub extern "C" fn granted() -> *const u64 { unsafe { core::ptr::addr_of!(GRANT) } }

#[export_name = "left 2 index"]
pub extern "C" fn index() -> *const u64 { unsafe { core::ptr::addr_of!(INDEX) } }

/// Outputs of this cycle. INDEX is the choice of the RTL.
#[no_mangle]
pub extern "C" fn settle() { unsafe { GRANT = (REQUEST != 0) as u64 } }

/// The model has no state; the RTL has a clock and a reset.
#[no_mangle]
pub extern "C" fn reset() {}

#[no_mangle]
pub extern "C" fn edge() {}

/// Replaces a choice that is not allowed.
#[no_mangle]
pub extern "C" fn follow() {
    unsafe {
        if REQUEST != 0 && REQUEST >> INDEX & 1 == 0 {
            INDEX = REQUEST.trailing_zeros() as u64;
        }
    }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! { loop {} }
