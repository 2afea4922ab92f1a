/* The host of the processors in native unit tests: see starloom_native.h. */
#include "starloom_native.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined __SANITIZE_ADDRESS__
#define POISON 1
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define POISON 1
#endif
#endif
#ifdef POISON
void __asan_poison_memory_region(const volatile void *at, size_t bytes);
#define ASAN_POISON_MEMORY_REGION(at, bytes) __asan_poison_memory_region(at, bytes)
#else
#define ASAN_POISON_MEMORY_REGION(at, bytes) ((void)(at), (void)(bytes))
#endif

enum { GAP = 64, COLUMNS = 32, LANES_MAX = 72, LINES = 16, LINE_BYTES = 256, PROBES = 64, RESULTS = 1024, DELIVERIES = 2 };

/* The firmware's entry points. */
sl_bank *starloom_descriptor(void);
sl_bank *starloom_attach(uint32_t cells, uint32_t payload_bytes, uint32_t rx_frames, uint32_t tx_frames);
void starloom_start(uint32_t count);
void starloom_slot(uint32_t count, uint32_t slot);
__attribute__((weak)) const char *const *starloom_param_names(void);

/* Host functions that the firmware calls. */
void *sl_native_column(uint64_t bytes);
void sl_host_log(const char *text, uint32_t bytes);
void sl_host_probe(uint32_t signal, uint64_t value);
void sl_host_fail(int32_t code);
void sl_host_logf(const char *format, ...);
void sl_host_assert(const char *condition, const char *function, const char *file, uint32_t line);
void sl_host_deliver(uint32_t origin);
void sl_host_result(uint32_t k, uint64_t value);

/* The outputs of a processor. */
typedef struct {
    uint8_t *sent; /* frames of the last slot, with room for one frame per lane */
    uint32_t sends;
    uint32_t kept; /* result for all frames: SL_TX_BLOCKED, SL_TX_COLLIDED, or 0 if they leave */
    int failed;
    int32_t code;
    char assertion[LINE_BYTES + 1];
    char line[LINES][LINE_BYTES + 1];
    uint32_t lines, deliveries, delivery[DELIVERIES], results;
    uint64_t probe[PROBES];
    struct { uint32_t k; uint64_t value; } result[RESULTS];
} done_t;

static struct {
    sl_bank *bank;
    void *column[COLUMNS];
    uint32_t columns, slot, calls;
    uint32_t cell; /* cell of the processor selected by sl_native_use */
    done_t *all;
    uint8_t *taken; /* by output of the network: 1 if the output is taken; with request lists */
    jmp_buf handler;
} host;

static void stop(const char *reason, const char *what) {
    fprintf(stderr, "starloom_native: %s%s\n", reason, what);
    exit(2);
}

static uint32_t or_else(uint32_t value, uint32_t standard) { return value ? value : standard; }

static void *zeros(uint64_t count, uint64_t bytes) {
    void *memory = calloc(count, bytes);
    if (!memory) stop("no memory", "");
    return memory;
}

/* Every column has its own memory of at least 8 bytes, so that the sanitizer detects overruns. */
void *sl_native_column(uint64_t bytes) {
    if (host.columns == COLUMNS) stop("too many columns", "");
    return host.column[host.columns++] = zeros(1, bytes ? bytes : 8);
}

static sl_processor *registers(uint32_t cell) { return host.bank->processor + cell; }

static sl_frame *frame_at(uint32_t cell, uint32_t head, uint8_t *more, uint32_t place) {
    const sl_bank *bank = host.bank;
    if (place == 0) return (sl_frame *)(bank->record + (uint64_t)cell * bank->record_stride + head);
    return (sl_frame *)(more + ((uint64_t)(place - 1) * bank->cells + cell) * bank->frame_stride);
}
static sl_frame *rx_frame(uint32_t cell, uint32_t place) { return frame_at(cell, host.bank->rx, host.bank->rx_more, place); }
static sl_frame *tx_frame(uint32_t cell, uint32_t place) { return frame_at(cell, host.bank->tx, host.bank->tx_more, place); }

/* The element of a processor and port in a column with one element per lane. */
static uint32_t lane(uint32_t cell, uint32_t port) {
    if (host.bank->lanes == 1) return cell;
    if (port >= host.bank->lanes) stop("the NIC has no such port", "");
    return port * host.bank->cells + cell;
}

