/* starloom.h for RISC-V: the same handlers on the NIC's window (starloom_window.h). What the core
 * executes is what the chip would. `starloom firmware build --target rv32imc` includes this header;
 * with another compiler:
 *
 *     riscv64-unknown-elf-gcc -march=rv32imc -mabi=ilp32 -O2 -g -ffreestanding -nostdlib -I sdk \
 *         -include starloom_rv32.h -T sdk/starloom_rv32.ld -o my.elf my.c sdk/starloom_rv32_runtime.c
 *
 * A handler ends with the instruction wfi, and the next slot begins after it. Static variables
 * belong to one processor. A function without a word of the window does not compile. */
#ifndef STARLOOM_H
#define STARLOOM_H

#include "starloom_window.h"

#define SL_INLINE static inline __attribute__((always_inline))
#define starloom_window ((volatile sl_window *)SL_WINDOW)

typedef struct {
    uint32_t draws; /* random draws in this slot */
    uint32_t taken; /* frames taken from the RX FIFO in this slot */
    uint32_t frame; /* SL_TX_FRAME holds a frame for the TX FIFO */
} sl_nic;

/* A packet that travels over several hops: the start of a data frame's payload. */
typedef struct {
    uint32_t origin, destination;
} sl_packet;

SL_INLINE uint32_t starloom_selected(uint32_t number) {
    starloom_window->select = number;
    return starloom_window->value;
}

SL_INLINE uint32_t sl_self(const sl_nic *nic) { (void)nic; return starloom_window->self; }
SL_INLINE uint32_t sl_processors(const sl_nic *nic) { (void)nic; return starloom_window->processors; }
SL_INLINE uint32_t sl_shape(const sl_nic *nic, uint32_t k) {
    (void)nic;
    return starloom_selected(SL_SELECT_SHAPE + k);
}
SL_INLINE uint32_t sl_ports(const sl_nic *nic) { (void)nic; return starloom_window->ports; }
SL_INLINE uint32_t sl_slot(const sl_nic *nic) { (void)nic; return starloom_window->slot; }
SL_INLINE uint32_t sl_workload(const sl_nic *nic) { (void)nic; return starloom_window->workload; }
SL_INLINE int32_t sl_param(const sl_nic *nic, uint32_t k) {
    (void)nic;
    return (int32_t)starloom_selected(SL_SELECT_PARAM + k);
}
SL_INLINE uint32_t sl_status(const sl_nic *nic) { (void)nic; return starloom_window->rx_status; }
SL_INLINE uint32_t sl_status_of(const sl_nic *nic, uint32_t port) {
    (void)nic;
    return starloom_selected(SL_SELECT_STATUS + port);
}
SL_INLINE uint32_t sl_tx_free(const sl_nic *nic) {
    uint32_t free = starloom_window->tx_free;
    return free ? free - nic->frame : 0;
}
SL_INLINE int sl_delivered(const sl_nic *nic) { (void)nic; return (starloom_window->flags & SL_FLAG_DELIVERED) != 0; }

/* Takes the next frame from the RX FIFO, 0 if it is empty. The frame is valid until the handler
 * returns. */
SL_INLINE const sl_frame *sl_receive(sl_nic *nic) {
    if (nic->taken >= starloom_window->rx_count) return 0;
    return (const sl_frame *)(SL_RX_FIFO + nic->taken++ * SL_FIFO_STRIDE);
}
SL_INLINE const sl_packet *sl_packet_of(const sl_frame *frame) { return (const sl_packet *)frame->payload; }

/* Appends the frame at SL_TX_FRAME to the TX FIFO. */
SL_INLINE void starloom_push(sl_nic *nic) {
    __asm__ volatile("" ::: "memory"); /* after the frame's payload */
    if (nic->frame) starloom_window->tx_push = 1;
    nic->frame = 0;
}

/* Begins a frame; the next sl_send, or the end of the handler, appends it to the TX FIFO. The
 * program writes the payload before that. */
