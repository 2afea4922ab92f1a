/* The Starloom firmware SDK: one freestanding header for C11 and C++17.
 *
 * Write the handlers of one processor; the header wraps them into loops over a bank of
 * processors, which the host calls:
 *
 *     #include "starloom.h"
 *     typedef struct { ... } state_t;                      // ALL state of one processor
 *     static void on_start(sl_nic *nic, state_t *s) {...}  // once, before slot 0
 *     static void on_slot (sl_nic *nic, state_t *s) {...}  // once per slot
 *     STARLOOM_FIRMWARE(state_t, on_start, on_slot)
 *
 * on_slot reads the frames of the previous slot (sl_receive, sl_status), selects what to
 * send (sl_send) and hear (sl_listen) in this slot, and may sleep (sl_sleep). State starts
 * as zeros. Do not use globals or static variables: a bank of processors shares them.
 *
 *     clang --target=wasm32 -O2 -g -ffreestanding -mbulk-memory -msign-ext -mmutable-globals -I sdk -c -o my.o my.c
 *     wasm-ld --no-entry --stack-first -z stack-size=16384 --export=__stack_pointer -o my.wasm my.o
 *
 * `starloom firmware build my.c -o my.wasm` does the same. (If clang links and wasm-opt is
 * installed, the image loses names and lines.) */
#ifndef STARLOOM_H
#define STARLOOM_H

#include "starloom_registers.h"

#if defined STARLOOM_REQUESTS && !defined STARLOOM_ROM
#define STARLOOM_ROM
#endif

/* SL_EXPORT, SL_IMPORT, SL_INLINE, and the memory of a bank: in WebAssembly, or in a native
 * unit test. */
#include "starloom_target.h"

SL_IMPORT(log) void sl_host_log(const char *text, uint32_t bytes);
SL_IMPORT(probe) void sl_host_probe(uint32_t signal, uint64_t value);
SL_IMPORT(fail) void sl_host_fail(int32_t code);
SL_IMPORT(deliver) void sl_host_deliver(uint32_t origin);

/* The processor's view of its NIC. Use the functions below. */
typedef struct {
    sl_bank bank;            /* a copy, in wasm locals once the handler is inlined */
    sl_processor *registers; /* of this processor */
    uint8_t *record;         /* of this processor */
    uint32_t rx, tx;         /* offsets of the FIFOs in record */
    uint32_t cell, slot;
    uint32_t draws;          /* random draws in this slot */
    uint32_t taken;          /* frames taken from the RX FIFO in this slot */
} sl_nic;

/* A packet that travels over several hops: the start of a data frame's payload, where the
 * host's exactly-once rule and the dissector read it. */
typedef struct {
    uint32_t origin, destination;
} sl_packet;

/* This processor's number, and the number of processors. */
SL_INLINE uint32_t sl_self(const sl_nic *nic) { return nic->bank.first + nic->cell; }
SL_INLINE uint32_t sl_processors(const sl_nic *nic) { return nic->bank.processors; }

/* Word k, 0 to 7, of the network's size. The network's own header, such as starloom_pops.h,
 * names the words. */
SL_INLINE uint32_t sl_shape(const sl_nic *nic, uint32_t k) { return nic->bank.shape[k]; }
SL_INLINE uint32_t sl_ports(const sl_nic *nic) { return nic->bank.ports; }

/* The slot that begins now, from 0. */
SL_INLINE uint32_t sl_slot(const sl_nic *nic) { return nic->slot; }

/* This processor's word of the workload, e.g. the destination of its packet. */
SL_INLINE uint32_t sl_workload(const sl_nic *nic) { return nic->bank.workload[nic->cell]; }

/* The word of the schedule for this slot, defined by the network. The firmware must define
 * STARLOOM_SCHEDULE before it includes this header, and the scenario must have a schedule. */
SL_INLINE uint64_t sl_schedule_word(const sl_nic *nic) { return nic->bank.schedule[nic->cell]; }

/* Parameter number k of STARLOOM_PARAMS. */
SL_INLINE int32_t sl_param(const sl_nic *nic, uint32_t k) { return nic->bank.param[k]; }

/* Receiver status of the previous slot: SL_STATUS_IDLE, _OK, ... */
SL_INLINE uint32_t sl_status(const sl_nic *nic) { return nic->bank.rx_status[nic->cell]; }

/* Frame `place` of a FIFO. Place 0, the head, is in the record; the others are elsewhere. */
SL_INLINE sl_frame *starloom_frame(const sl_nic *nic, uint8_t *head, uint8_t *more, uint32_t place) {
    if (place == 0) return (sl_frame *)head;
    return (sl_frame *)(more + ((place - 1) * nic->bank.cells + nic->cell) * nic->bank.frame_stride);
}
SL_INLINE sl_frame *starloom_rx(const sl_nic *nic, uint32_t place) {
    return starloom_frame(nic, nic->record + nic->rx, nic->bank.rx_more, place);
}
SL_INLINE sl_frame *starloom_tx(const sl_nic *nic, uint32_t place) {
    return starloom_frame(nic, nic->record + nic->tx, nic->bank.tx_more, place);
}

/* Takes the next frame from the RX FIFO, 0 if it is empty. The frame is valid until the handler
 * returns. */
SL_INLINE const sl_frame *sl_receive(sl_nic *nic) {
    if (nic->taken >= nic->registers->rx_count) return 0;
    return starloom_rx(nic, nic->taken++);
}

/* The packet in a frame's payload. */
SL_INLINE const sl_packet *sl_packet_of(const sl_frame *frame) { return (const sl_packet *)frame->payload; }