/* Sets the parameter `name`, of `bytes` characters, in the firmware's list. */
static void set_param(const char *name, size_t bytes, int32_t value) {
    const char *const *list = starloom_param_names ? starloom_param_names() : 0;
    for (uint32_t k = 0; list && list[k]; k++) {
        if (strncmp(list[k], name, bytes) == 0 && list[k][bytes] == '=') {
            host.bank->param[k] = value;
            return;
        }
    }
    stop("the firmware has no parameter ", name);
}

static void set_params(const char *text) {
    while (text && *text) {
        const char *equals = strchr(text, '=');
        char *end;
        if (!equals) stop("write name=value: ", text);
        long value = strtol(equals + 1, &end, 0);
        if (end == equals + 1 || (*end && *end != ' ')) stop("write name=value: ", text);
        set_param(text, (size_t)(equals - text), (int32_t)value);
        text = end + strspn(end, " ");
    }
}

static void forget(void) {
    for (uint32_t k = 0; k < host.columns; k++) free(host.column[k]);
    if (host.all) free(host.all->sent);
    free(host.all);
    free(host.taken);
    memset(&host, 0, sizeof host);
}

/* Disconnects a processor from the fabric. */
static void silence(uint32_t cell) {
    sl_bank *bank = host.bank;
    registers(cell)->flags |= SL_FLAG_FAULTY;
    registers(cell)->rx_count = registers(cell)->tx_count = 0;
    for (uint32_t k = 0; k < bank->listen_slots; k++) bank->listen[k * bank->cells + cell] = SL_PORT_NONE;
}

/* Runs the handlers of processors that have not given up. sl_fail returns here; the rest of the
 * list is called then. */
static void run(int starts) {
    sl_bank *bank = host.bank;
    host.calls = 0;
    for (uint32_t cell = 0; cell < bank->cells; cell++) {
        done_t *p = host.all + cell;
        p->lines = p->deliveries = p->sends = 0;
        if (!p->failed) bank->calls[host.calls++] = cell;
    }
    while (host.calls) {
        if (setjmp(host.handler) == 0) {
            if (starts) {
                starloom_start(host.calls);
            } else {
                starloom_slot(host.calls, host.slot);
            }
            return;
        }
        uint32_t called = bank->current + 1;
        silence(bank->calls[called - 1]);
        host.calls -= called;
        memmove(bank->calls, bank->calls + called, host.calls * sizeof *bank->calls);
    }
}

void sl_native_start(const sl_native_config *c) {
    forget();
    sl_bank *bank = host.bank = starloom_descriptor();
    memset(bank, 0, sizeof *bank);
    const uint32_t cells = or_else(c->count, 1);
    bank->processors = or_else(c->processors, c->self + cells);
    memcpy(bank->shape, c->shape, sizeof bank->shape);
    bank->ports = or_else(c->ports, 1);
    bank->lanes = c->all_ports ? bank->ports : 1;
    const uint32_t frames = 4 * bank->lanes > 255 ? 255 : 4 * bank->lanes;
    const uint32_t rx_frames = or_else(c->rx_frames, frames), tx_frames = or_else(c->tx_frames, frames);
    if (bank->lanes > LANES_MAX) stop("all_ports: a NIC has 72 ports at most", "");
    if (rx_frames > 255 || tx_frames > 255) stop("rx_frames and tx_frames: 255 at most", "");
    if (c->list_words > c->rom_words || (c->list_words && c->all_ports)) stop("list_words: the list is in the ROM, and NICs use one port", "");
    bank->rom_words = c->rom_words;
    bank->list_words = c->list_words;
    bank->machine_rom_words = c->machine_rom_words;
    const char *const *list = starloom_param_names ? starloom_param_names() : 0;
    for (uint32_t k = 0; list && list[k]; k++) bank->param[k] = (int32_t)strtol(strchr(list[k], '=') + 1, 0, 10);
    set_params(c->params);
    if (!starloom_attach(cells, or_else(c->payload_bytes, 16), rx_frames, tx_frames)) stop("the firmware cannot attach the bank", "");
    bank->first = c->self;
    bank->seed = c->seed;
    for (uint32_t cell = 0; cell < cells; cell++) bank->workload[cell] = c->workloads ? c->workloads[cell] : c->workload;
    if (c->rom_words && bank->rom) memcpy((void *)(uintptr_t)bank->rom, c->rom, (uint64_t)cells * c->rom_words * sizeof *c->rom);
    if (c->machine_rom_words && bank->machine_rom) memcpy((void *)(uintptr_t)bank->machine_rom, c->machine_rom, c->machine_rom_words * sizeof *c->machine_rom);
    for (uint32_t k = 0; k < cells * bank->listen_slots; k++) bank->listen[k] = c->all_ports ? SL_PORT_ALL : SL_PORT_NONE;
    for (uint32_t cell = 0; bank->accept_tag && cell < cells; cell++) bank->accept_tag[cell] = SL_TAG_ANY;
    const uint32_t gaps[] = {bank->rx, bank->tx, bank->record_stride};
    for (uint32_t k = 0; k < 3 * cells; k++) ASAN_POISON_MEMORY_REGION(bank->record + (uint64_t)(k / 3) * bank->record_stride + gaps[k % 3] - GAP, GAP);
    host.all = (done_t *)zeros(cells, sizeof *host.all);
    if (c->list_words) host.taken = (uint8_t *)zeros(bank->processors, 1);
    const uint64_t room = (uint64_t)bank->lanes * bank->frame_stride;
    uint8_t *sent = (uint8_t *)zeros(cells, room);
    for (uint32_t cell = 0; cell < cells; cell++) host.all[cell].sent = sent + cell * room;
    run(1);
}