SL_INLINE sl_frame *sl_send(sl_nic *nic, uint32_t port, uint32_t kind, uint32_t destination, uint32_t payload_bytes) {
    sl_frame *frame = (sl_frame *)SL_TX_FRAME;
    starloom_push(nic);
    *(volatile uint32_t *)frame = kind | payload_bytes << 16; /* flags 0 */
    frame->destination = destination;
    *(volatile uint32_t *)&frame->tag = port << 16; /* tag 0 */
    nic->frame = 1;
    return frame;
}
SL_INLINE void sl_send_packet(sl_nic *nic, uint32_t port, uint32_t destination, sl_packet packet) {
    sl_packet *to = (sl_packet *)sl_send(nic, port, SL_KIND_DATA, destination, sizeof packet)->payload;
    to->origin = packet.origin;
    to->destination = packet.destination;
}
SL_INLINE void sl_send_ack(sl_nic *nic, uint32_t port, uint32_t destination) {
    sl_send(nic, port, SL_KIND_ACK, destination, 0);
}

/* The frame that the NIC sends next, 0 for none. */
SL_INLINE const sl_frame *sl_tx_head(const sl_nic *nic) {
    if (starloom_window->tx_count) return (const sl_frame *)SL_TX_FIFO;
    return nic->frame ? (const sl_frame *)SL_TX_FRAME : 0;
}
SL_INLINE void sl_withdraw(sl_nic *nic) {
    starloom_push(nic);
    starloom_window->tx_withdraw = 1;
}

#define SL_LONG 0xFFFFu
SL_INLINE void sl_listen(sl_nic *nic, uint32_t port) { (void)nic; starloom_window->listen = port; }
SL_INLINE void sl_sleep(sl_nic *nic, uint32_t slots) { (void)nic; starloom_window->sleep = slots; }
SL_INLINE void sl_done(sl_nic *nic) { (void)nic; starloom_window->done = 1; }
SL_INLINE void sl_hold(sl_nic *nic, uint32_t packets) { (void)nic; starloom_window->held = packets; }
SL_INLINE void sl_deliver(sl_nic *nic, sl_packet packet) { (void)nic; starloom_window->deliver = packet.origin; }

/* Reports a value of 64 bits as a result or at a probe. */
SL_INLINE void starloom_report(volatile uint32_t *where, uint32_t number, uint64_t value) {
    starloom_window->low = (uint32_t)value;
    starloom_window->high = (uint32_t)(value >> 32);
    *where = number;
}
SL_INLINE void sl_result(sl_nic *nic, uint32_t k, uint64_t value) {
    (void)nic;
    starloom_report(&starloom_window->result, k, value);
}
SL_INLINE void sl_probe(sl_nic *nic, uint32_t signal, uint64_t value) {
    (void)nic;
    starloom_report(&starloom_window->probe, signal, value);
}

/* A line in the firmware log. */
SL_INLINE void sl_log(sl_nic *nic, const char *text) {
    uint32_t bytes = 0;
    (void)nic;
    while (text[bytes]) bytes++;
    starloom_window->low = (uint32_t)text;
    starloom_window->log = bytes;
}

/* Gives up with a code; does not return. */
#define sl_fail(nic, code) ((void)(nic), starloom_window->fail = (uint32_t)(code), __builtin_trap())

/* Gives up unless the condition holds: traps at this line. */
#define sl_assert(nic, condition) ((void)(nic), (condition) ? (void)0 : __builtin_trap())

