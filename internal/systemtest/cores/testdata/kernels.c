// A handler calls small functions and reports their results: recursion, loops, tables, switches, unaligned accesses,
// multiplication and division.
#include "starloom.h"

typedef struct { uint32_t slots; int32_t numbers[24]; uint8_t bytes[96]; } state_t;
typedef struct __attribute__((packed)) { uint8_t kind; uint32_t word; uint16_t half; } packed_t;

static const uint16_t polynomials[4] = {0x1021, 0x8005, 0xA001, 0xC867};

__attribute__((noinline)) static uint32_t fibonacci(uint32_t n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__attribute__((noinline)) static uint16_t crc(const uint8_t *data, uint32_t bytes, uint16_t polynomial) {
    uint16_t rest = 0xFFFF;
    while (bytes--) {
        rest ^= (uint16_t)(*data++ << 8);
        for (int bit = 0; bit < 8; bit++) rest = (uint16_t)(rest & 0x8000 ? rest << 1 ^ polynomial : rest << 1);
    }
    return rest;
}

__attribute__((noinline)) static void sort(int32_t *numbers, int count) {
    for (int k = 1; k < count; k++)
        for (int at = k; at > 0 && numbers[at - 1] > numbers[at]; at--) {
            int32_t kept = numbers[at];
            numbers[at] = numbers[at - 1];
            numbers[at - 1] = kept;
        }
}

__attribute__((noinline)) static uint32_t choose(uint32_t kind, uint32_t a, uint32_t b) {
    switch (kind) {
    case 0: return a + b;
    case 1: return a << (b & 31);
    case 2: return (uint32_t)((int32_t)a >> (b & 31));
    case 3: return a / (b | 1);
    case 4: return a * b;
    case 5: return (uint32_t)((int32_t)a % (int32_t)(b | 1));
    case 6: return a > b ? a ^ b : a & ~b;
    default: return (int32_t)a < (int32_t)b;
    }
}

__attribute__((noinline)) static uint32_t unpack(const packed_t *p) { return p->word + p->half + p->kind; }

static void on_start(sl_nic *nic, state_t *s) {
    for (int k = 0; k < 24; k++) s->numbers[k] = (int32_t)(sl_random(nic) >> (k & 7)) * (k & 1 ? -1 : 1);
    for (int k = 0; k < 96; k++) s->bytes[k] = (uint8_t)sl_random(nic);
}

static void on_slot(sl_nic *nic, state_t *s) {
    uint32_t slot = s->slots++, seed = (uint32_t)s->numbers[slot % 24];
    sl_probe(nic, 0, fibonacci(slot % 9));
    sl_probe(nic, 0, crc(s->bytes, 16 + slot % 32, polynomials[slot % 4]));
    sl_probe(nic, 0, choose(slot % 8, seed, (uint32_t)s->numbers[(slot + 5) % 24]));
    sl_probe(nic, 0, unpack((const packed_t *)(s->bytes + slot % 32)));
    sl_probe(nic, 0, (uint64_t)seed * 1000003u >> (slot & 15));
    if (slot % 6 == 5) sort(s->numbers, 24);
    for (const sl_frame *f; (f = sl_receive(nic));) {
        sl_frame *answer = sl_send(nic, slot & 1, SL_KIND_DATA, f->source, 12);
        for (int k = 0; k < 12; k++) answer->payload[k] = (uint8_t)(f->payload[11 - k] + slot);
    }
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
