/* The host of one processor for native unit tests: see starloom_native.h. */
#include "starloom_native.h"

#include <setjmp.h>
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

enum { GAP = 64, COLUMNS = 32, LINES = 16, LINE_BYTES = 256, PROBES = 64, RESULTS = 1024, DELIVERIES = 2 };

/* The firmware's entry points. */
sl_bank *starloom_descriptor(void);
sl_bank *starloom_attach(uint32_t cells, uint32_t payload_bytes, uint32_t rx_frames, uint32_t tx_frames);
void starloom_start(uint32_t count);
void starloom_slot(uint32_t count, uint32_t slot);
__attribute__((weak)) const char *const *starloom_param_names(void);

/* What the firmware asks the host for. */
void *sl_native_column(uint64_t bytes);
void sl_host_log(const char *text, uint32_t bytes);
void sl_host_probe(uint32_t signal, uint64_t value);
void sl_host_fail(int32_t code);
void sl_host_deliver(uint32_t origin);
void sl_host_result(uint32_t k, uint64_t value);

static struct {
    sl_bank *bank;
    void *column[COLUMNS];
    uint32_t columns, slot;
    sl_frame *sent; /* room for the largest */
    int sends, blocked;
    jmp_buf handler;
    int failed;
    int32_t code;
    char line[LINES][LINE_BYTES + 1];
    uint32_t lines, deliveries, delivery[DELIVERIES], results;
    uint64_t probe[PROBES];
    struct { uint32_t k; uint64_t value; } result[RESULTS];
} host;

static void stop(const char *reason, const char *what) {
    fprintf(stderr, "starloom_native: %s%s\n", reason, what);
    exit(2);
}

static uint32_t or_else(uint32_t value, uint32_t standard) { return value ? value : standard; }

/* Memory of its own for every column, at least 8 bytes: the sanitizer sees where it ends. */
void *sl_native_column(uint64_t bytes) {
    if (host.columns == COLUMNS) stop("too many columns", "");
    void *column = calloc(1, bytes ? bytes : 8);
    if (!column) stop("no memory for the bank", "");
    return host.column[host.columns++] = column;
}

static sl_frame *frame_at(uint8_t *head, uint8_t *more, uint32_t place) {
    return (sl_frame *)(place == 0 ? head : more + (uint64_t)(place - 1) * host.bank->frame_stride);
}
static sl_frame *rx_frame(uint32_t place) { return frame_at(host.bank->record + host.bank->rx, host.bank->rx_more, place); }
static sl_frame *tx_frame(uint32_t place) { return frame_at(host.bank->record + host.bank->tx, host.bank->tx_more, place); }

/* Sets the parameter `name` of the firmware's list, of which only `bytes` are the name. */
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
    free(host.sent);
    memset(&host, 0, sizeof host);
}

/* Runs a handler; sl_fail comes back here. */
static int run(int starts) {
    host.lines = host.deliveries = 0;
    host.sends = 0;
    if (host.failed) return 0;
    if (setjmp(host.handler) == 0) {
        if (starts) {
            starloom_start(1);
        } else {
            starloom_slot(1, host.slot);
        }
        return 1;
    }
    host.bank->processor->flags |= SL_FLAG_FAULTY;
    return 0;
}

void sl_native_start(const sl_native_config *c) {
    forget();
    sl_bank *bank = host.bank = starloom_descriptor();
    memset(bank, 0, sizeof *bank);
    bank->processors = or_else(c->processors, c->self + 1);
    memcpy(bank->shape, c->shape, sizeof bank->shape);
    bank->ports = or_else(c->ports, 1);
    bank->lanes = 1;
    bank->rom_words = c->rom_words;
    bank->machine_rom_words = c->machine_rom_words;
    const char *const *list = starloom_param_names ? starloom_param_names() : 0;
    for (uint32_t k = 0; list && list[k]; k++) bank->param[k] = (int32_t)strtol(strchr(list[k], '=') + 1, 0, 10);
    set_params(c->params);
    if (!starloom_attach(1, or_else(c->payload_bytes, 16), or_else(c->rx_frames, 4), or_else(c->tx_frames, 4))) stop("the firmware cannot attach the bank", "");
    bank->first = c->self;
    bank->seed = c->seed;
    *bank->workload = c->workload;
    if (c->rom_words && bank->rom) memcpy((void *)(uintptr_t)bank->rom, c->rom, c->rom_words * sizeof *c->rom);
    if (c->machine_rom_words && bank->machine_rom) memcpy((void *)(uintptr_t)bank->machine_rom, c->machine_rom, c->machine_rom_words * sizeof *c->machine_rom);
    memset(bank->listen, 0xff, sizeof *bank->listen * bank->listen_slots);
    if (bank->accept_tag) *bank->accept_tag = SL_TAG_ANY;
    uint32_t gaps[] = {bank->rx, bank->tx, bank->record_stride};
    for (uint32_t k = 0; k < 3; k++) ASAN_POISON_MEMORY_REGION(bank->record + gaps[k] - GAP, GAP);
    host.sent = calloc(1, bank->frame_stride);
    if (!host.sent) stop("no memory for a frame", "");
    run(1);
}