/* Number of frames that still fit into the TX FIFO. */
SL_INLINE uint32_t sl_tx_free(const sl_nic *nic) {
    uint32_t queued = (uint32_t)nic->registers->tx_count + nic->registers->tx_fewer;
    return queued < nic->bank.tx_frames ? nic->bank.tx_frames - queued : 0;
}

/* Appends a frame to the TX FIFO; 0 if the FIFO is full or the payload too long. */
SL_INLINE sl_frame *starloom_queue(sl_nic *nic, uint32_t port, uint32_t kind, uint32_t destination, uint32_t payload_bytes) {
    uint32_t queued = nic->registers->tx_count;
    if (queued + nic->registers->tx_fewer >= nic->bank.tx_frames) {
        nic->registers->flags |= SL_FLAG_TX_OVERFLOW;
        return 0;
    }
    nic->registers->tx_count = (uint8_t)(queued + 1);
    sl_frame *frame = starloom_tx(nic, queued);
    frame->kind = (uint8_t)kind;
    frame->flags = 0;
    frame->payload_bytes = (uint16_t)payload_bytes;
    frame->destination = destination;
    frame->tag = 0;
    frame->port = (uint16_t)port;
    return payload_bytes <= nic->bank.payload_bytes ? frame : 0;
}

/* A frame that is not sent, all zeros. Writes to the frame are lost. The bank has memory for long frames. */
static __attribute__((aligned(8))) uint8_t starloom_lost[sizeof(sl_frame) + SL_PAYLOAD_BYTES_RTL], *starloom_lost_long;
SL_INLINE sl_frame *starloom_lose(uint32_t payload_bytes) {
    if (payload_bytes > (starloom_lost_long ? SL_PAYLOAD_BYTES_MAX : SL_PAYLOAD_BYTES_RTL)) __builtin_trap();
    uint8_t *frame = starloom_lost_long ? starloom_lost_long : starloom_lost;
    /* volatile: a loop, not a call (see starloom_move). */
    for (volatile uint8_t *at = frame, *end = at + sizeof(sl_frame) + payload_bytes; at < end;) *at++ = 0;
    return (sl_frame *)frame;
}

/* Appends a frame to the TX FIFO, for one port or SL_PORT_ALL, and returns it; its payload
 * can be filled in until the handler returns. The NIC sends one frame per slot and fills
 * in the source.
 *
 * The result is never 0. If the FIFO is full (overflow counts such slots; see sl_tx_free),
 * or the payload exceeds nic.payload_bytes, the frame is not sent. In the second case the
 * NIC also refuses its FIFO, which fails the run and names the processor. A payload of more
 * than both nic.payload_bytes and 1,024 bytes may trap at once. */
SL_INLINE sl_frame *sl_send(sl_nic *nic, uint32_t port, uint32_t kind, uint32_t destination, uint32_t payload_bytes) {
    sl_frame *frame = starloom_queue(nic, port, kind, destination, payload_bytes);
    return frame ? frame : starloom_lose(payload_bytes);
}

/* Sends a data frame that carries one packet. */
SL_INLINE void sl_send_packet(sl_nic *nic, uint32_t port, uint32_t destination, sl_packet packet) {
    sl_frame *frame = starloom_queue(nic, port, SL_KIND_DATA, destination, sizeof packet);
    if (frame) *(sl_packet *)frame->payload = packet;
}

/* Sends a frame without payload. */
SL_INLINE void sl_send_ack(sl_nic *nic, uint32_t port, uint32_t destination) {
    starloom_queue(nic, port, SL_KIND_ACK, destination, 0);
}

/* An algorithm whose steps have several slots may select the ports to hear in all slots of a step in advance, like a receiver
 * with a gate table. Define this constant, 1 to 64, before this header is included. Its value may use `bank`, see
 * STARLOOM_STATE_BYTES. */
#ifndef STARLOOM_LISTEN_SLOTS
#define STARLOOM_LISTEN_SLOTS 1
#endif

/* Hears this port in slot k of every step, from this slot on: in all slots t with t mod
 * STARLOOM_LISTEN_SLOTS == k. SL_PORT_NONE for none. */
SL_INLINE void sl_listen_in(sl_nic *nic, uint32_t k, uint32_t port) {
    nic->bank.listen[k * nic->bank.cells + nic->cell] = (uint16_t)port;
}

/* Hears this port in every slot, from this slot on; SL_PORT_NONE for none. */
SL_INLINE void sl_listen(sl_nic *nic, uint32_t port) {
    const sl_bank *bank = &nic->bank;
    (void)bank;
    for (uint32_t k = 0; k < STARLOOM_LISTEN_SLOTS; k++) sl_listen_in(nic, k, port);
}

/* A hint: the handler has nothing to do for the next `slots` slots, 1 to SL_LONG,
 * unless a frame or sl_delivered arrives or the word of the schedule changes. The
 * host may still call it earlier. Sleeping processors cost the host almost
 * nothing. */
#define SL_LONG 0xFFFFu
SL_INLINE void sl_sleep(sl_nic *nic, uint32_t slots) {
    nic->registers->wake = (uint16_t)(nic->slot + slots);
    nic->registers->flags |= SL_FLAG_SLEEPING;
}

/* This processor has finished. The run ends when all have finished and all queues are
 * empty. */
SL_INLINE void sl_done(sl_nic *nic) { nic->registers->flags |= SL_FLAG_DONE; }

