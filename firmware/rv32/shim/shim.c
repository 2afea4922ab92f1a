/* The processor around a translated program: entry points of the ABI, and the NIC's window. The
 * translation replaces the functions below that say so, and calls the others by their names.
 *
 * Addresses of the window: nic/REGISTERS.md. `offset` is an address relative to the RAM. */
#include "starloom_registers.h"
#define starloom_base starloom_unused_base
#include "starloom_target.h"
#undef starloom_base

#include "starloom_window.h"

/* Constants of the program, by image.go: the translation writes them here. */
enum {
    RAM_BYTES, RAM_FROM, SHARED_FROM, SHARED_BYTES, SHARED_AT, END, ENTRY, RAM_AT, RAM_DATA_BYTES,
    PARAMS, PROBES, RESULTS, WINDOW_LOW, WINDOW_HIGH, WORDS
};
static volatile const uint32_t program_words[WORDS] = {1};
SL_EXPORT(program_words_at) const volatile uint32_t *program_words_at(void) { return program_words; }
SL_EXPORT(program_data_at) const uint8_t *program_data_at(void) { return &__heap_base; }
static inline uint32_t program_word(uint32_t k) { return program_words[k]; }
static uint64_t starloom_base(void) { return program_word(END); }

/* The RAM, and the frame that tx_push appends. */
#define STARLOOM_STATE_BYTES program_word(RAM_BYTES) + sizeof(sl_frame) + (payload_bytes + 7) / 8 * 8
#include "starloom.h"

typedef struct {
    uint32_t x[32];
    uint32_t pc;
    uint32_t interrupted; /* the last turn ended between two instructions */
    uint32_t result_low, result_high, select;
    /* of the turns since the last wfi: their number, and the cycles of their instructions */
    uint32_t turns, spent_low, spent_high;
    uint32_t sleep_until; /* slot until which the processor sleeps after wfi, 0 for none */
    uint32_t stack; /* most bytes from the stack pointer to the end of the RAM */
    uint32_t spare[2];
    uint8_t ram[];
} state_t;
SL_STATIC_ASSERT(offsetof(state_t, ram) == 176, "stateBytes in program.go");
SL_STATIC_ASSERT(offsetof(state_t, interrupted) == 132 && offsetof(state_t, turns) == 148 &&
                     offsetof(state_t, stack) == 164, "translator.go");

static sl_nic *nic;
static state_t *state;

/* Replaced. */
#define REPLACED __attribute__((noinline, optnone))
/* Returns the address at which the next turn begins, plus 1. */
REPLACED uint32_t program_run(uint32_t pc, state_t *s) { return pc + (uint32_t)s->pc; }
REPLACED void program_split(void) {} /* counts an access in two words */
/* Cycles until the compute window ends. The complement after program_run: the next block of
 * instructions may pass the end. */
SL_EXPORT(program_left) REPLACED int64_t program_left(void) { return -(int64_t)program_words[0]; }
SL_EXPORT(program_allow) REPLACED void program_allow(int64_t cycles) { (void)cycles; }

/* Reported as of the translated function that calls them. */
#define RUNTIME(name) __asm__("runtime." name)
SL_EXPORT(window_load) uint32_t window_load(uint32_t offset, uint32_t kind) RUNTIME("load");
SL_EXPORT(window_store) void window_store(uint32_t offset, uint32_t value, uint32_t bytes) RUNTIME("store");
SL_EXPORT(program_lost) void program_lost(uint32_t pc) RUNTIME("jump");
SL_EXPORT(program_deep) void program_deep(void) RUNTIME("stack");

#define REFUSE(text) sl_host_assert(text, "", "", 0)

void program_lost(uint32_t pc) {
    (void)pc;
    REFUSE("the program jumps to an instruction of its text");
}

void program_deep(void) { REFUSE("the stack stays within the bytes of firmware.cpu.stack"); }

static sl_frame *tx_frame(void) { return (sl_frame *)(state->ram + program_word(RAM_BYTES)); }

/* The byte at this address of a frame in the window, 0 for none. */
static uint8_t *frame_byte(uint32_t at, uint32_t bytes) {
    uint32_t place = (at & 0x1FFFFFF) / SL_FIFO_STRIDE, byte = at & (SL_FIFO_STRIDE - 1);
    if (byte + bytes > nic->bank.frame_stride) return 0;
    if (at >= SL_TX_FRAME) return place ? 0 : (uint8_t *)tx_frame() + byte;
    if (at >= SL_TX_FIFO) return place < nic->registers->tx_count ? (uint8_t *)starloom_tx(nic, place) + byte : 0;
    return place < nic->registers->rx_count ? (uint8_t *)starloom_rx(nic, place) + byte : 0;
}

static void push(void) {
    if (!sl_tx_free(nic)) {
        nic->registers->flags |= SL_FLAG_TX_OVERFLOW;
        return;
    }
    sl_frame *from = tx_frame();
    uint32_t used = (sizeof(sl_frame) + from->payload_bytes + 7) / 8 * 8, place = nic->registers->tx_count++;
    if (used > nic->bank.frame_stride) used = nic->bank.frame_stride;
    __builtin_memcpy(starloom_tx(nic, place), from, used);
}