void sl_native_receive(uint32_t port, uint32_t kind, uint32_t source, uint32_t destination, uint32_t tag, const void *payload, uint32_t payload_bytes) {
    sl_processor *registers = host.bank->processor;
    if (payload_bytes > host.bank->payload_bytes) stop("the payload is larger than payload_bytes", "");
    registers->flags &= (uint8_t)~SL_FLAG_SLEEPING;
    if (registers->rx_count >= host.bank->rx_frames) {
        sl_native_status(SL_STATUS_OVERFLOW);
        return;
    }
    sl_frame *frame = rx_frame(registers->rx_count++);
    memset(frame, 0, host.bank->frame_stride);
    frame->kind = (uint8_t)kind;
    frame->payload_bytes = (uint16_t)payload_bytes;
    frame->source = source;
    frame->destination = destination;
    frame->tag = (uint16_t)tag;
    frame->port = (uint16_t)port;
    if (payload_bytes) memcpy(frame->payload, payload, payload_bytes);
    sl_native_status(SL_STATUS_OK);
}

void sl_native_status(uint32_t status) { *host.bank->rx_status = (uint8_t)status; }

void sl_native_schedule(uint64_t word) {
    if (!host.bank->schedule) stop("the firmware takes no schedule", "");
    *host.bank->schedule = word;
}

void sl_native_delivered(void) { host.bank->processor->flags |= SL_FLAG_DELIVERED; }
void sl_native_block(int blocked) { host.blocked = blocked; }

/* Sends the head of the TX FIFO, and says what has become of it. */
static void transmit(void) {
    sl_bank *bank = host.bank;
    uint32_t queued = bank->processor->tx_count, status = SL_TX_NONE;
    if (queued > bank->tx_frames) stop("tx_count is larger than the TX FIFO", "");
    if (queued && host.blocked) {
        status = SL_TX_BLOCKED;
    } else if (queued) {
        if (tx_frame(0)->payload_bytes > bank->payload_bytes) stop("illegal send: the payload is larger than payload_bytes", "");
        memcpy(host.sent, tx_frame(0), bank->frame_stride);
        host.sent->source = bank->first;
        host.sends = 1;
        for (uint32_t k = 1; k < queued; k++) memcpy(tx_frame(k - 1), tx_frame(k), bank->frame_stride);
        bank->processor->tx_count--;
        status = SL_TX_SENT;
        if (bank->served) *bank->served = host.sent->destination;
    }
    if (bank->tx_status) *bank->tx_status = (uint8_t)status;
}

int sl_native_slot(void) {
    int runs = run(0);
    if (runs) transmit();
    sl_native_status(SL_STATUS_IDLE);
    host.slot++;
    return runs;
}

uint32_t sl_native_next(void) { return host.slot; }
const sl_frame *sl_native_sent(void) { return host.sends ? host.sent : 0; }
uint32_t sl_native_listens(void) { return host.bank->listen[(host.slot ? host.slot - 1 : 0) % host.bank->listen_slots]; }
uint32_t sl_native_log_lines(void) { return host.lines; }
const char *sl_native_log(uint32_t line) { return line < host.lines ? host.line[line] : 0; }
uint32_t sl_native_deliveries(void) { return host.deliveries; }
uint32_t sl_native_delivery(uint32_t k) { return k < host.deliveries ? host.delivery[k] : SL_ANY; }
const sl_processor *sl_native_registers(void) { return host.bank->processor; }

int sl_native_failed(int32_t *code) {
    if (host.failed && code) *code = host.code;
    return host.failed;
}

uint64_t sl_native_probe(uint32_t signal) { return signal < PROBES ? host.probe[signal] : 0; }

int sl_native_result(uint32_t k, uint64_t *value) {
    for (uint32_t i = 0; i < host.results; i++) {
        if (host.result[i].k != k) continue;
        *value = host.result[i].value;
        return 1;
    }
    return 0;
}

void sl_host_log(const char *text, uint32_t bytes) {
    if (host.lines == LINES) return;
    char *line = host.line[host.lines++];
    if (bytes > LINE_BYTES) bytes = LINE_BYTES;
    memcpy(line, text, bytes);
    line[bytes] = 0;
}

void sl_host_probe(uint32_t signal, uint64_t value) {
    if (signal < PROBES) host.probe[signal] = value;
}

void sl_host_fail(int32_t code) {
    host.failed = 1;
    host.code = code;
    longjmp(host.handler, 1);
}

void sl_host_deliver(uint32_t origin) {
    if (host.deliveries < DELIVERIES) host.delivery[host.deliveries++] = origin;
}

void sl_host_result(uint32_t k, uint64_t value) {
    uint32_t i = 0;
    while (i < host.results && host.result[i].k != k) i++;
    if (i == RESULTS) stop("more than 1,024 different results", "");
    if (i == host.results) host.results++;
    host.result[i].k = k;
    host.result[i].value = value;
}