void sl_native_use(uint32_t processor) {
    if (processor - host.bank->first >= host.bank->cells) stop("sl_native_use: there is no such processor", "");
    host.cell = processor - host.bank->first;
}

static uint32_t waiting(uint32_t cell, uint32_t port) {
    uint32_t frames = 0;
    for (uint32_t place = 0; place < registers(cell)->rx_count; place++) frames += rx_frame(cell, place)->port == port;
    return frames;
}

void sl_native_receive(uint32_t port, uint32_t kind, uint32_t source, uint32_t destination, uint32_t tag, const void *payload, uint32_t payload_bytes) {
    const sl_bank *bank = host.bank;
    sl_processor *r = registers(host.cell);
    if (payload_bytes > bank->payload_bytes) stop("the payload is larger than payload_bytes", "");
    if (r->rx_count >= bank->rx_frames || (bank->lanes > 1 && waiting(host.cell, port) >= bank->rx_frames / bank->ports)) {
        sl_native_status_of(port, SL_STATUS_OVERFLOW);
        return;
    }
    sl_frame *frame = rx_frame(host.cell, r->rx_count);
    sl_native_status_of(port, SL_STATUS_OK);
    r->rx_count++;
    memset(frame, 0, bank->frame_stride);
    frame->kind = (uint8_t)kind;
    frame->payload_bytes = (uint16_t)payload_bytes;
    frame->source = source;
    frame->destination = destination;
    frame->tag = (uint16_t)tag;
    frame->port = (uint16_t)port;
    if (payload_bytes) memcpy(frame->payload, payload, payload_bytes);
}

void sl_native_status_of(uint32_t port, uint32_t status) { host.bank->rx_status[lane(host.cell, port)] = (uint8_t)status; }
void sl_native_status(uint32_t status) { sl_native_status_of(0, status); }

void sl_native_schedule(uint64_t word) {
    if (!host.bank->schedule) stop("the firmware takes no schedule", "");
    host.bank->schedule[host.cell] = word;
}

void sl_native_delivered(void) { registers(host.cell)->flags |= SL_FLAG_DELIVERED; }
void sl_native_block(int blocked) { host.all[host.cell].kept = blocked ? SL_TX_BLOCKED : 0; }
void sl_native_collide(int collides) { host.all[host.cell].kept = collides ? SL_TX_COLLIDED : 0; }

void sl_native_take(uint32_t output, int taken) {
    if (!host.taken) stop("sl_native_take: there are no request lists", "");
    if (output >= host.bank->processors) stop("sl_native_take: there is no such processor", "");
    host.taken[output] = taken != 0;
}

/* Reports the fate of a frame to a port. A sent frame wakes a sleeping handler. */
static void note(uint32_t cell, uint32_t port, uint32_t status, uint32_t addressee) {
    sl_bank *bank = host.bank;
    if (!bank->tx_status) return;
    if (bank->lanes > 1 && port == SL_PORT_ALL) {
        for (uint32_t p = 0; p < bank->lanes; p++) note(cell, p, status, addressee);
        return;
    }
    bank->tx_status[lane(cell, port)] = (uint8_t)status;
    bank->served[lane(cell, port)] = addressee;
    if (status == SL_TX_SENT) registers(cell)->flags &= (uint8_t)~SL_FLAG_SLEEPING;
}