static uint32_t selected(uint32_t k) {
    switch (k) {
    case SL_SELECT_SEED: return (uint32_t)nic->bank.seed;
    case SL_SELECT_SEED + 1: return (uint32_t)(nic->bank.seed >> 32);
    case SL_SELECT_PAYLOAD_BYTES: return nic->bank.payload_bytes;
    case SL_SELECT_RX_FRAMES: return nic->bank.rx_frames;
    case SL_SELECT_TX_FRAMES: return nic->bank.tx_frames;
    case SL_SELECT_LANES: return nic->bank.lanes;
    }
    if (k < 8) return sl_shape(nic, k);
    if (k - SL_SELECT_PARAM < 16) return (uint32_t)sl_param(nic, k - SL_SELECT_PARAM);
    if (k - SL_SELECT_STATUS < nic->bank.lanes) return sl_status_of(nic, k - SL_SELECT_STATUS);
    REFUSE("the window has a register of the number that was written to select");
    return 0;
}

static uint32_t register_load(uint32_t at) {
    switch (at) {
    case offsetof(sl_window, self): return sl_self(nic);
    case offsetof(sl_window, processors): return sl_processors(nic);
    case offsetof(sl_window, slot): return sl_slot(nic);
    case offsetof(sl_window, workload): return sl_workload(nic);
    case offsetof(sl_window, ports): return sl_ports(nic);
    case offsetof(sl_window, rx_status): return sl_status(nic);
    case offsetof(sl_window, rx_count): return nic->registers->rx_count;
    case offsetof(sl_window, tx_count): return nic->registers->tx_count;
    case offsetof(sl_window, tx_free): return sl_tx_free(nic);
    case offsetof(sl_window, flags): return nic->registers->flags;
    case offsetof(sl_window, select): return state->select;
    case offsetof(sl_window, value): return selected(state->select);
    }
    REFUSE("loads of the NIC's window are of registers that can be read");
    return 0;
}

static uint64_t pair(void) { return (uint64_t)state->result_high << 32 | state->result_low; }

/* A line of the program's text: in constants or in RAM. */
static void log_line(uint32_t address, uint32_t bytes) {
    uint32_t shared = address - program_word(SHARED_FROM), own = address - program_word(RAM_FROM);
    if (bytes <= program_word(SHARED_BYTES) && shared <= program_word(SHARED_BYTES) - bytes)
        sl_host_log((const char *)program_word(SHARED_AT) + shared, bytes);
    else if (bytes <= program_word(RAM_BYTES) && own <= program_word(RAM_BYTES) - bytes)
        sl_host_log((const char *)state->ram + own, bytes);
    else
        REFUSE("a line of the log is in RAM or constants");
}

static void register_store(uint32_t at, uint32_t value) {
    switch (at) {
    case offsetof(sl_window, listen): sl_listen(nic, value); return;
    case offsetof(sl_window, sleep): sl_sleep(nic, value); return;
    case offsetof(sl_window, done): if (value) sl_done(nic); return;
    case offsetof(sl_window, held): sl_hold(nic, value); return;
    case offsetof(sl_window, rx_pop):
        nic->taken = value < nic->registers->rx_count ? value : nic->registers->rx_count;
        starloom_consume(nic);
        nic->taken = 0;
        return;
    case offsetof(sl_window, tx_push): push(); return;
    case offsetof(sl_window, tx_withdraw): sl_withdraw(nic); return;
    case offsetof(sl_window, low): state->result_low = value; return;
    case offsetof(sl_window, high): state->result_high = value; return;
    case offsetof(sl_window, result): sl_result(nic, value, pair()); return;
    case offsetof(sl_window, probe): sl_host_probe(value, pair()); return;
    case offsetof(sl_window, log): log_line(state->result_low, value); return;
    case offsetof(sl_window, deliver): sl_host_deliver(value); return;
    case offsetof(sl_window, fail): sl_host_fail((int32_t)value); return;
    case offsetof(sl_window, select): state->select = value; return;
    }
    REFUSE("stores to the NIC's window are to registers that can be written");
}

static uint32_t read_bytes(const uint8_t *from, uint32_t bytes) {
    uint32_t value = 0;
    for (uint32_t k = 0; k < bytes; k++) value |= (uint32_t)from[k] << 8 * k;
    return value;
}