/* Reports the number of packets that this processor holds, for the memory rule: including
 * packets received in the previous slot and packets sent in this slot. A packet received in
 * slot t and sent in slot u > t is held in the handlers of slots t+1 to u. 255 means 255 or
 * more. The host compares the number with the frames. */
SL_INLINE void sl_hold(sl_nic *nic, uint32_t packets) { nic->registers->held = (uint8_t)(packets < 255 ? packets : 255); }

/* Reports the final arrival of a packet. Only for algorithms without a visible last hop, such
 * as sorting: a data frame addressed to this processor with its packet is a delivery already.
 * The host accepts it if the packet is this processor's own, or if a data frame has carried it
 * here. */
SL_INLINE void sl_deliver(sl_nic *nic, sl_packet packet) {
    (void)nic;
    sl_host_deliver(packet.origin);
}

/* Reports whether this processor's own packet has arrived. Only workloads of the two-hop class provide this acknowledgement.
 * */
SL_INLINE int sl_delivered(const sl_nic *nic) { return (nic->registers->flags & SL_FLAG_DELIVERED) != 0; }

SL_INLINE uint64_t sl_mix64(uint64_t x) {
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

/* 32 uniform random bits: a function of seed, processor, slot and number of the draw. See the macro below. */
SL_INLINE uint64_t sl_random(sl_nic *nic) {
    const uint64_t gamma = 0x9E3779B97F4A7C15u;
    uint64_t x = sl_mix64(nic->bank.seed + gamma * sl_self(nic));
    return sl_mix64(x + gamma * ((uint64_t)nic->slot << 16 | (nic->draws++ & 0xFFFF))) >> 32;
}

/* Uniform in 0..bound-1, bound >= 1; probabilities differ by at most 2^-32. */
SL_INLINE uint32_t sl_random_below(sl_nic *nic, uint32_t bound) {
    return (uint32_t)starloom_choice(sl_random(nic) * bound >> 32, bound, ~0ull);
}

/* Writes a line to the firmware log, with cycle and processor. */
SL_INLINE void sl_log(sl_nic *nic, const char *text) {
    uint32_t bytes = 0;
    while (text[bytes]) bytes++;
    (void)nic;
    sl_host_log(text, bytes);
}

/* Shows a value as signal number `signal` of STARLOOM_PROBES in waveforms. */
SL_INLINE void sl_probe(sl_nic *nic, uint32_t signal, uint64_t value) {
    (void)nic;
    sl_host_probe(signal, value);
}

/* Gives up: the run fails with this code, and the report names the processor, the function
 * and the line of the call. The handler is not called again. Does not return.
 *
 *     if (s->held > DEPTH) sl_fail(nic, 3);
 *
 * A macro, so that the line is the caller's. */
#define sl_fail(nic, code) ((void)(nic), sl_host_fail(code), __builtin_trap())

/* Names of the probes, for example STARLOOM_PROBES("held", "temporary_group"). */
#define STARLOOM_PROBES(...) \
    SL_EXPORT(starloom_probe_names) const char *const *starloom_probe_names(void) { \
        static const char *const names[] = {__VA_ARGS__, 0}; \
        return names; \
    }

/* A function that the network may call by name, with 32-bit arguments and one 32-bit result.
 * It must depend only on its arguments, for example
 *     STARLOOM_CALL(square, (uint32_t x), x * x) */
#define STARLOOM_CALL(name, parameters, result) \
    SL_EXPORT(starloom_call_##name) uint32_t starloom_call_##name parameters { return (result); }

/* Names and defaults of the parameters, for example STARLOOM_PARAMS("retries=3"). */
#define STARLOOM_PARAMS(...) \
    SL_EXPORT(starloom_param_names) const char *const *starloom_param_names(void) { \
        static const char *const names[] = {__VA_ARGS__, 0}; \
        return names; \
    }

/* State whose size depends on the network: define this, before the header is included, as the
 * number of bytes of a flexible array at the end of state_t. It may use `bank`, a const
 * sl_bank *, of which processors, shape, ports and param are set. The state of a processor
 * may have at most 1 MiB.
 *
 *     #define STARLOOM_STATE_BYTES (bank->processors * sizeof(uint16_t))
 *     #include "starloom.h"
 *     typedef struct { uint32_t known; uint16_t value[]; } state_t; */
#ifdef STARLOOM_STATE_BYTES
#define STARLOOM_RX(state_t) (nic.bank.rx)
#else
#define STARLOOM_STATE_BYTES 0u
#define STARLOOM_RX(state_t) ((sizeof(state_t) + 7) / 8 * 8 + SL_GAP) /* a constant */
#endif

/* Constant tables of the network, such as lists of requests: define STARLOOM_ROM before this
 * header is included; the network must have tables. Word k, 0 to words-1, of this processor's
 * table, and of the table shared by all processors. */
SL_INLINE uint32_t sl_rom_words(const sl_nic *nic) { return nic->bank.rom_words; }
SL_INLINE uint32_t sl_rom(const sl_nic *nic, uint32_t k) { return nic->bank.rom[nic->cell * nic->bank.rom_words + k]; }
SL_INLINE uint32_t sl_machine_rom_words(const sl_nic *nic) { return nic->bank.machine_rom_words; }
SL_INLINE uint32_t sl_machine_rom(const sl_nic *nic, uint32_t k) { return nic->bank.machine_rom[k]; }

/* Status of the frame that this NIC had to send in the previous slot (SL_TX_NONE,
 * _SENT, _BLOCKED, _COLLIDED), and the addressee of a sent frame: define
 * STARLOOM_TX_STATUS before this header is included. A blocked frame stays at the head
 * of the TX FIFO, and the NIC retries until it is sent or withdrawn. A sent frame wakes
 * a sleeping handler. */
SL_INLINE uint32_t sl_tx_status(const sl_nic *nic) { return nic->bank.tx_status[nic->cell]; }
SL_INLINE uint32_t sl_served(const sl_nic *nic) { return nic->bank.served[nic->cell]; }

/* In networks whose frames go to the output of one processor, such as a crossbar, a request carries the frame's tag. An
 * output may accept a single tag; initially it accepts all tags, SL_TAG_ANY. Define STARLOOM_TAGS before this header is
 * included. */
SL_INLINE void sl_accept(sl_nic *nic, uint32_t tag) { nic->bank.accept_tag[nic->cell] = (uint16_t)tag; }

/* Some of these networks accept a list of addressees: the first sl_list_words words of this processor's ROM. A
 * frame to SL_LISTED goes to the first choice if this place is valid and its addressee is free, otherwise to the
 * first such place of the list. sl_served returns the addressee, and the NIC invalidates the place. Initially
 * all places are invalid. Define STARLOOM_REQUESTS, which includes STARLOOM_ROM, before this header is included.
 * */
SL_INLINE uint32_t sl_list_words(const sl_nic *nic) { return nic->bank.list_words; }
SL_INLINE void sl_first_choice(sl_nic *nic, uint32_t place) { nic->bank.first_choice[nic->cell] = place; }
SL_INLINE uint64_t *starloom_valid(const sl_nic *nic) { return nic->bank.list_valid + nic->cell * ((nic->bank.list_words + 63) / 64); }
SL_INLINE int sl_valid(const sl_nic *nic, uint32_t place) { return starloom_valid(nic)[place / 64] >> place % 64 & 1; }
SL_INLINE void sl_set_valid(sl_nic *nic, uint32_t place) { starloom_valid(nic)[place / 64] |= (uint64_t)1 << place % 64; }
SL_INLINE void sl_set_invalid(sl_nic *nic, uint32_t place) { starloom_valid(nic)[place / 64] &= ~((uint64_t)1 << place % 64); }
SL_INLINE void sl_set_all_valid(sl_nic *nic) {
    uint32_t places = nic->bank.list_words;
    uint64_t *valid = starloom_valid(nic);
    for (; places >= 64; places -= 64) *valid++ = ~(uint64_t)0;
    if (places) *valid = ((uint64_t)1 << places) - 1;
}

/* The frame that the NIC sends next, 0 for none; valid until it is withdrawn or the handler
 * returns. */
SL_INLINE const sl_frame *sl_tx_head(const sl_nic *nic) { return nic->registers->tx_count ? starloom_tx(nic, 0) : 0; }

/* Copies a frame within a FIFO, word by word: a call in the loop over the cells would slow down
 * every cell, since the sandbox keeps no registers across calls. */
SL_INLINE void starloom_move(const sl_nic *nic, sl_frame *to_frame, const sl_frame *from_frame) {
    const uint64_t *from = (const uint64_t *)from_frame;
    uint64_t *to = (uint64_t *)to_frame;
    uint32_t payload = from_frame->payload_bytes;
    uint32_t bytes = (uint32_t)sizeof(sl_frame) + (payload > 8 ? (payload + 7) / 8 * 8 : 8);
    if (bytes > nic->bank.frame_stride) bytes = nic->bank.frame_stride;
    for (const uint64_t *end = from + bytes / 8; from < end;) *to++ = *from++;
}

/* Removes the next frame from the TX FIFO without sending it. */
SL_INLINE void sl_withdraw(sl_nic *nic) {
    uint32_t queued = nic->registers->tx_count;
    if (queued == 0) return;
    nic->registers->tx_count = (uint8_t)--queued;
    for (uint32_t place = 0; place < queued; place++) starloom_move(nic, starloom_tx(nic, place), starloom_tx(nic, place + 1));
}

/* For NICs that send and receive at all of their ports in one slot: status and transmit status
 * of a port; the functions without a port refer to port 0. The frames of all ports share one
 * FIFO, each with its port; the NIC sends the first frame of each port. It hears all ports
 * unless sl_listen selects one, or none. */
SL_INLINE uint32_t sl_status_of(const sl_nic *nic, uint32_t port) { return nic->bank.rx_status[port * nic->bank.cells + nic->cell]; }
SL_INLINE uint32_t sl_tx_status_of(const sl_nic *nic, uint32_t port) { return nic->bank.tx_status[port * nic->bank.cells + nic->cell]; }
SL_INLINE uint32_t sl_served_of(const sl_nic *nic, uint32_t port) { return nic->bank.served[port * nic->bank.cells + nic->cell]; }

/* Removes the first frame to a port from the TX FIFO without sending it. */
SL_INLINE void sl_withdraw_from(sl_nic *nic, uint32_t port) {
    uint32_t queued = nic->registers->tx_count, place = 0;
    while (place < queued && starloom_tx(nic, place)->port != port) place++;
    if (place == queued) return;
    nic->registers->tx_count = (uint8_t)--queued;
    for (; place < queued; place++) starloom_move(nic, starloom_tx(nic, place), starloom_tx(nic, place + 1));
}

static sl_bank starloom_bank;

/* Places the columns and records of a bank after the program's data and returns the descriptor,
 * or 0 if the memory cannot grow that far. */
SL_INLINE sl_bank *starloom_place(uint32_t cells, uint32_t payload_bytes, uint32_t rx_frames, uint32_t tx_frames,
                                  uint64_t state_bytes) {
    sl_bank *bank = &starloom_bank;
    if (state_bytes > 1u << 20) { bank->rx = state_bytes < ~0u ? (uint32_t)state_bytes : ~0u; return 0; } /* the host reports it */
    uint64_t at = starloom_base();
    bank->abi = SL_ABI_VERSION;
    bank->cells = cells;
    bank->payload_bytes = payload_bytes;
    bank->rx_frames = rx_frames;
    bank->tx_frames = tx_frames;
    bank->frame_stride = (uint32_t)sizeof(sl_frame) + (payload_bytes + 7) / 8 * 8;
    bank->rx = (uint32_t)(state_bytes + 7) / 8 * 8 + SL_GAP;
    bank->tx = bank->rx + bank->frame_stride + SL_GAP;
    bank->record_stride = bank->tx + bank->frame_stride + SL_GAP;
    bank->listen_slots = STARLOOM_LISTEN_SLOTS;
    /* Columns start on separate cache lines; those of a single processor are adjacent. */
    const uint64_t line = cells > 1 ? 64 : 8;
#define SL_PLACE(field, bytes) bank->field = (__typeof__(bank->field))starloom_column(&at, line, (uint64_t)cells * (bytes));
    SL_PLACE(processor, sizeof *bank->processor)
    SL_PLACE(rx_status, sizeof *bank->rx_status * (uint64_t)bank->lanes)
    SL_PLACE(calls, sizeof *bank->calls)
    SL_PLACE(workload, sizeof *bank->workload)
    SL_PLACE(listen, sizeof *bank->listen * bank->listen_slots)
#ifdef STARLOOM_SCHEDULE
    SL_PLACE(schedule, sizeof *bank->schedule)
#endif
    SL_PLACE(record, bank->record_stride)
    SL_PLACE(rx_more, (uint64_t)(rx_frames - 1) * bank->frame_stride)
    SL_PLACE(tx_more, (uint64_t)(tx_frames - 1) * bank->frame_stride)
#ifdef STARLOOM_TX_STATUS
    SL_PLACE(tx_status, sizeof *bank->tx_status * (uint64_t)bank->lanes)
    SL_PLACE(served, sizeof *bank->served * (uint64_t)bank->lanes)
#endif
#ifdef STARLOOM_TAGS
    SL_PLACE(accept_tag, sizeof *bank->accept_tag)
#endif
#ifdef STARLOOM_REQUESTS
    SL_PLACE(first_choice, sizeof *bank->first_choice)
    SL_PLACE(list_valid, sizeof *bank->list_valid * (uint64_t)((bank->list_words + 63) / 64))
#endif
#ifdef STARLOOM_ROM
    SL_PLACE(rom, sizeof *bank->rom * (uint64_t)bank->rom_words)
    bank->machine_rom = (const uint32_t *)starloom_column(&at, line, sizeof *bank->machine_rom * (uint64_t)bank->machine_rom_words);
#endif
#undef SL_PLACE
    starloom_lost_long = 0;
    if (payload_bytes > SL_PAYLOAD_BYTES_RTL) { /* shared by all cells, with room for the longest frame */
        starloom_lost_long = (uint8_t *)starloom_column(&at, 8, sizeof(sl_frame) + SL_PAYLOAD_BYTES_MAX + 8);
    }
    return starloom_reserve(at) ? bank : 0;
}

/* The loop over the cells to call. The handler is inlined, and the copy of the descriptor
 * becomes locals.
 *
 * SL_OPAQUE keeps the compiler from using negative offsets, which WebAssembly lacks: with
 * one base and positive offsets the sandbox checks the bounds once for all registers, and
 * once for all fields of a record. */
#define SL_OPAQUE(pointer) __asm__("" : "+r"(pointer))
#define STARLOOM_LOOP(state_t, handler, count, slot_number)                               \
    sl_nic nic;                                                                           \
    nic.bank = starloom_bank;                                                             \
    nic.slot = (slot_number);                                                             \
    nic.rx = STARLOOM_RX(state_t);                                                        \
    nic.tx = nic.rx + nic.bank.frame_stride + SL_GAP;                                     \
    for (uint32_t place = 0; place < (count); place++) {                                  \
        starloom_bank.current = place;                                                    \
        nic.cell = nic.bank.calls[place];                                                 \
        nic.registers = nic.bank.processor + nic.cell;                                    \
        nic.record = nic.bank.record + nic.cell * nic.bank.record_stride;                 \
        SL_OPAQUE(nic.registers);                                                         \
        SL_OPAQUE(nic.record);                                                            \
        nic.registers->flags &= (uint8_t)~SL_FLAG_SLEEPING;                               \
        nic.draws = 0;                                                                    \
        nic.taken = 0; STARLOOM_ENTER;                                                    \
        handler(&nic, (state_t *)nic.record);                                             \
        starloom_consume(&nic); STARLOOM_LEAVE;                                           \
    }

/* Removes from the RX FIFO the frames that the handler has taken. */
SL_INLINE void starloom_consume(sl_nic *nic) {
    if (nic->taken == 0) return;
    uint32_t left = nic->registers->rx_count - nic->taken;
    nic->registers->rx_count = (uint8_t)left;
    if (left == 0) return;
    for (uint32_t place = 0; place < left; place++)
        starloom_move(nic, starloom_rx(nic, place), starloom_rx(nic, place + nic->taken));
}

/* Exports the entry points of the bank for a pair of handlers. */
#define STARLOOM_FIRMWARE(state_t, on_start, on_slot)                                              \
    SL_STATIC_ASSERT(__alignof__(state_t) <= 8, "state of a processor: alignment of at most 8 bytes"); \
    SL_EXPORT(starloom_abi) uint32_t starloom_abi(void) { return SL_ABI_VERSION; }                 \
    SL_EXPORT(starloom_attach)                                                                     \
    sl_bank *starloom_attach(uint32_t cells, uint32_t payload_bytes, uint32_t rx_frames, uint32_t tx_frames) { \
        const sl_bank *bank = &starloom_bank;                                                      \
        (void)bank;                                                                                \
        return starloom_place(cells, payload_bytes, rx_frames, tx_frames, sizeof(state_t) + (uint64_t)(STARLOOM_STATE_BYTES)); \
    }                                                                                              \
    SL_EXPORT(starloom_start) void starloom_start(uint32_t starloom_count) {                       \
        STARLOOM_LOOP(state_t, on_start, starloom_count, 0)                                        \
    }                                                                                              \
    SL_EXPORT(starloom_slot) void starloom_slot(uint32_t starloom_count, uint32_t starloom_number) { \
        STARLOOM_LOOP(state_t, on_slot, starloom_count, starloom_number)                           \
    }                                                                                              \
    SL_EXPORT(starloom_bank) sl_bank *starloom_descriptor(void) { return &starloom_bank; }

SL_IMPORT(result) void sl_host_result(uint32_t k, uint64_t value);

/* Returns a result to the host: word number k of this processor, 0 to 2^32-1. A later value
 * replaces an earlier one. The report shows the words, in terms of the workload if it
 * interprets them. At most 1,024 results per slot. */
SL_INLINE void sl_result(sl_nic *nic, uint32_t k, uint64_t value) {
    (void)nic;
    sl_host_result(k, value);
}

/* Names of the results from word 0 on, for example STARLOOM_RESULTS("hops", "waited"): the
 * report has statistics of each over all processors, as signed integers. */
#define STARLOOM_RESULTS(...) \
    SL_EXPORT(starloom_result_names) const char *const *starloom_result_names(void) { \
        static const char *const names[] = {__VA_ARGS__, 0}; \
        return names; \
    }

SL_IMPORT(logf) __attribute__((format(printf, 1, 2))) void sl_host_logf(const char *format, ...);
SL_IMPORT(assert) __attribute__((noreturn)) void sl_host_assert(const char *condition, const char *function, const char *file, uint32_t line);

/* A line in the firmware log, formatted by the host like printf:
 *     sl_logf(nic, "held %u of %u", held, sl_processors(nic));
 * %d %i %u %x %X %o %c %s %p %%, with flags, width and precision, and %lld %llu %llx for 64 bits.
 * A line has at most 256 bytes. */
#define sl_logf(nic, ...) ((void)(nic), sl_host_logf(__VA_ARGS__))

/* Gives up like sl_fail unless the condition holds; the report contains the condition, the
 * function, the file and the line. */
#define sl_assert(nic, condition) \
    ((void)(nic), (condition) ? (void)0 : sl_host_assert(#condition, __func__, __FILE__, __LINE__))

/* True with a probability of n/d, d >= 1: two outcomes, from one draw. */
SL_INLINE int sl_chance(sl_nic *nic, uint64_t n, uint32_t d) {
    return starloom_choice(sl_random(nic) * d >> 32, d, n) < n;
}

/* k random bits, 0 <= k <= 31, as a number below 2^k: the low bits of one draw. A search of all draws takes k <= 12. */
SL_INLINE uint32_t sl_random_bits(sl_nic *nic, uint32_t k) {
    return (uint32_t)starloom_choice(sl_random(nic), 1u << k, ~0ull) & ((1u << k) - 1);
}

/* 32 random bits: too many outcomes for a search of all draws. Prefer the functions above. */
#define sl_random(nic) ((uint32_t)starloom_choice((sl_random)(nic), 0, ~0ull))

/* A checked build, `starloom firmware build --debug`, asserts, with the caller's file and
 * line, where other builds lose or ignore errors: values out of range (ports, parameters,
 * probes, ROM words, places of a list, slots of sl_sleep), payloads that are too long,
 * and writes to a frame of sl_send that is not sent because the FIFO is full. The
 * compiler adds checks for null pointers, shifts, overflows and others, except for
 * accesses to volatile objects: a null pointer to volatile accesses address 0, which
 * exists. */
#ifdef STARLOOM_CHECKED
#ifndef STARLOOM_NATIVE /* native tests have the sanitizer's library */
#ifdef __cplusplus
extern "C" {
#endif
/* Called by checks of clang's undefined behaviour sanitizer. The data of each check begins with its place in the source; the host
 * finds the function. */
typedef struct {
    const char *file;
    uint32_t line, column;
} starloom_place_t;
#define STARLOOM_UNDEFINED(name, text, ...) \
    __attribute__((weak, noreturn, no_sanitize("undefined"))) \
    void __ubsan_handle_##name(const starloom_place_t *at, ##__VA_ARGS__) { \
        sl_host_assert(text, "", at->file, at->line); \
    }
STARLOOM_UNDEFINED(type_mismatch_v1_abort, "the pointer is not null, and what it points to is large enough", uint32_t a)
STARLOOM_UNDEFINED(pointer_overflow_abort, "the pointer stays in its object", uint32_t a, uint32_t b)
STARLOOM_UNDEFINED(out_of_bounds_abort, "the index is in the array", uint32_t a)
STARLOOM_UNDEFINED(shift_out_of_bounds_abort, "the shift is less than the width", uint32_t a, uint32_t b)
STARLOOM_UNDEFINED(divrem_overflow_abort, "the divisor is not 0, and the quotient fits", uint32_t a, uint32_t b)
STARLOOM_UNDEFINED(add_overflow_abort, "the sum fits", uint32_t a, uint32_t b)
STARLOOM_UNDEFINED(sub_overflow_abort, "the difference fits", uint32_t a, uint32_t b)
STARLOOM_UNDEFINED(mul_overflow_abort, "the product fits", uint32_t a, uint32_t b)
STARLOOM_UNDEFINED(negate_overflow_abort, "the negative fits", uint32_t a)
STARLOOM_UNDEFINED(load_invalid_value_abort, "the value is one of its type", uint32_t a)
STARLOOM_UNDEFINED(vla_bound_not_positive_abort, "the length of the array is positive", uint32_t a)
STARLOOM_UNDEFINED(nonnull_arg_abort, "the argument is not null")
STARLOOM_UNDEFINED(nonnull_return_v1_abort, "the result is not null", const starloom_place_t *a)
STARLOOM_UNDEFINED(invalid_builtin_abort, "the argument is not 0")
STARLOOM_UNDEFINED(builtin_unreachable, "this is not reached")
STARLOOM_UNDEFINED(missing_return, "the function returns a value")
/* Marks the image as a checked build for the host. */
__attribute__((weak)) SL_EXPORT(starloom_checked) uint32_t starloom_checked(void) { return 1; }
#ifdef __cplusplus
}
#endif
#endif

#define STARLOOM_HERE __func__, __FILE__, __LINE__

__attribute__((weak)) const char *const *starloom_param_names(void);
__attribute__((weak)) const char *const *starloom_probe_names(void);
SL_INLINE uint32_t starloom_count(const char *const *(*list)(void)) {
    uint32_t count = 0;
    if (list)
        while (list()[count]) count++;
    return count;
}

SL_INLINE uint32_t starloom_below(uint32_t value, uint32_t limit, const char *text, const char *function, const char *file, uint32_t line) {
    if (value >= limit) sl_host_assert(text, function, file, line);
    return value;
}
SL_INLINE uint32_t starloom_port(uint32_t port, uint32_t special, uint32_t ports, const char *text, const char *function, const char *file, uint32_t line) {
    return port == special || port == SL_PORT_ALL ? port : starloom_below(port, ports, text, function, file, line);
}

/* An unsent frame is filled with marks, which must be intact when the handler ends. */
#define STARLOOM_MARK 0xDB
static struct {
    const uint8_t *payload; /* 0: no frame was lost in this handler */
    const char *function, *file;
    uint32_t bytes, line;
} starloom_lost_by;
#define STARLOOM_ENTER starloom_lost_by.payload = 0
#define STARLOOM_LEAVE starloom_untouched()
SL_INLINE void starloom_untouched(void) {
    if (!starloom_lost_by.payload) return;
    for (uint32_t i = 0; i < starloom_lost_by.bytes; i++)
        if (starloom_lost_by.payload[i] != STARLOOM_MARK)
            sl_host_assert("sl_send: nothing is written to a frame that the full TX FIFO has no room for",
                           starloom_lost_by.function, starloom_lost_by.file, starloom_lost_by.line);
    starloom_lost_by.payload = 0;
}
SL_INLINE sl_frame *starloom_checked_send(sl_nic *nic, uint32_t port, uint32_t kind, uint32_t destination, uint32_t payload_bytes,
                                          const char *function, const char *file, uint32_t line) {
    starloom_untouched();
    starloom_port(port, SL_PORT_ALL, nic->bank.ports, "sl_send: port < sl_ports(nic) || port == SL_PORT_ALL", function, file, line);
    starloom_below(payload_bytes, nic->bank.payload_bytes + 1, "sl_send: payload_bytes <= nic.payload_bytes", function, file, line);
    int lost = sl_tx_free(nic) == 0;
    sl_frame *frame = sl_send(nic, port, kind, destination, payload_bytes);
    if (!lost) return frame;
    starloom_lost_by.payload = frame->payload;
    starloom_lost_by.bytes = payload_bytes;
    starloom_lost_by.function = function;
    starloom_lost_by.file = file;
    starloom_lost_by.line = line;
    for (uint32_t i = 0; i < payload_bytes; i++) ((volatile uint8_t *)frame->payload)[i] = STARLOOM_MARK;
    return frame;
}

#define sl_send(nic, port, kind, destination, payload_bytes) starloom_checked_send(nic, port, kind, destination, payload_bytes, STARLOOM_HERE)
#define sl_send_packet(nic, port, ...) \
    sl_send_packet(nic, starloom_port(port, SL_PORT_ALL, (nic)->bank.ports, \
                                      "sl_send_packet: port < sl_ports(nic) || port == SL_PORT_ALL", STARLOOM_HERE), \
                   __VA_ARGS__)
#define sl_send_ack(nic, port, destination) \
    sl_send_ack(nic, starloom_port(port, SL_PORT_ALL, (nic)->bank.ports, \
                                   "sl_send_ack: port < sl_ports(nic) || port == SL_PORT_ALL", STARLOOM_HERE), \
                destination)
#define sl_listen(nic, port) \
    sl_listen(nic, starloom_port(port, SL_PORT_NONE, (nic)->bank.ports, "sl_listen: port < sl_ports(nic) || port == SL_PORT_NONE", STARLOOM_HERE))
#define sl_listen_in(nic, k, port)                                                                                \
    sl_listen_in(nic, starloom_below(k, (nic)->bank.listen_slots, "sl_listen_in: k < STARLOOM_LISTEN_SLOTS", STARLOOM_HERE), \
                 starloom_port(port, SL_PORT_NONE, (nic)->bank.ports, "sl_listen_in: port < sl_ports(nic) || port == SL_PORT_NONE", STARLOOM_HERE))
#define sl_sleep(nic, slots) sl_sleep(nic, starloom_below((slots)-1, SL_LONG, "sl_sleep: 1 <= slots && slots <= SL_LONG", STARLOOM_HERE) + 1)
#define sl_random_below(nic, bound) sl_random_below(nic, starloom_below((bound)-1, 0xFFFFFFFF, "sl_random_below: 1 <= bound", STARLOOM_HERE) + 1)
#define sl_chance(nic, n, d) sl_chance(nic, n, starloom_below((d)-1, 0xFFFFFFFF, "sl_chance: 1 <= d", STARLOOM_HERE) + 1)
#define sl_random_bits(nic, k) sl_random_bits(nic, starloom_below(k, 32, "sl_random_bits: k <= 31", STARLOOM_HERE))
#define sl_shape(nic, k) sl_shape(nic, starloom_below(k, 8, "sl_shape: k < 8", STARLOOM_HERE))
#define sl_param(nic, k) sl_param(nic, starloom_below(k, starloom_count(starloom_param_names), "sl_param: k is one of STARLOOM_PARAMS", STARLOOM_HERE))
#define sl_probe(nic, signal, value) \
    sl_probe(nic, starloom_below(signal, starloom_count(starloom_probe_names), "sl_probe: signal is one of STARLOOM_PROBES", STARLOOM_HERE), value)
#define sl_rom(nic, k) sl_rom(nic, starloom_below(k, (nic)->bank.rom_words, "sl_rom: k < sl_rom_words(nic)", STARLOOM_HERE))
#define sl_machine_rom(nic, k) \
    sl_machine_rom(nic, starloom_below(k, (nic)->bank.machine_rom_words, \
                                       "sl_machine_rom: k < sl_machine_rom_words(nic)", STARLOOM_HERE))
#define STARLOOM_LANE(nic, port, text) starloom_below(port, (nic)->bank.lanes, text ": port < the ports that are used in one slot", STARLOOM_HERE)
#define sl_status_of(nic, port) sl_status_of(nic, STARLOOM_LANE(nic, port, "sl_status_of"))
#define sl_tx_status_of(nic, port) sl_tx_status_of(nic, STARLOOM_LANE(nic, port, "sl_tx_status_of"))
#define sl_served_of(nic, port) sl_served_of(nic, STARLOOM_LANE(nic, port, "sl_served_of"))
#define STARLOOM_LISTED(nic, place, text) starloom_below(place, (nic)->bank.list_words, text ": place < sl_list_words(nic)", STARLOOM_HERE)
#define sl_first_choice(nic, place) sl_first_choice(nic, STARLOOM_LISTED(nic, place, "sl_first_choice"))
#define sl_valid(nic, place) sl_valid(nic, STARLOOM_LISTED(nic, place, "sl_valid"))
#define sl_set_valid(nic, place) sl_set_valid(nic, STARLOOM_LISTED(nic, place, "sl_set_valid"))
#define sl_set_invalid(nic, place) sl_set_invalid(nic, STARLOOM_LISTED(nic, place, "sl_set_invalid"))
#else
#define STARLOOM_ENTER (void)0
#define STARLOOM_LEAVE (void)0
#endif

/* Functions that the firmware has not enabled. Their use is a compile-time error. */
#define STARLOOM_UNASKED(function, macro) \
    extern uint32_t function(void) __attribute__((error("define " macro " before starloom.h is included")));
#ifndef STARLOOM_TX_STATUS
#undef sl_tx_status_of
#undef sl_served_of
STARLOOM_UNASKED(starloom_no_tx_status, "STARLOOM_TX_STATUS")
#define sl_tx_status(nic) starloom_no_tx_status()
#define sl_served(nic) starloom_no_tx_status()
#define sl_tx_status_of(nic, port) starloom_no_tx_status()
#define sl_served_of(nic, port) starloom_no_tx_status()
#endif
#ifndef STARLOOM_ROM
#undef sl_rom
#undef sl_machine_rom
STARLOOM_UNASKED(starloom_no_rom, "STARLOOM_ROM")
#define sl_rom(nic, k) starloom_no_rom()
#define sl_machine_rom(nic, k) starloom_no_rom()
#endif
#ifndef STARLOOM_TAGS
STARLOOM_UNASKED(starloom_no_tags, "STARLOOM_TAGS")
#define sl_accept(nic, tag) starloom_no_tags()
#endif
#ifndef STARLOOM_REQUESTS
#undef sl_first_choice
#undef sl_valid
#undef sl_set_valid
#undef sl_set_invalid
STARLOOM_UNASKED(starloom_no_requests, "STARLOOM_REQUESTS")
#define sl_first_choice(nic, place) starloom_no_requests()
#define sl_valid(nic, place) starloom_no_requests()
#define sl_set_valid(nic, place) starloom_no_requests()
#define sl_set_invalid(nic, place) starloom_no_requests()
#define sl_set_all_valid(nic) starloom_no_requests()
#endif
#undef STARLOOM_UNASKED
#endif
