/* Floating-point arithmetic of IEEE 754 without an FPU, by the names under which compilers call it. Results are rounded
 * to nearest, ties to even; there are no flags. float is computed as double and rounded again, which gives the same
 * float (S. A. Figueroa, "When is double rounding innocuous?", SIGNUM Newsletter 30(3), 1995). */
#include <stdint.h>

#define WEAK __attribute__((weak, used))

typedef union { double value; uint64_t bits; } d64;
typedef union { float value; uint32_t bits; } f32;
typedef struct { uint32_t sign; int exponent; uint64_t m; } number; /* m / 2^62 * 2^(exponent - 1023) */

enum { INFINITE = 0x7FF };
#define TOP ((uint64_t)1 << 62)
#define SIGN(bits) ((uint32_t)((bits) >> 63))
#define NOT_A_NUMBER(bits) (((bits) << 1) > (uint64_t)INFINITE << 53)

/* The bits below the result are kept as one: it is 1 if any of them is. */
static uint64_t shifted(uint64_t m, int by) {
    if (by > 63) return m != 0;
    return by ? m >> by | ((m << (64 - by)) != 0) : m;
}

static number normal(number n) {
    if (!n.m) return n;
    for (int by = 32; by; by >>= 1)
        if (!(n.m >> (63 - by))) n.m <<= by, n.exponent -= by;
    return n;
}

/* Zero has m = 0; subnormal numbers have exponent 1 and m below TOP. */
static number numberOf(uint64_t bits) {
    number n = {SIGN(bits), (int)(bits >> 52) & INFINITE, (bits << 12) >> 2};
    if (n.exponent) n.m |= TOP; else n.exponent = 1;
    return n;
}

/* The bits of a number, for a significand of the given size and the highest exponent. */
static uint64_t rounded(uint64_t m, int exponent, int significand, int highest) {
    int drop = 62 - significand;
    uint64_t half = (uint64_t)1 << (drop - 1), infinite = (uint64_t)highest << significand;
    if (exponent >= highest) return infinite;
    if (exponent < 1) m = shifted(m, 1 - exponent), exponent = 1;
    uint64_t tie = (m & (half * 2 - 1)) == half;
    m = (m + half) >> drop;
    return ((uint64_t)(exponent - 1) << significand) + (m & ~tie);
}

static double packed(number n) {
    d64 d = {.bits = (uint64_t)n.sign << 63 | rounded(n.m, n.exponent, 52, INFINITE)};
    return d.value;
}

static double special(uint64_t bits) {
    d64 d = {.bits = bits};
    return d.value;
}

static double invalid(void) { return special((uint64_t)0xFFF << 51); }
static double quiet(uint64_t a, uint64_t b) { return special((NOT_A_NUMBER(a) ? a : b) | (uint64_t)1 << 51); }
static uint64_t bitsOf(double a) { d64 d = {a}; return d.bits; }
static int finite(uint64_t bits) { return (int)(bits >> 52 & INFINITE) != INFINITE; }

static double add(uint64_t a, uint64_t b) {
    if (NOT_A_NUMBER(a) || NOT_A_NUMBER(b)) return quiet(a, b);
    if (!finite(a)) return !finite(b) && SIGN(a) != SIGN(b) ? invalid() : special(a);
    if (!finite(b)) return special(b);
    number x = numberOf(a), y = numberOf(b);
    if (x.exponent < y.exponent) { number z = x; x = y; y = z; }
    y.m = shifted(y.m, x.exponent - y.exponent);
    if (x.sign == y.sign) {
        x.m += y.m;
        if (x.m >> 63) x.m = shifted(x.m, 1), x.exponent++;
        return packed(x);
    }
    if (x.m < y.m) x.sign = y.sign, x.m = y.m - x.m;
    else x.m -= y.m;
    if (!x.m) return 0;
    number z = normal(x);
    if (z.exponent < 1) return packed((number){x.sign, 1, x.m << (x.exponent - 1)});
    return packed(z);
}

static uint64_t product(uint64_t a, uint64_t b, uint64_t *low) {
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t least = a0 * b0, middle = a1 * b0 + (least >> 32), other = a0 * b1 + (uint32_t)middle;
    *low = other << 32 | (uint32_t)least;
    return a1 * b1 + (middle >> 32) + (other >> 32);
}

