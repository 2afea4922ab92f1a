/* Start of a RISC-V program, and the functions that compilers call without saying so: memory, and
 * multiplication and division without the extension M, shifts of 64 bits. All weak: a program may bring its own. */
#include <stddef.h>
#include <stdint.h>

#define WEAK __attribute__((weak, used))

__asm__(".section .text.start,\"ax\",@progbits\n"
        ".globl _start\n.type _start,@function\n"
        "_start: lui sp, %hi(__stack)\n addi sp, sp, %lo(__stack)\n call main\n ebreak\n"
        ".size _start, .-_start\n.text\n");

WEAK void *memcpy(void *to, const void *from, size_t bytes) {
    volatile uint8_t *t = to; /* volatile: a loop, not a call of memcpy */
    const uint8_t *f = from;
    if (!(((uintptr_t)to | (uintptr_t)from) & 3))
        for (; bytes >= 4; bytes -= 4, t += 4, f += 4) *(volatile uint32_t *)t = *(const uint32_t *)f;
    for (; bytes; bytes--) *t++ = *f++;
    return to;
}

WEAK void *memset(void *to, int value, size_t bytes) {
    volatile uint8_t *t = to;
    if (!((uintptr_t)to & 3))
        for (; bytes >= 4; bytes -= 4, t += 4) *(volatile uint32_t *)t = (uint8_t)value * 0x01010101u;
    for (; bytes; bytes--) *t++ = (uint8_t)value;
    return to;
}

WEAK void *memmove(void *to, const void *from, size_t bytes) {
    volatile uint8_t *t = to;
    const uint8_t *f = from;
    if (t <= f)
        for (; bytes; bytes--) *t++ = *f++;
    else
        while (bytes--) t[bytes] = f[bytes];
    return to;
}

WEAK int memcmp(const void *a, const void *b, size_t bytes) {
    const uint8_t *x = a, *y = b;
    for (; bytes; bytes--, x++, y++)
        if (*x != *y) return *x - *y;
    return 0;
}

#ifndef __riscv_mul
WEAK uint32_t __mulsi3(uint32_t a, uint32_t b) {
    uint32_t sum = 0;
    for (; b; b >>= 1, a <<= 1)
        if (b & 1) sum += a;
    return sum;
}
static uint32_t divide32(uint32_t a, uint32_t b, uint32_t *rest) {
    uint32_t quotient = 0, left = 0;
    for (int k = 31; k >= 0; k--) {
        left = left << 1 | (a >> k & 1);
        if (left >= b) left -= b, quotient |= 1u << k;
    }
    *rest = left;
    return quotient;
}
WEAK uint32_t __udivsi3(uint32_t a, uint32_t b) { uint32_t rest; return divide32(a, b, &rest); }
WEAK uint32_t __umodsi3(uint32_t a, uint32_t b) { uint32_t rest; divide32(a, b, &rest); return rest; }
WEAK int32_t __divsi3(int32_t a, int32_t b) {
    uint32_t rest, quotient = divide32(a < 0 ? -(uint32_t)a : (uint32_t)a, b < 0 ? -(uint32_t)b : (uint32_t)b, &rest);
    return (int32_t)((a < 0) != (b < 0) ? -quotient : quotient);
}
WEAK int32_t __modsi3(int32_t a, int32_t b) {
    uint32_t rest;
    divide32(a < 0 ? -(uint32_t)a : (uint32_t)a, b < 0 ? -(uint32_t)b : (uint32_t)b, &rest);
    return (int32_t)(a < 0 ? -rest : rest);
}
#endif

/* GCC with -Os calls these; each half is a word, so that no shift below calls its own function. */
typedef union { uint64_t whole; struct { uint32_t low, high; } half; } halves;
WEAK uint64_t __ashldi3(uint64_t a, int by) {
    halves h = {a};
    if (by & 32) h.half.high = h.half.low << (by & 31), h.half.low = 0;
    else if (by) h.half.high = h.half.high << by | h.half.low >> (32 - by), h.half.low <<= by;
    return h.whole;
}
WEAK uint64_t __lshrdi3(uint64_t a, int by) {
    halves h = {a};
    if (by & 32) h.half.low = h.half.high >> (by & 31), h.half.high = 0;
    else if (by) h.half.low = h.half.low >> by | h.half.high << (32 - by), h.half.high >>= by;
    return h.whole;
}
WEAK int64_t __ashrdi3(int64_t a, int by) {
    halves h = {(uint64_t)a};
    uint32_t sign = h.half.high >> 31 ? ~0u : 0;
    if (by & 32) h.half.low = (uint32_t)((int32_t)h.half.high >> (by & 31)), h.half.high = sign;
    else if (by) {
        h.half.low = h.half.low >> by | h.half.high << (32 - by);
        h.half.high = (uint32_t)((int32_t)h.half.high >> by);
    }
    return (int64_t)h.whole;
}

WEAK uint64_t __muldi3(uint64_t a, uint64_t b) {
    uint32_t a0 = (uint32_t)a & 0xFFFF, a1 = (uint32_t)a >> 16, b0 = (uint32_t)b & 0xFFFF, b1 = (uint32_t)b >> 16;
    uint32_t middle = a1 * b0 + (a0 * b0 >> 16), more = a0 * b1 + (middle & 0xFFFF);
    uint32_t low = more << 16 | (a0 * b0 & 0xFFFF), high = a1 * b1 + (middle >> 16) + (more >> 16);
    high += (uint32_t)(a >> 32) * (uint32_t)b + (uint32_t)a * (uint32_t)(b >> 32);
    return (uint64_t)high << 32 | low;
}

static uint64_t divide64(uint64_t a, uint64_t b, uint64_t *rest) {
    uint64_t quotient = 0, left = 0;
    for (int k = 63; k >= 0; k--) {
        left = left << 1 | (a >> k & 1);
        if (left >= b) left -= b, quotient |= (uint64_t)1 << k;
    }
    *rest = left;
    return quotient;
}
WEAK uint64_t __udivdi3(uint64_t a, uint64_t b) { uint64_t rest; return divide64(a, b, &rest); }
WEAK uint64_t __umoddi3(uint64_t a, uint64_t b) { uint64_t rest; divide64(a, b, &rest); return rest; }
WEAK int64_t __divdi3(int64_t a, int64_t b) {
    uint64_t rest, quotient = divide64(a < 0 ? -(uint64_t)a : (uint64_t)a, b < 0 ? -(uint64_t)b : (uint64_t)b, &rest);
    return (int64_t)((a < 0) != (b < 0) ? -quotient : quotient);
}
WEAK int64_t __moddi3(int64_t a, int64_t b) {
    uint64_t rest;
    divide64(a < 0 ? -(uint64_t)a : (uint64_t)a, b < 0 ? -(uint64_t)b : (uint64_t)b, &rest);
    return (int64_t)(a < 0 ? -rest : rest);
}
