/* Firmware that asks for what a language's runtime asks for (WASI preview 1), and says what
 * it is told. Parameter 0 says how it ends. */
#include "starloom.h"

#define WASI(name) __attribute__((import_module("wasi_snapshot_preview1"), import_name(#name)))
WASI(args_sizes_get) int32_t args_sizes_get(uint32_t *count, uint32_t *bytes);
WASI(environ_sizes_get) int32_t environ_sizes_get(uint32_t *count, uint32_t *bytes);
WASI(clock_time_get) int32_t clock_time_get(int32_t id, int64_t precision, uint64_t *time);
WASI(random_get) int32_t random_get(void *bytes, uint32_t count);
WASI(fd_write) int32_t fd_write(int32_t fd, const void *iovecs, uint32_t count, uint32_t *written);
WASI(poll_oneoff) int32_t poll_oneoff(const void *in, void *out, uint32_t count, uint32_t *events);
WASI(proc_exit) void proc_exit(int32_t status);

typedef struct { uint32_t unused; } state_t;

STARLOOM_PARAMS("end=0")
STARLOOM_PROBES("counts", "time", "first", "second", "bad")

static int32_t print(int32_t fd, const char *text, uint32_t bytes) {
    struct { const char *text; uint32_t bytes; } part = {text, bytes};
    uint32_t written = 0;
    int32_t error = fd_write(fd, &part, 1, &written);
    return error ? error : written == bytes ? 0 : -1;
}

static void on_start(sl_nic *nic, state_t *s) { (void)s; }

static void on_slot(sl_nic *nic, state_t *s) {
    uint32_t counts[4] = {1, 1, 1, 1}, events;
    uint64_t time = 0, random[2] = {0, 0};
    (void)s;
    args_sizes_get(counts, counts + 1);
    environ_sizes_get(counts + 2, counts + 3);
    clock_time_get(0, 1, &time);
    random_get(random, 8);
    random_get(random + 1, 8);
    sl_probe(nic, 0, counts[0] + counts[1] + counts[2] + counts[3]);
    sl_probe(nic, 1, time);
    sl_probe(nic, 2, random[0]);
    sl_probe(nic, 3, random[1]);
    sl_probe(nic, 4, (uint64_t)print(3, "x", 1));
    print(1, "one ", 4);
    print(2, "line\nand ", 9);
    print(1, "another", 7);
    if (sl_param(nic, 0) == 1) proc_exit(3);
    if (sl_param(nic, 0) >= 3 && sl_slot(nic) == 0) {
        print(2, "\npanic: first [recovered]\n", 26);
        print(2, "panic: index 7 out of range\n\ngoroutine 1:\n", 42);
        for (int k = 0; k < 20; k++) print(2, "f()\n", 4); /* more than the log keeps */
    }
    if (sl_param(nic, 0) == 3 || (sl_param(nic, 0) == 4 && sl_slot(nic) == 1)) __builtin_trap();
    while (sl_param(nic, 0) == 2) poll_oneoff(counts, &time, 1, &events);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