WEAK double __adddf3(double a, double b) { return add(bitsOf(a), bitsOf(b)); }
WEAK double __subdf3(double a, double b) { return add(bitsOf(a), bitsOf(b) ^ (uint64_t)1 << 63); }
WEAK double __negdf2(double a) { return special(bitsOf(a) ^ (uint64_t)1 << 63); }

WEAK double __muldf3(double p, double q) {
    uint64_t a = bitsOf(p), b = bitsOf(q), low, sign = (a ^ b) & (uint64_t)1 << 63;
    if (NOT_A_NUMBER(a) || NOT_A_NUMBER(b)) return quiet(a, b);
    int zero = !(a << 1) || !(b << 1);
    if (!finite(a) || !finite(b)) return zero ? invalid() : special(sign | (uint64_t)INFINITE << 52);
    if (zero) return special(sign);
    number x = normal(numberOf(a)), y = normal(numberOf(b));
    number z = {(uint32_t)(sign >> 63), x.exponent + y.exponent - 1023, product(x.m, y.m << 1, &low)};
    if (low) z.m |= 1;
    if (z.m & TOP) z.exponent++;
    else z.m <<= 1;
    return packed(z);
}

WEAK double __divdf3(double p, double q) {
    uint64_t a = bitsOf(p), b = bitsOf(q), sign = (a ^ b) & (uint64_t)1 << 63;
    if (NOT_A_NUMBER(a) || NOT_A_NUMBER(b)) return quiet(a, b);
    if (!finite(a)) return finite(b) ? special(sign | (uint64_t)INFINITE << 52) : invalid();
    if (!finite(b)) return special(sign);
    if (!(b << 1)) return a << 1 ? special(sign | (uint64_t)INFINITE << 52) : invalid();
    if (!(a << 1)) return special(sign);
    number x = normal(numberOf(a)), y = normal(numberOf(b));
    number z = {(uint32_t)(sign >> 63), x.exponent - y.exponent + 1023, 0};
    if (x.m < y.m) x.m <<= 1, z.exponent--;
    for (int k = 0; k < 63; k++) {
        z.m <<= 1;
        if (x.m >= y.m) x.m -= y.m, z.m |= 1;
        x.m <<= 1;
    }
    if (x.m) z.m |= 1;
    return packed(z);
}

/* -1, 0 or 1; unordered for numbers that cannot be compared. */
static int compared(uint64_t a, uint64_t b, int unordered) {
    if (NOT_A_NUMBER(a) || NOT_A_NUMBER(b)) return unordered;
    if (!((a | b) << 1) || a == b) return 0;
    int less = SIGN(a) != SIGN(b) ? (int)SIGN(a) : (a < b) != (int)SIGN(a);
    return less ? -1 : 1;
}

WEAK int __unorddf2(double a, double b) { return NOT_A_NUMBER(bitsOf(a)) || NOT_A_NUMBER(bitsOf(b)); }
WEAK int __eqdf2(double a, double b) { return compared(bitsOf(a), bitsOf(b), 1); }
WEAK int __nedf2(double a, double b) { return compared(bitsOf(a), bitsOf(b), 1); }
WEAK int __ltdf2(double a, double b) { return compared(bitsOf(a), bitsOf(b), 1); }
WEAK int __ledf2(double a, double b) { return compared(bitsOf(a), bitsOf(b), 1); }
WEAK int __gtdf2(double a, double b) { return compared(bitsOf(a), bitsOf(b), -1); }
WEAK int __gedf2(double a, double b) { return compared(bitsOf(a), bitsOf(b), -1); }

/* The magnitude of a number without its fraction, at most most. */
static uint64_t whole(uint64_t bits, uint64_t most) {
    number n = numberOf(bits);
    int by = 1023 + 62 - n.exponent;
    if (by < -1) return most;
    uint64_t m = by < 0 ? n.m << 1 : by > 63 ? 0 : n.m >> by;
    return m > most ? most : m;
}

static int64_t fixed(uint64_t bits, uint64_t most) { /* most: of negative numbers */
    if (NOT_A_NUMBER(bits)) return 0;
    if (SIGN(bits)) return (int64_t)-whole(bits, most);
    return (int64_t)whole(bits, most - 1);
}

static uint64_t unsignedOf(uint64_t bits, uint64_t most) {
    return NOT_A_NUMBER(bits) || SIGN(bits) ? 0 : whole(bits, most);
}

