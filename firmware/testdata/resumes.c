/* A handler that reads and writes the window, computes and calls; tests end its turns after every cycle. */
#include "starloom.h"
STARLOOM_PROBES("sum")
typedef struct {
    uint32_t calls, sum, slots[4];
    uint8_t bytes[8];
} state_t;

__attribute__((noinline)) static uint32_t mix(uint32_t a, uint32_t b) {
    return a * 3 + (b >> (a & 7)) + a / (b & 3);
}

#ifdef LARGE /* text without a slow translation */
__attribute__((noinline)) static void fill(void) { __asm__ volatile(".rept 17000\n nop\n .endr"); }
#else
static void fill(void) {}
#endif

__attribute__((noinline)) static void send(sl_nic *nic, uint32_t to, uint32_t value) {
    sl_frame *frame = sl_send(nic, 0, SL_KIND_DATA, to, 8);
    for (uint32_t k = 0; k < 2; k++) ((volatile uint32_t *)frame->payload)[k] = value + k;
}

static void on_start(sl_nic *nic, state_t *s) {
    for (uint32_t k = 0; k < 40; k++) s->sum = mix(s->sum, k);
    if (sl_self(nic) == 2) sl_sleep(nic, 3);
}

static void on_slot(sl_nic *nic, state_t *s) {
    s->slots[s->calls++ & 3] = sl_slot(nic);
    if (s->calls > 1000) fill();
    sl_listen(nic, sl_slot(nic) & 1);
    for (const sl_frame *frame; (frame = sl_receive(nic)) != 0;) {
        s->sum = mix(s->sum, *(const volatile uint32_t *)frame->payload);
        s->bytes[s->sum & 7]++;
    }
    sl_sleep(nic, 4);
    send(nic, sl_self(nic) + 1, s->sum);
    if (sl_self(nic) != 1) send(nic, 0, sl_random(nic));
    sl_hold(nic, s->calls);
    sl_probe(nic, 0, s->sum);
    if (s->calls == 5) sl_done(nic);
}
STARLOOM_FIRMWARE(state_t, on_start, on_slot)
