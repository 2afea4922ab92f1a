/* Firmware written from firmware/ABI.md and nic/REGISTERS.md alone, without starloom.h. On a network whose
 * NICs use all ports in one slot it floods the message of one speaker (ej, one_to_all); elsewhere it follows
 * a schedule of gossip on buses. Build it as ABI.md says. */
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#define EXPORT(name) __attribute__((export_name(#name))) name
#define NONE 0xffffu
#define ALL 0xfffeu
#define ANY 0xffffffffu

static u64 descriptor[30]; /* 240 bytes */
#define REGISTER(offset) (*(u32 *)((u8 *)descriptor + (offset)))
enum { ABI = 0, CELLS = 4, CURRENT = 8, RECORD = 12, RECORD_STRIDE = 16, RX = 20, TX = 24, RX_MORE = 28, TX_MORE = 32, FRAME_STRIDE = 36,
       RX_FRAMES = 40, TX_FRAMES = 44, PAYLOAD_BYTES = 48, FIRST = 52, PROCESSORS = 56, PROCESSOR = 168, WORKLOAD = 172, CALLS = 176,
       RX_STATUS = 180, LISTEN = 184, LISTEN_SLOTS = 188, SCHEDULE = 192, LANES = 236 };

extern u8 __heap_base;
static u32 end;

static u32 place(u32 bytes) {
    const u32 at = (end + 63) / 64 * 64;
    end = at + bytes;
    return at;
}

u32 EXPORT(starloom_abi)(void) { return 3; }
u32 EXPORT(starloom_bank)(void) { return (u32)descriptor; }

/* A processor's state: a bit for each item that it knows. */
static u32 words(void) { return (REGISTER(PROCESSORS) + 63) / 64; }

u32 EXPORT(starloom_attach)(u32 cells, u32 payload, u32 rx, u32 tx) {
    const u32 stride = 16 + (payload + 7) / 8 * 8;
    end = (u32)&__heap_base;
    REGISTER(ABI) = 3;
    REGISTER(CELLS) = cells;
    REGISTER(PAYLOAD_BYTES) = payload;
    REGISTER(RX_FRAMES) = rx;
    REGISTER(TX_FRAMES) = tx;
    REGISTER(FRAME_STRIDE) = stride;
    REGISTER(RX) = 8 * words();
    REGISTER(TX) = REGISTER(RX) + stride;
    REGISTER(RECORD_STRIDE) = REGISTER(TX) + stride;
    REGISTER(LISTEN_SLOTS) = 1;
    REGISTER(PROCESSOR) = place(8 * cells);
    REGISTER(WORKLOAD) = place(4 * cells);
    REGISTER(CALLS) = place(4 * cells);
    REGISTER(RX_STATUS) = place(cells * REGISTER(LANES));
    REGISTER(LISTEN) = place(2 * cells);
    REGISTER(SCHEDULE) = REGISTER(LANES) == 1 ? place(8 * cells) : 0;
    REGISTER(RECORD) = place(cells * REGISTER(RECORD_STRIDE));
    REGISTER(RX_MORE) = place(cells * (rx - 1) * stride);
    REGISTER(TX_MORE) = place(cells * (tx - 1) * stride);
    const u32 pages = (end + 65535) / 65536, have = __builtin_wasm_memory_size(0);
    if (pages > have && __builtin_wasm_memory_grow(0, pages - have) == (u32)-1) return 0;
    return (u32)descriptor;
}

typedef struct { u8 kind, flags; u16 payload_bytes; u32 source, destination; u16 tag, port; u8 payload[]; } frame;
typedef struct { u16 wake; u8 tx_fewer, reserved, rx_count, tx_count, held, flags; } processor;

static processor *nic_of(u32 cell) { return (processor *)REGISTER(PROCESSOR) + cell; }
static u64 *state_of(u32 cell) { return (u64 *)(REGISTER(RECORD) + cell * REGISTER(RECORD_STRIDE)); }
static u32 self(u32 cell) { return REGISTER(FIRST) + cell; }

static frame *frame_at(u32 cell, u32 head, u32 more, u32 p) {
    if (p == 0) return (frame *)(REGISTER(RECORD) + cell * REGISTER(RECORD_STRIDE) + REGISTER(head));
    return (frame *)(REGISTER(more) + ((p - 1) * REGISTER(CELLS) + cell) * REGISTER(FRAME_STRIDE));
}

/* The next frame of the TX FIFO, filled in but for its payload; 0 if there is no room. */
static frame *send(u32 cell, u8 kind, u16 port, u16 bytes) {
    processor *nic = nic_of(cell);
    if (nic->tx_count + nic->tx_fewer >= (int)REGISTER(TX_FRAMES)) {
        nic->flags |= 4;
        return 0;
    }
    frame *f = frame_at(cell, TX, TX_MORE, nic->tx_count++);
    *f = (frame){kind, 0, bytes, 0, ANY, 0, port};
    return f;
}

static void listen(u32 cell, u16 port) { ((u16 *)REGISTER(LISTEN))[cell] = port; }

static u32 begin(u32 k) {
    REGISTER(CURRENT) = k;
    return ((u32 *)REGISTER(CALLS))[k];
}

void EXPORT(starloom_start)(u32 count) {
    for (u32 k = 0; k < count; k++) {
        const u32 cell = begin(k);
        state_of(cell)[self(cell) / 64] = (u64)1 << self(cell) % 64;
        if (REGISTER(LANES) == 1) listen(cell, NONE);
    }
}

/* Whoever hears the message for the first time tells all neighbours; the rest of the state is not used. */
static void flood(u32 cell, u32 slot) {
    processor *nic = nic_of(cell);
    const u32 speaks = slot == 0 && ((u32 *)REGISTER(WORKLOAD))[cell] == self(cell);
    if ((nic->rx_count > 0 || speaks) && !(nic->flags & 1)) {
        send(cell, 0, ALL, 0);
        nic->flags |= 1; /* done */
    }
    nic->rx_count = 0;
}

static void gossip(u32 cell) {
    processor *nic = nic_of(cell);
    const u32 items = REGISTER(PROCESSORS), bytes = (items + 7) / 8;
    u64 *known = state_of(cell);
    for (u32 p = 0; p < nic->rx_count; p++) {
        const frame *f = frame_at(cell, RX, RX_MORE, p);
        if (f->kind == 2 && f->payload_bytes == bytes)
            for (u32 k = 0; k < words(); k++) known[k] |= ((const u64 *)f->payload)[k];
    }
    nic->rx_count = 0;
    u32 count = 0;
    for (u32 k = 0; k < words(); k++) count += (u32)__builtin_popcountll(known[k]);
    if (count == items) nic->flags |= 1;
    const u64 word = ((u64 *)REGISTER(SCHEDULE))[cell];
    const u16 to = (u16)word, from = (u16)(word >> 16); /* plus 1 */
    frame *f = to ? send(cell, 2, (u16)(to - 1), (u16)bytes) : 0;
    for (u32 k = 0; f && k < words(); k++) ((u64 *)f->payload)[k] = known[k];
    listen(cell, (u16)(from - 1)); /* 0 becomes none */
}

void EXPORT(starloom_slot)(u32 count, u32 slot) {
    for (u32 k = 0; k < count; k++) {
        const u32 cell = begin(k);
        if (REGISTER(LANES) == 1) {
            gossip(cell);
        } else {
            flood(cell, slot);
        }
    }
}