static void check_legal(const sl_frame *frame) {
    if (frame->payload_bytes > host.bank->payload_bytes) stop("illegal send: the payload is larger than payload_bytes", "");
    if (frame->port >= host.bank->ports && frame->port != SL_PORT_ALL) stop("illegal send: the NIC has no such port", "");
    if (frame->kind > SL_KIND_CONTROL) stop("illegal send: the frame is not data, ack or control", "");
    if (!host.taken) return;
    if (frame->port == SL_PORT_ALL) stop("illegal send: the network takes a frame to one processor", "");
    if (frame->destination == SL_LISTED && !host.bank->list_valid) stop("illegal send: the firmware takes no request lists: define STARLOOM_REQUESTS", "");
    if (frame->destination != SL_LISTED && frame->destination >= host.bank->processors) stop("illegal send: there is no such processor", "");
}

static int is_free(uint32_t output) { return output < host.bank->processors && !host.taken[output]; }

/* Reports whether a place of a processor's request list is valid and free. */
static int can_claim(uint32_t cell, uint32_t place) {
    const sl_bank *bank = host.bank;
    const uint64_t *valid = bank->list_valid + (uint64_t)cell * ((bank->list_words + 63) / 64);
    return place < bank->list_words && (valid[place / 64] >> place % 64 & 1) && is_free(bank->rom[(uint64_t)cell * bank->rom_words + place]);
}

/* Claims the output of a frame with request lists: its addressee's or, for a list, the first
 * choice or another place. That place is then the addressee, and no longer valid. */
static int claim(uint32_t cell, sl_frame *frame) {
    sl_bank *bank = host.bank;
    if (!host.taken) return 1;
    if (frame->destination != SL_LISTED) return is_free(frame->destination);
    uint32_t place = bank->first_choice[cell];
    if (!can_claim(cell, place)) place = 0;
    while (place < bank->list_words && !can_claim(cell, place)) place++;
    if (place >= bank->list_words) return 0;
    frame->destination = bank->rom[(uint64_t)cell * bank->rom_words + place];
    bank->list_valid[(uint64_t)cell * ((bank->list_words + 63) / 64) + place / 64] &= ~((uint64_t)1 << place % 64);
    return 1;
}

/* Sends the frames that can leave in this slot: the head, or the first frame of each port. A
 * frame to all ports leaves alone, and later ones wait. */
static void transmit(uint32_t cell) {
    const sl_bank *bank = host.bank;
    done_t *p = host.all + cell;
    uint8_t busy[LANES_MAX] = {0};
    int all = 0, any = 0;
    uint32_t queued = registers(cell)->tx_count, kept = 0;
    if (queued > bank->tx_frames) stop("tx_count is larger than the TX FIFO", "");
    for (uint32_t place = 0; place < queued; place++) {
        sl_frame *frame = tx_frame(cell, place);
        int waits = all || (bank->lanes == 1 && place > 0);
        if (!waits) check_legal(frame);
        if (frame->port == SL_PORT_ALL) {
            waits |= any;
            all = 1;
        } else if (bank->lanes > 1 && !waits) {
            waits = busy[frame->port];
            busy[frame->port] = 1;
            any = 1;
        }
        const int goes = !waits && !p->kept && claim(cell, frame);
        if (!waits) note(cell, frame->port, goes ? SL_TX_SENT : p->kept ? p->kept : SL_TX_BLOCKED, frame->destination);
        if (goes) {
            sl_frame *sent = (sl_frame *)(p->sent + (uint64_t)p->sends++ * bank->frame_stride);
            memcpy(sent, frame, bank->frame_stride);
            sent->source = bank->first + cell;
            continue;
        }
        if (kept != place) memcpy(tx_frame(cell, kept), frame, bank->frame_stride);
        kept++;
    }
    registers(cell)->tx_count = (uint8_t)kept;
}

