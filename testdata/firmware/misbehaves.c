/* Every processor sends to its neighbour in each slot what it has received last, plus its own
 * number. In slot `when` the handler of processor `victim` does something else first, `how`:
 * 0 loops, 1 takes all memory that it gets and writes beyond, 2 writes beyond its memory, 3 writes
 * everywhere in its memory, 4 divides by zero, 5 recurses without an end, 6 keeps some of the stack
 * and goes on, 7 sends and then traps, 8 takes some memory and goes on, 9 gives up. */
#include "starloom.h"

typedef struct {
    uint32_t heard, zero;
} state_t;

STARLOOM_PARAMS("victim=2", "how=0", "when=3")

static void on_start(sl_nic *nic, state_t *s) {
    (void)nic;
    (void)s;
}

__attribute__((noinline)) static uint32_t loop(volatile uint32_t *turns) {
    for (;;) ++*turns;
}

__attribute__((noinline)) static uint32_t grow(void) {
    while (__builtin_wasm_memory_grow(0, 1) != (uint32_t)-1) {
    }
    *(volatile uint32_t *)(__builtin_wasm_memory_size(0) * 65536) = 1;
    return 0;
}

__attribute__((noinline)) static uint32_t write_beyond(void) {
    *(volatile uint32_t *)0xFFFFFFF0u = 1;
    return 0;
}

__attribute__((noinline)) static uint32_t write_everywhere(void) {
    for (volatile uint8_t *at = (volatile uint8_t *)0;; at++) *at = 0xA5;
}

__attribute__((noinline)) static uint32_t divide(volatile uint32_t *zero) {
    return 1000 / *zero;
}

__attribute__((noinline)) static uint32_t recurse(volatile uint32_t depth) {
    volatile uint32_t room[256];
    room[depth % 256] = depth;
    if (depth == 0xFFFFFFFF) return 0;
    return recurse(depth + 1) + room[depth % 256];
}

__attribute__((noinline)) static uint32_t keep_stack(void) {
    __asm__ volatile(".globaltype __stack_pointer, i32\nglobal.get __stack_pointer\ni32.const 5000\ni32.sub\nglobal.set __stack_pointer");
    return 0;
}

static uint32_t misbehave(sl_nic *nic, state_t *s, int32_t how) {
    switch (how) {
    case 0: return loop(&s->zero);
    case 1: return grow();
    case 2: return write_beyond();
    case 3: return write_everywhere();
    case 4: return divide(&s->zero);
    case 5: return recurse(0);
    case 6: return keep_stack();
    case 7:
        sl_send_ack(nic, 0, SL_ANY);
        sl_listen(nic, 1);
        __builtin_trap();
    case 8: return __builtin_wasm_memory_grow(0, 1) == 0;
    default: sl_fail(nic, 7);
    }
}

static void on_slot(sl_nic *nic, state_t *s) {
    const uint32_t self = sl_self(nic), ports = sl_ports(nic);
    if (self == (uint32_t)sl_param(nic, 0) && sl_slot(nic) == (uint32_t)sl_param(nic, 2)) s->zero = misbehave(nic, s, sl_param(nic, 1));
    for (const sl_frame *frame; (frame = sl_receive(nic)) != 0;)
        if (frame->payload_bytes >= 4) s->heard = *(const uint32_t *)frame->payload;
    sl_listen(nic, (sl_slot(nic) + self) % ports);
    if (sl_slot(nic) < 8 && sl_tx_free(nic)) {
        uint32_t *words = (uint32_t *)sl_send(nic, (sl_slot(nic) + 3 * self) % ports, SL_KIND_DATA, SL_ANY, 4)->payload;
        words[0] = s->heard * 31 + self + 1;
    }
    if (sl_slot(nic) == 9) sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
