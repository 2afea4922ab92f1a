// Ten programs for the time of translated RISC-V beside WebAssembly: KERNEL, a macro before this text, names the
// function that each slot calls. Tables are constants: loads leave the RAM.
#include "starloom.h"

typedef struct { uint32_t slots, sum; uint32_t words[256]; } state_t;

#define KERNEL_FUNCTION __attribute__((noinline, unused)) static uint32_t

static const uint16_t crc_table[16] = {0x0000, 0x1021, 0x2042, 0x3063, 0x4084, 0x50A5, 0x60C6, 0x70E7,
                                       0x8108, 0x9129, 0xA14A, 0xB16B, 0xC18C, 0xD1AD, 0xE1CE, 0xF1EF};
static const uint32_t hash_table[16] = {
    0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F, 0x165667B1, 0x7FEB352D, 0x846CA68B, 0x68E31DA4,
    0xB5297A4D, 0x1B56C4E9, 0xCC9E2D51, 0x1B873593, 0xE6546B64, 0x38B34AE5, 0xA1E38B93, 0x2545F491};
static const uint8_t steps[8][4] = {{1, 2, 3, 4}, {5, 6, 7, 0}, {2, 4, 6, 1}, {3, 3, 0, 7},
                                    {6, 1, 2, 5}, {7, 0, 4, 3}, {0, 5, 1, 6}, {4, 7, 5, 2}};

__attribute__((noinline, unused)) static uint32_t recursive(uint32_t n) {
    return n < 2 ? n : recursive(n - 1) + recursive(n - 2);
}

KERNEL_FUNCTION fibonacci(state_t *s) { return recursive(19 + s->slots % 2); }

KERNEL_FUNCTION crc_bitwise(state_t *s) {
    uint32_t rest = 0xFFFF;
    for (uint32_t k = 0; k < 1024; k++) {
        rest ^= (uint32_t)((const uint8_t *)s->words)[k] << 8;
        for (int bit = 0; bit < 8; bit++) rest = rest & 0x8000 ? rest << 1 ^ 0x1021 : rest << 1;
    }
    return rest & 0xFFFF;
}

KERNEL_FUNCTION crc_by_table(state_t *s) {
    uint32_t rest = 0xFFFF;
    for (uint32_t k = 0; k < 4096; k++) {
        uint32_t byte = ((const uint8_t *)s->words)[k % 1024];
        rest = (rest << 4 ^ crc_table[(rest >> 12 ^ byte >> 4) & 15]) & 0xFFFF;
        rest = (rest << 4 ^ crc_table[(rest >> 12 ^ byte) & 15]) & 0xFFFF;
    }
    return rest;
}

KERNEL_FUNCTION hash(state_t *s) {
    uint32_t value = s->slots;
    for (uint32_t k = 0; k < 8192; k++)
        value = (value << 5 | value >> 27) ^ hash_table[(value ^ s->words[k % 256]) & 15] * (k | 1);
    return value;
}

KERNEL_FUNCTION sort(state_t *s) {
    for (int k = 1; k < 256; k++)
        for (int at = k; at > 0 && s->words[at - 1] > s->words[at]; at--) {
            uint32_t kept = s->words[at];
            s->words[at] = s->words[at - 1];
            s->words[at - 1] = kept;
        }
    uint32_t middle = s->words[128];
    for (int k = 0; k < 256; k++) s->words[k] = s->words[k] * 1664525 + 1013904223 + s->slots;
    return middle;
}

KERNEL_FUNCTION matrix(state_t *s) {
    uint32_t sum = 0;
    for (int row = 0; row < 16; row++)
        for (int column = 0; column < 16; column++) {
            uint32_t cell = 0;
            for (int k = 0; k < 16; k++) cell += s->words[16 * row + k] * s->words[16 * k + column];
            sum ^= cell;
        }
    return sum;
}

KERNEL_FUNCTION machine(state_t *s) {
    uint32_t state = s->slots & 7, sum = 0;
    for (uint32_t k = 0; k < 8192; k++) {
        uint32_t input = s->words[k % 256] >> (k & 15);
        switch (state) {
        case 0: sum += input; break;
        case 1: sum ^= input << 3; break;
        case 2: sum = sum << 1 | sum >> 31; break;
        case 3: sum -= k; break;
        case 4: sum *= 5; break;
        case 5: sum ^= sum >> 7; break;
        case 6: sum += k ^ input; break;
        default: sum = ~sum;
        }
        state = steps[state][(input ^ sum) & 3];
    }
    return sum;
}

KERNEL_FUNCTION list(state_t *s) {
    uint32_t at = s->slots % 256, sum = 0;
    for (uint32_t k = 0; k < 8192; k++) sum += at = (s->words[at] ^ k) % 256;
    return sum;
}

KERNEL_FUNCTION copy(state_t *s) {
    for (uint32_t k = 0; k < 64; k++) {
        __builtin_memcpy(s->words + 128, s->words + k % 8, 448);
        s->words[k] += s->words[255 - k];
    }
    return s->words[200];
}

KERNEL_FUNCTION divide(state_t *s) {
    uint32_t sum = 0;
    for (uint32_t k = 0; k < 4096; k++) sum += s->words[k % 256] / (k | 1) + s->words[(k + 9) % 256] % (k + 3);
    return sum;
}

static void on_start(sl_nic *nic, state_t *s) {
    for (int k = 0; k < 256; k++) s->words[k] = (uint32_t)sl_random(nic);
}

static void on_slot(sl_nic *nic, state_t *s) {
    for (int k = 0; k < REPEATS; k++) s->sum = s->sum * 31 + KERNEL(s);
    if (++s->slots == 100) {
        sl_result(nic, 0, s->sum);
        sl_done(nic);
    }
}

STARLOOM_RESULTS("sum")
STARLOOM_FIRMWARE(state_t, on_start, on_slot)