int sl_native_slot(void) {
    sl_bank *bank = host.bank;
    run(0);
    if (bank->tx_status) {
        memset(bank->tx_status, SL_TX_NONE, bank->cells * bank->lanes);
        memset(bank->served, 0, (uint64_t)bank->cells * bank->lanes * sizeof *bank->served);
    }
    for (uint32_t cell = 0; cell < bank->cells; cell++)
        if (!host.all[cell].failed) transmit(cell);
    memset(bank->rx_status, SL_STATUS_IDLE, bank->cells * bank->lanes);
    host.slot++;
    return !host.all[host.cell].failed;
}

uint32_t sl_native_next(void) { return host.slot; }

static const sl_frame *sent_frame(uint32_t k) {
    const done_t *p = host.all + host.cell;
    return k < p->sends ? (const sl_frame *)(p->sent + (uint64_t)k * host.bank->frame_stride) : 0;
}

const sl_frame *sl_native_sent(void) { return sent_frame(0); }

const sl_frame *sl_native_sent_to(uint32_t port) {
    const sl_frame *frame;
    for (uint32_t k = 0; (frame = sent_frame(k)) != 0; k++)
        if (frame->port == port || frame->port == SL_PORT_ALL) return frame;
    return 0;
}

uint32_t sl_native_listens(void) {
    const sl_bank *bank = host.bank;
    return bank->listen[(host.slot ? host.slot - 1 : 0) % bank->listen_slots * bank->cells + host.cell];
}

uint32_t sl_native_log_lines(void) { return host.all[host.cell].lines; }
const char *sl_native_log(uint32_t line) { return line < host.all[host.cell].lines ? host.all[host.cell].line[line] : 0; }
uint32_t sl_native_deliveries(void) { return host.all[host.cell].deliveries; }
uint32_t sl_native_delivery(uint32_t k) { return k < host.all[host.cell].deliveries ? host.all[host.cell].delivery[k] : SL_ANY; }
const sl_processor *sl_native_registers(void) { return registers(host.cell); }

int sl_native_failed(int32_t *code) {
    const done_t *p = host.all + host.cell;
    if (p->failed && code) *code = p->code;
    return p->failed;
}

const char *sl_native_assertion(void) { return host.all[host.cell].assertion[0] ? host.all[host.cell].assertion : 0; }

uint64_t sl_native_probe(uint32_t signal) { return signal < PROBES ? host.all[host.cell].probe[signal] : 0; }

int sl_native_result(uint32_t k, uint64_t *value) {
    const done_t *p = host.all + host.cell;
    for (uint32_t i = 0; i < p->results; i++) {
        if (p->result[i].k != k) continue;
        *value = p->result[i].value;
        return 1;
    }
    return 0;
}

/* The processor whose handler calls the host. */
static done_t *caller(void) { return host.all + host.bank->calls[host.bank->current]; }

void sl_host_log(const char *text, uint32_t bytes) {
    done_t *p = caller();
    if (p->lines == LINES) return;
    char *line = p->line[p->lines++];
    if (bytes > LINE_BYTES) bytes = LINE_BYTES;
    memcpy(line, text, bytes);
    line[bytes] = 0;
}

void sl_host_logf(const char *format, ...) {
    done_t *p = caller();
    va_list arguments;
    if (p->lines == LINES) return;
    va_start(arguments, format);
    vsnprintf(p->line[p->lines++], LINE_BYTES + 1, format, arguments);
    va_end(arguments);
}

void sl_host_probe(uint32_t signal, uint64_t value) {
    if (signal < PROBES) caller()->probe[signal] = value;
}

static void give_up(void) {
    caller()->failed = 1;
    longjmp(host.handler, 1);
}

void sl_host_fail(int32_t code) {
    caller()->code = code;
    give_up();
}

void sl_host_assert(const char *condition, const char *function, const char *file, uint32_t line) {
    snprintf(caller()->assertion, sizeof caller()->assertion, "%s:%u: %s: %s", file, line, function, condition);
    give_up();
}

void sl_host_deliver(uint32_t origin) {
    done_t *p = caller();
    if (p->deliveries < DELIVERIES) p->delivery[p->deliveries++] = origin;
}

void sl_host_result(uint32_t k, uint64_t value) {
    done_t *p = caller();
    uint32_t i = 0;
    while (i < p->results && p->result[i].k != k) i++;
    if (i == RESULTS) stop("more than 1,024 different results", "");
    if (i == p->results) p->results++;
    p->result[i].k = k;
    p->result[i].value = value;
}