/* kind: bytes, or 16 plus bytes for a signed number. */
uint32_t window_load(uint32_t offset, uint32_t kind) {
    uint32_t bytes = kind & 15, value, address = offset + program_word(RAM_FROM);
    uint32_t shared = address - program_word(SHARED_FROM);
    if ((offset & 3) + bytes > 4) program_split();
    if (offset <= program_word(RAM_BYTES) - bytes) {
        value = read_bytes(state->ram + offset, bytes);
    } else if (shared <= program_word(SHARED_BYTES) - bytes) {
        value = read_bytes((const uint8_t *)program_word(SHARED_AT) + shared, bytes);
    } else if (address - SL_WINDOW < sizeof(sl_window)) {
        if (bytes != 4 || address & 3) REFUSE("registers of the NIC's window are loaded as aligned words of 32 bits");
        value = register_load(address - SL_WINDOW);
    } else if (address >= SL_RX_FIFO && address < SL_FIFO_END) {
        if (address & (bytes - 1)) REFUSE("loads from the NIC's FIFOs are aligned");
        const uint8_t *from = frame_byte(address, bytes);
        value = from ? read_bytes(from, bytes) : 0;
    } else {
        REFUSE("loads are from RAM, text, constants and the NIC's window");
        return 0;
    }
    if (kind & 16) value = bytes == 1 ? (uint32_t)(int8_t)value : (uint32_t)(int16_t)value;
    return value;
}

static void write_bytes(uint8_t *to, uint32_t value, uint32_t bytes) {
    for (uint32_t k = 0; k < bytes; k++) to[k] = (uint8_t)(value >> 8 * k);
}

void window_store(uint32_t offset, uint32_t value, uint32_t bytes) {
    uint32_t address = offset + program_word(RAM_FROM);
    if ((offset & 3) + bytes > 4) program_split();
    if (offset <= program_word(RAM_BYTES) - bytes) {
        write_bytes(state->ram + offset, value, bytes);
    } else if (address - SL_WINDOW < sizeof(sl_window)) {
        if (bytes != 4 || address & 3) REFUSE("registers of the NIC's window are stored as aligned words of 32 bits");
        register_store(address - SL_WINDOW, value);
    } else if (address >= SL_TX_FIFO && address < SL_FIFO_END) {
        if (address & (bytes - 1)) REFUSE("stores to the NIC's FIFOs are aligned");
        uint8_t *to = frame_byte(address, bytes);
        if (to) write_bytes(to, value, bytes);
    } else {
        REFUSE("stores are to RAM and the NIC's window, never to text or constants");
    }
}

/* The host sets this word for turns in its interpreter, which leaves the address at which the next
 * turn begins, plus 1. An even address belongs to a turn that it leaves to the translation. */
static volatile uint32_t program_interpreted;
SL_EXPORT(program_interpreted_at) volatile uint32_t *program_interpreted_at(void) { return &program_interpreted; }
SL_IMPORT(interpret) void sl_host_interpret(void);

/* Ends a turn: between turns, only records are state. The host calls it after a trap. */
SL_EXPORT(program_release) void program_release(void) {
    program_allow(0);
    nic = 0;
    state = 0;
}

static void turn(sl_nic *own, state_t *s, uint64_t left) {
    nic = own;
    state = s;
    program_allow((int64_t)left);
    if (program_interpreted | s->interrupted) sl_host_interpret();
    if (!(s->pc & 1)) {
        s->pc = program_run(s->pc, s);
        if (program_left() < 0) { /* the host executes the last instructions before the boundary */
            s->pc--;
            sl_host_interpret();
        }
    }
    s->pc--;
}

/* A processor that has written sleep and goes on in the next slot sleeps only after its wfi. */
static void sleep_later(state_t *s) {
    sl_processor *r = nic->registers;
    if (s->interrupted) {
        if (r->flags & SL_FLAG_SLEEPING) s->sleep_until = nic->slot + (uint16_t)(r->wake - nic->slot - 1) + 1;
        r->flags &= (uint8_t)~SL_FLAG_SLEEPING;
    } else {
        uint32_t left = s->sleep_until ? s->sleep_until - nic->slot : 0;
        if (!(r->flags & SL_FLAG_SLEEPING) && (int32_t)left > 0) sl_sleep(nic, left);
        s->sleep_until = 0;
    }
}

static void on_start(sl_nic *own, state_t *s) {
    const uint32_t *from = (const uint32_t *)program_word(RAM_AT);
    for (uint32_t k = 0; k < program_word(RAM_DATA_BYTES) / 4; k++) ((uint32_t *)s->ram)[k] = from[k];
    s->pc = program_word(ENTRY);
    turn(own, s, (uint64_t)1 << 62);
    program_release();
}

static void on_slot(sl_nic *own, state_t *s) {
    uint64_t window = (uint64_t)program_word(WINDOW_HIGH) << 32 | program_word(WINDOW_LOW);
    uint64_t spent = (uint64_t)s->spent_high << 32 | s->spent_low;
    uint32_t was = s->interrupted;
    turn(own, s, (s->turns + 1) * window - spent);
    if (was | s->interrupted) sleep_later(s);
    program_release();
}

static const char *const *names(uint32_t word) { return (const char *const *)program_word(word); }

SL_EXPORT(starloom_param_names) const char *const *starloom_param_names(void) { return names(PARAMS); }
SL_EXPORT(starloom_probe_names) const char *const *starloom_probe_names(void) { return names(PROBES); }
SL_EXPORT(starloom_result_names) const char *const *starloom_result_names(void) { return names(RESULTS); }
STARLOOM_FIRMWARE(state_t, on_start, on_slot)