SL_INLINE uint64_t sl_mix64(uint64_t x) {
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

/* The same draws as in starloom.h for the same seed. */
SL_INLINE uint32_t sl_random(sl_nic *nic) {
    const uint64_t gamma = 0x9E3779B97F4A7C15u;
    uint64_t seed = starloom_selected(SL_SELECT_SEED) | (uint64_t)starloom_selected(SL_SELECT_SEED + 1) << 32;
    uint64_t x = sl_mix64(seed + gamma * sl_self(nic));
    return (uint32_t)(sl_mix64(x + gamma * ((uint64_t)sl_slot(nic) << 16 | (nic->draws++ & 0xFFFF))) >> 32);
}
SL_INLINE uint32_t sl_random_below(sl_nic *nic, uint32_t bound) {
    return (uint32_t)((uint64_t)sl_random(nic) * bound >> 32);
}
SL_INLINE int sl_chance(sl_nic *nic, uint64_t n, uint32_t d) { return sl_random_below(nic, d) < n; }
SL_INLINE uint32_t sl_random_bits(sl_nic *nic, uint32_t k) { return sl_random(nic) & ((1u << k) - 1); }

/* Names that the host reads from the program's constants. */
#define STARLOOM_NAMES(list, ...) \
    __attribute__((used, section(".rodata.starloom"))) const char *const list[] = {__VA_ARGS__, 0};
#define STARLOOM_PARAMS(...) STARLOOM_NAMES(starloom_params, __VA_ARGS__)
#define STARLOOM_PROBES(...) STARLOOM_NAMES(starloom_probes, __VA_ARGS__)
#define STARLOOM_RESULTS(...) STARLOOM_NAMES(starloom_results, __VA_ARGS__)

/* The turns of a processor. */
#define STARLOOM_TURN(handler)                                     \
    {                                                              \
        sl_nic nic = {0, 0, 0};                                    \
        handler(&nic, &starloom_state);                            \
        starloom_push(&nic);                                       \
        if (nic.taken) starloom_window->rx_pop = nic.taken;        \
        __asm__ volatile("wfi" ::: "memory");                      \
    }
#define STARLOOM_FIRMWARE(state_t, on_start, on_slot)              \
    static state_t starloom_state;                                 \
    int main(void) {                                               \
        STARLOOM_TURN(on_start)                                    \
        for (;;) STARLOOM_TURN(on_slot)                            \
    }

/* Functions of starloom.h without a word of the window. */
#define STARLOOM_NO_WORD(name) \
    extern uint32_t starloom_no_##name(void) \
        __attribute__((error(#name " has no word in the NIC's window of a RISC-V processor")));
STARLOOM_NO_WORD(sl_schedule_word)
STARLOOM_NO_WORD(sl_listen_in)
STARLOOM_NO_WORD(sl_rom)
STARLOOM_NO_WORD(sl_tx_status)
STARLOOM_NO_WORD(sl_served)
STARLOOM_NO_WORD(sl_accept)
STARLOOM_NO_WORD(sl_request_lists)
STARLOOM_NO_WORD(sl_withdraw_from)
STARLOOM_NO_WORD(sl_logf)
#define sl_schedule_word(nic) starloom_no_sl_schedule_word()
#define sl_listen_in(nic, k, port) starloom_no_sl_listen_in()
#define sl_rom(nic, k) starloom_no_sl_rom()
#define sl_rom_words(nic) starloom_no_sl_rom()
#define sl_machine_rom(nic, k) starloom_no_sl_rom()
#define sl_machine_rom_words(nic) starloom_no_sl_rom()
#define sl_tx_status(nic) starloom_no_sl_tx_status()
#define sl_tx_status_of(nic, port) starloom_no_sl_tx_status()
#define sl_served(nic) starloom_no_sl_served()
#define sl_served_of(nic, port) starloom_no_sl_served()
#define sl_accept(nic, tag) starloom_no_sl_accept()
#define sl_list_words(nic) starloom_no_sl_request_lists()
#define sl_first_choice(nic, place) starloom_no_sl_request_lists()
#define sl_valid(nic, place) starloom_no_sl_request_lists()
#define sl_set_valid(nic, place) starloom_no_sl_request_lists()
#define sl_set_invalid(nic, place) starloom_no_sl_request_lists()
#define sl_set_all_valid(nic) starloom_no_sl_request_lists()
#define sl_withdraw_from(nic, port) starloom_no_sl_withdraw_from()
#define sl_logf(nic, ...) starloom_no_sl_logf()
#define STARLOOM_CALL(name, parameters, result) \
    SL_STATIC_ASSERT(0, "STARLOOM_CALL: the network cannot call a function of a RISC-V processor");

#endif
