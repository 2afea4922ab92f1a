/* State where C has none and other languages do: globals of WebAssembly, and memory
 * that is taken while the handlers run. A handler of slot 7 traps in odd processors,
 * with half a KiB on the stack. */
#include "starloom.h"

__asm__(".globaltype calls, i32\n.globl calls\ncalls:\n.globaltype wide, i64\n.globl wide\nwide:\n");

SL_INLINE uint32_t add_call(void) {
    uint32_t calls;
    __asm__ volatile("global.get calls\ni32.const 1\ni32.add\nlocal.tee %0\nglobal.set calls" : "=r"(calls));
    __asm__ volatile("global.get wide\ni64.const 0x100000001\ni64.add\nglobal.set wide");
    return calls;
}

SL_INLINE uint64_t wide(void) {
    uint64_t value;
    __asm__ volatile("global.get wide\nlocal.set %0" : "=r"(value));
    return value;
}

typedef struct { uint32_t unused; } state_t;

__attribute__((noinline)) static void with_stack(int trap) {
    volatile uint8_t buffer[512];
    for (uint32_t k = 0; k < sizeof buffer; k++) buffer[k] = (uint8_t)k;
    if (trap) __builtin_trap();
}

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    if (sl_self(nic) == 0) __builtin_wasm_memory_grow(0, 1);
}

static void on_slot(sl_nic *nic, state_t *s) {
    (void)s;
    sl_probe(nic, 0, add_call());
    sl_probe(nic, 1, wide());
    sl_probe(nic, 2, __builtin_wasm_memory_size(0));
    with_stack(sl_slot(nic) == 7 && sl_self(nic) % 2 == 1);
}

STARLOOM_PROBES("calls", "wide", "pages")
STARLOOM_FIRMWARE(state_t, on_start, on_slot)