WEAK int32_t __fixdfsi(double a) { return (int32_t)fixed(bitsOf(a), (uint64_t)1 << 31); }
WEAK int64_t __fixdfdi(double a) { return fixed(bitsOf(a), (uint64_t)1 << 63); }
WEAK uint32_t __fixunsdfsi(double a) { return (uint32_t)unsignedOf(bitsOf(a), UINT32_MAX); }
WEAK uint64_t __fixunsdfdi(double a) { return unsignedOf(bitsOf(a), UINT64_MAX); }

static number ofInteger(uint64_t m, uint32_t sign) {
    if (!m) return (number){0, 1, 0};
    if (m >> 63) return (number){sign, 1023 + 63, shifted(m, 1)};
    return normal((number){sign, 1023 + 62, m});
}

static number ofSigned(int64_t a) { return ofInteger(a < 0 ? -(uint64_t)a : (uint64_t)a, a < 0); }

WEAK double __floatsidf(int32_t a) { return packed(ofSigned(a)); }
WEAK double __floatdidf(int64_t a) { return packed(ofSigned(a)); }
WEAK double __floatunsidf(uint32_t a) { return packed(ofInteger(a, 0)); }
WEAK double __floatundidf(uint64_t a) { return packed(ofInteger(a, 0)); }

static float packedFloat(number n) {
    f32 f = {.bits = n.sign << 31};
    if (n.m) f.bits |= (uint32_t)rounded(n.m, n.exponent - 1023 + 127, 23, 255);
    return f.value;
}

WEAK float __truncdfsf2(double a) {
    uint64_t bits = bitsOf(a);
    if (!finite(bits)) {
        f32 f = {.bits = SIGN(bits) << 31 | 255u << 23 | (uint32_t)(bits >> 29 & 0x7FFFFF)};
        if (NOT_A_NUMBER(bits)) f.bits |= 1u << 22;
        return f.value;
    }
    return packedFloat(normal(numberOf(bits)));
}

static double extended(float a) {
    f32 f = {a};
    uint64_t sign = (uint64_t)(f.bits >> 31) << 63, m = f.bits & 0x7FFFFF;
    int exponent = f.bits >> 23 & 255;
    if (exponent == 255) return special(sign | (uint64_t)INFINITE << 52 | m << 29);
    if (exponent) return special(sign | (uint64_t)(exponent + 1023 - 127) << 52 | m << 29);
    return m ? packed(normal((number){f.bits >> 31, 1 + 1023 - 127, m << 39})) : special(sign);
}

WEAK double __extendsfdf2(float a) { return extended(a); }
WEAK float __addsf3(float a, float b) { return __truncdfsf2(__adddf3(extended(a), extended(b))); }
WEAK float __subsf3(float a, float b) { return __truncdfsf2(__subdf3(extended(a), extended(b))); }
WEAK float __mulsf3(float a, float b) { return __truncdfsf2(__muldf3(extended(a), extended(b))); }
WEAK float __divsf3(float a, float b) { return __truncdfsf2(__divdf3(extended(a), extended(b))); }
WEAK float __negsf2(float a) { f32 f = {a}; f.bits ^= 1u << 31; return f.value; }
WEAK int __unordsf2(float a, float b) { return __unorddf2(extended(a), extended(b)); }
WEAK int __eqsf2(float a, float b) { return __eqdf2(extended(a), extended(b)); }
WEAK int __nesf2(float a, float b) { return __nedf2(extended(a), extended(b)); }
WEAK int __ltsf2(float a, float b) { return __ltdf2(extended(a), extended(b)); }
WEAK int __lesf2(float a, float b) { return __ledf2(extended(a), extended(b)); }
WEAK int __gtsf2(float a, float b) { return __gtdf2(extended(a), extended(b)); }
WEAK int __gesf2(float a, float b) { return __gedf2(extended(a), extended(b)); }
WEAK int32_t __fixsfsi(float a) { return __fixdfsi(extended(a)); }
WEAK int64_t __fixsfdi(float a) { return __fixdfdi(extended(a)); }
WEAK uint32_t __fixunssfsi(float a) { return __fixunsdfsi(extended(a)); }
WEAK uint64_t __fixunssfdi(float a) { return __fixunsdfdi(extended(a)); }
WEAK float __floatsisf(int32_t a) { return packedFloat(ofSigned(a)); }
WEAK float __floatdisf(int64_t a) { return packedFloat(ofSigned(a)); }
WEAK float __floatunsisf(uint32_t a) { return packedFloat(ofInteger(a, 0)); }
WEAK float __floatundisf(uint64_t a) { return packedFloat(ofInteger(a, 0)); }
