/* Differences between an image and a native unit test (STARLOOM_NATIVE): declarations of entry
 * points and host functions, and the memory of a bank. */
#ifndef STARLOOM_TARGET_H
#define STARLOOM_TARGET_H

#define SL_INLINE static inline __attribute__((always_inline))

#ifdef STARLOOM_NATIVE

#ifdef __cplusplus
#define SL_EXPORT(name) extern "C"
#else
#define SL_EXPORT(name)
#endif
#define SL_IMPORT(name) SL_EXPORT(name)

/* Unused bytes between state, RX FIFO and TX FIFO, for AddressSanitizer. */
#define SL_GAP 64u

SL_IMPORT(column) void *sl_native_column(uint64_t bytes);
SL_INLINE uint64_t starloom_base(void) { return 0; }
SL_INLINE void *starloom_column(uint64_t *at, uint64_t line, uint64_t bytes) {
    (void)at, (void)line;
    return sl_native_column(bytes);
}
SL_INLINE int starloom_reserve(uint64_t end) {
    (void)end;
    return 1;
}

#else

#define SL_EXPORT(name) __attribute__((export_name(#name), visibility("default")))
#define SL_IMPORT(name) __attribute__((import_module("starloom"), import_name(#name)))

#define SL_GAP 0u

/* The start of free memory, after the program's data. */
extern uint8_t __heap_base;
SL_INLINE uint64_t starloom_base(void) { return (uint64_t)(uintptr_t)&__heap_base; }

/* Allocates bytes at the next multiple of line after *at and moves *at to their end. */
SL_INLINE void *starloom_column(uint64_t *at, uint64_t line, uint64_t bytes) {
    uint64_t start = (*at + line - 1) / line * line;
    *at = start + bytes;
    return (void *)(uintptr_t)(uint32_t)start;
}

/* Grows the memory up to end; 0 if that is impossible. */
SL_INLINE int starloom_reserve(uint64_t end) {
    if (end > 0xFFFF0000u) return 0;
    uint32_t pages = (uint32_t)((end + 0xFFFF) >> 16), have = (uint32_t)__builtin_wasm_memory_size(0);
    return pages <= have || __builtin_wasm_memory_grow(0, pages - have) != (uint32_t)-1;
}

#endif

/* The result of a draw. It has a number of possible outcomes: 0 for all numbers of 32 bits, two for
 * sl_chance, which compares it with `below`. A search of all draws chooses the outcome here: its host
 * finds the function by its name, so calls must stay calls, and images without draws must not contain
 * it. In other runs the host drops the call. */
#ifdef STARLOOM_NATIVE
SL_INLINE
#else
__attribute__((weak, noinline, nodebug, const))
uint64_t starloom_choice(uint64_t drawn, uint64_t outcomes, uint64_t below) __asm__("starloom_choice");
#endif
uint64_t starloom_choice(uint64_t drawn, uint64_t outcomes, uint64_t below) {
    (void)outcomes, (void)below;
    return drawn;
}

#endif
