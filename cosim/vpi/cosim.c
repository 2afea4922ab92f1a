/* cosim: an Icarus simulation clocked by another process.
 *
 * The other process passes a memory file as descriptor 3. It writes its request
 * into the header, increments `command` and waits until `reply` has the same
 * value. Simulated time stops while this module waits for a command.
 *
 *     offset   what
 *     0        struct header
 *     REQUEST  names of the top module and the clocks, each terminated by a zero byte;
 *              an empty name ends the list
 *     REPORT   after the first reply, text terminated by a zero byte: one line per
 *              port ("i 8 name", "o 8 name") or, with STATUS_REFUSED, the reason why
 *              the module cannot be driven
 *     VALUES   64-bit words: inputs without clocks, outputs, unknown bits of the
 *              outputs; each port starts with a separate word
 *
 * Time within a cycle, in quarters (QUARTER units of the top module's time):
 *
 *     inputs change | clocks rise | clocks fall | outputs are read, next command
 *     0             1             2             3
 *
 * Without a changed input, the first quarter is omitted. RTL with delays below a
 * quarter works, and all delta cycles of a time end before the next time.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include <vpi_user.h>
#include <sv_vpi_user.h>

#include "trace.h"

enum {
    MEMORY_FD = 3,
    REQUEST = 4096,
    REPORT = 1 << 16,
    VALUES = 1 << 20,
    MEMORY_BYTES = 1 << 24,
    CLOCKS = 64,
    QUARTER = 100,
    QUARTER_TICKS_MAX = 100000000, /* 64 bits hold the ticks of 6e10 cycles; modules without timescale count seconds */
    SPINS = 20000, /* about 10 us of polling before this module sleeps */
};

enum { OP_SETTLE = 1, OP_EDGE = 2, OP_CLOSE = 3, OP_TRACE = 4, OP_DUMP = 5, OP_END_TRACE = 6 };

enum { STATUS_OK = 0, STATUS_REFUSED = 1, STATUS_FINISHED = 2, STATUS_ENDLESS = 3, STATUS_OSCILLATES = 4 };

struct header {
    _Atomic uint32_t command;      /* number of the latest command; written by the other side */
    _Atomic uint32_t we_sleep;     /* this module waits in the kernel for a command */
    uint32_t op;
    uint32_t parent;               /* process that owns this simulation */
    uint64_t clocks;               /* OP_EDGE: mask of the rising clocks */
    uint64_t count;                /* OP_EDGE: number of cycles, at least 1; OP_DUMP: time */
    uint64_t reserved0[4];
    _Atomic uint32_t reply;        /* number of the latest completed command */
    _Atomic uint32_t they_sleep;   /* the other side waits in the kernel */
    uint32_t status;
    uint32_t reserved1;
    _Atomic uint64_t cycles;       /* rising edges so far */
};

_Static_assert(sizeof(_Atomic uint32_t) == 4 && sizeof(_Atomic uint64_t) == 8, "atomics are plain words");
_Static_assert(offsetof(struct header, clocks) == 16, "mirrored in memory_linux.go");
_Static_assert(offsetof(struct header, reply) == 64, "mirrored in memory_linux.go");
_Static_assert(offsetof(struct header, cycles) == 80, "mirrored in memory_linux.go");
_Static_assert(sizeof(struct header) <= REQUEST, "the header ends before the request");

struct port {
    vpiHandle net;
    uint32_t bits;
    uint32_t words;
    uint64_t *value;   /* in shared memory */
    uint64_t *unknown; /* outputs only */
    uint64_t *last;    /* inputs only: value of the net */
};

static struct header *shared;
static struct port *inputs, *outputs;
static uint32_t input_count, output_count;
static vpiHandle clocks[CLOCKS]; /* in the order of the ports */
static uint32_t clock_count;
static s_vpi_vecval *scratch; /* for the widest port */
static uint64_t quarter_ticks;
static uint64_t cycles_left;
static uint32_t command_seen;
static int closing;
static volatile sig_atomic_t stopped_as = STATUS_FINISHED;
static PLI_INT32 (*next_moment)(void);

static long futex(_Atomic uint32_t *word, int op, uint32_t value, const struct timespec *timeout)
{
    return syscall(SYS_futex, word, op, value, timeout, NULL, 0);
}

static void answer(uint32_t status)
{
    shared->status = status;
    atomic_store(&shared->reply, command_seen);
    if (atomic_load(&shared->they_sleep))
        futex(&shared->reply, FUTEX_WAKE, 1, NULL);
}

static void refuse(const char *format, const char *name)
{
    snprintf((char *)shared + REPORT, VALUES - REPORT, format, name);
    answer(STATUS_REFUSED);
    exit(1);
}

/* Returns when there is a command. The process never outlives its owner: the kernel kills
 * this process when the owner ends; if that fails, the check of the parent ends it. */
static void wait_for_command(void)
{
    const struct timespec second = {.tv_sec = 1};

    for (int spin = 0; spin < SPINS; spin++)
        if (atomic_load_explicit(&shared->command, memory_order_acquire) != command_seen)
            goto out;
    atomic_store(&shared->we_sleep, 1);
    while (atomic_load(&shared->command) == command_seen) {
        if ((uint32_t)getppid() != shared->parent)
            _exit(1);
        futex(&shared->command, FUTEX_WAIT, command_seen, &second);
    }
    atomic_store(&shared->we_sleep, 0);
out:
    command_seen = atomic_load(&shared->command);
}

static PLI_INT32 on_moment(p_cb_data data)
{
    (void)data;
    return next_moment();
}

static void after(uint64_t ticks, PLI_INT32 (*moment)(void))
{
    s_vpi_time delay = {.type = vpiSimTime, .high = (PLI_UINT32)(ticks >> 32), .low = (PLI_UINT32)ticks};
    s_cb_data callback = {.reason = cbAfterDelay, .cb_rtn = on_moment, .time = &delay};

    next_moment = moment;
    vpi_register_cb(&callback);
}

static void put(const struct port *port)
{
    s_vpi_value value = {.format = vpiVectorVal};

    for (uint32_t word = 0; word < port->words; word++) {
        scratch[2 * word] = (s_vpi_vecval){.aval = (PLI_INT32)port->last[word]};
        scratch[2 * word + 1] = (s_vpi_vecval){.aval = (PLI_INT32)(port->last[word] >> 32)};
    }
    value.value.vector = scratch;
    vpi_put_value(port->net, &value, NULL, vpiNoDelay);
}

/* Returns whether any input changed. */
static int put_inputs(void)
{
    int changed = 0;

    for (struct port *port = inputs; port < inputs + input_count; port++) {
        size_t bytes = port->words * sizeof(uint64_t);
        if (memcmp(port->last, port->value, bytes) == 0)
            continue;
        memcpy(port->last, port->value, bytes);
        put(port);
        changed = 1;
    }
    return changed;
}

static void put_clocks(uint64_t which, PLI_INT32 level)
{
    s_vpi_value value = {.format = vpiScalarVal, .value.scalar = level};

    for (uint32_t i = 0; i < CLOCKS; i++)
        if (which >> i & 1 && clocks[i])
            vpi_put_value(clocks[i], &value, NULL, vpiNoDelay);
}

/* In VPI's bit pairs, X is a = b = 1 and Z is a = 0, b = 1. In VALUES, X has the value 0. */
static void get_output(const struct port *port)
{
    s_vpi_value value = {.format = vpiVectorVal};
    uint32_t halves = (port->bits + 31) / 32;

    vpi_get_value(port->net, &value);
    for (uint32_t word = 0; word < port->words; word++) {
        const s_vpi_vecval *pair = value.value.vector + 2 * word;
        uint64_t a = (uint32_t)pair[0].aval, b = (uint32_t)pair[0].bval;
        if (2 * word + 1 < halves) {
            a |= (uint64_t)(uint32_t)pair[1].aval << 32;
            b |= (uint64_t)(uint32_t)pair[1].bval << 32;
        }
        uint64_t used = port->bits - 64 * word < 64 ? (1ull << (port->bits - 64 * word)) - 1 : ~0ull;
        port->value[word] = (a ^ b) & used;
        port->unknown[word] = b & used;
    }
}

static PLI_INT32 rise(void);

static PLI_INT32 read_and_obey(void)
{
    for (const struct port *port = outputs; port < outputs + output_count; port++)
        get_output(port);
    for (;;) {
        answer(STATUS_OK);
        wait_for_command();
        switch (shared->op) {
        case OP_SETTLE:
            if (!put_inputs())
                continue;
            after(quarter_ticks, read_and_obey);
            return 0;
        case OP_EDGE:
            cycles_left = shared->count;
            if (!put_inputs())
                return rise();
            after(quarter_ticks, rise);
            return 0;
        case OP_TRACE:
            trace_begin(vpi_handle_by_name((char *)shared + REQUEST, NULL));
            continue;
        case OP_DUMP:
            trace_dump(shared->count);
            continue;
        case OP_END_TRACE:
            trace_end();
            continue;
        default:
            closing = 1;
            vpi_control(vpiFinish, 0);
            return 0;
        }
    }
}

static PLI_INT32 fall(void)
{
    put_clocks(shared->clocks, vpi0);
    after(quarter_ticks, cycles_left ? rise : read_and_obey);
    return 0;
}

static PLI_INT32 rise(void)
{
    atomic_fetch_add_explicit(&shared->cycles, 1, memory_order_relaxed);
    cycles_left--;
    put_clocks(shared->clocks, vpi1);
    after(quarter_ticks, fall);
    return 0;
}

/* Sets the first inputs. Inputs and clocks have been Z, so waiting processes see a change,
 * including a falling edge of the clocks. (A value put before time 0 would reach only the
 * net itself in vvp.) */
static PLI_INT32 first_inputs(void)
{
    for (const struct port *port = inputs; port < inputs + input_count; port++)
        put(port);
    put_clocks(~0ull, vpi0);
    after(quarter_ticks, read_and_obey);
    return 0;
}

static PLI_INT32 on_end(p_cb_data data)
{
    (void)data;
    fflush(NULL);
    if (closing)
        return 0;
    answer((uint32_t)stopped_as);
    return 0;
}

/* Counters of vvp for executed events. Some versions lack these counters. */
extern unsigned long count_thread_events __attribute__((weak));
extern unsigned long count_assign_events __attribute__((weak));
extern unsigned long count_gen_events __attribute__((weak));

static unsigned long events(void)
{
    return (&count_thread_events ? count_thread_events : 0) + (&count_assign_events ? count_assign_events : 0)
         + (&count_gen_events ? count_gen_events : 0);
}

/* After a time limit the other side sends a signal. If vvp executes events in the next
 * millisecond of its CPU time, the circuit oscillates; otherwise a process loops.
 * $stop ends both. */
static unsigned long events_before;

static void on_impatience(int number)
{
    const struct itimerval once = {.it_value.tv_usec = 1000};

    (void)number;
    events_before = events();
    setitimer(ITIMER_VIRTUAL, &once, NULL);
}

static void on_timer(int number)
{
    (void)number;
    stopped_as = events() != events_before ? STATUS_OSCILLATES : STATUS_ENDLESS;
    vpi_control(vpiStop, 0);
}

static void catch(int number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};

    sigaction(number, &action, NULL);
}

/* Returns whether a port is one of the clocks in the request. */
static int is_clock(const char *name)
{
    const char *clock = (const char *)shared + REQUEST;

    for (clock += strlen(clock) + 1; *clock; clock += strlen(clock) + 1)
        if (strcmp(clock, name) == 0)
            return 1;
    return 0;
}

static void append(struct port **ports, uint32_t *count, struct port port)
{
    *ports = realloc(*ports, (*count + 1) * sizeof port);
    if (!*ports)
        refuse("%s", "no memory for the ports");
    (*ports)[(*count)++] = port;
}

static int is_vector(vpiHandle net)
{
    if (!net)
        return 0;
    switch (vpi_get(vpiType, net)) {
    case vpiNet:
    case vpiReg:
    case vpiIntegerVar:
    case vpiTimeVar:
    case vpiByteVar:
    case vpiShortIntVar:
    case vpiIntVar:
    case vpiLongIntVar:
    case vpiBitVar:
        return 1;
    default:
        return 0;
    }
}

/* Adds a port and returns its width. */
static uint32_t add_port(vpiHandle top, PLI_INT32 direction, const char *name)
{
    char path[4096];

    snprintf(path, sizeof path, "%s.%s", vpi_get_str(vpiFullName, top), name);
    struct port port = {.net = vpi_handle_by_name(path, NULL)};
    if (!is_vector(port.net))
        refuse("port %s is not a vector of bits", name);
    port.bits = (uint32_t)vpi_get(vpiSize, port.net);
    port.words = (port.bits + 63) / 64;
    switch (direction) {
    case vpiOutput:
        append(&outputs, &output_count, port);
        break;
    case vpiInput:
        if (!is_clock(name))
            append(&inputs, &input_count, port);
        else if (clock_count < CLOCKS)
            clocks[clock_count++] = port.net;
        break;
    default:
        refuse("port %s is neither an input nor an output", name);
    }
    return port.bits;
}

static void find_ports(vpiHandle top)
{
    char *report = (char *)shared + REPORT, *end = (char *)shared + VALUES;
    vpiHandle iterator = vpi_iterate(vpiPort, top), handle;

    while (iterator && (handle = vpi_scan(iterator))) {
        char name[2048];
        const char *given = vpi_get_str(vpiName, handle);
        if (!given || strlen(given) >= sizeof name)
            refuse("a port has no name of its own%s", "");
        strcpy(name, given);
        PLI_INT32 direction = vpi_get(vpiDirection, handle);
        uint32_t bits = add_port(top, direction, name);
        report += snprintf(report, (size_t)(end - report), "%c %u %s\n", direction == vpiInput ? 'i' : 'o', bits, name);
        if (report >= end)
            refuse("%s", "the names of the ports take too much room");
    }
}

/* Assigns words in shared memory to every port. */
static void place_ports(void)
{
    uint64_t *next = (uint64_t *)((char *)shared + VALUES);
    size_t words = 0, widest = 1;

    for (const struct port *port = inputs; port < inputs + input_count; port++) {
        words += port->words;
        widest = port->words > widest ? port->words : widest;
    }
    for (const struct port *port = outputs; port < outputs + output_count; port++)
        words += 2 * (size_t)port->words;
    scratch = calloc(2 * widest, sizeof *scratch);
    if (!scratch || words * sizeof *next > MEMORY_BYTES - VALUES)
        refuse("%s", "the ports are too wide");

    for (struct port *port = inputs; port < inputs + input_count; port++) {
        port->value = next;
        port->last = calloc(port->words, sizeof *port->last);
        if (!port->last)
            refuse("%s", "no memory for the ports");
        next += port->words;
    }
    for (struct port *port = outputs; port < outputs + output_count; port++) {
        port->value = next;
        next += port->words;
    }
    for (struct port *port = outputs; port < outputs + output_count; port++) {
        port->unknown = next;
        next += port->words;
    }
}

static void set_quarter(vpiHandle top)
{
    PLI_INT32 unit = vpi_get(vpiTimeUnit, top), precision = vpi_get(vpiTimePrecision, NULL);

    for (quarter_ticks = QUARTER; unit > precision && quarter_ticks < QUARTER_TICKS_MAX; unit--)
        quarter_ticks *= 10;
}

static PLI_INT32 on_start(p_cb_data data)
{
    vpiHandle top = vpi_handle_by_name((char *)shared + REQUEST, NULL);

    (void)data;
    if (!top || vpi_get(vpiType, top) != vpiModule)
        refuse("module %s is not in the simulation", (char *)shared + REQUEST);
    find_ports(top);
    place_ports();
    set_quarter(top);
    after(quarter_ticks, first_inputs);
    return 0;
}

static void register_module(void)
{
    s_cb_data start = {.reason = cbStartOfSimulation, .cb_rtn = on_start};
    s_cb_data end = {.reason = cbEndOfSimulation, .cb_rtn = on_end};
    void *memory = mmap(NULL, MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, MEMORY_FD, 0);

    if (memory == MAP_FAILED) {
        fprintf(stderr, "cosim: descriptor %d is not shared memory: %s; starloom starts this module\n",
                MEMORY_FD, strerror(errno));
        exit(1);
    }
    close(MEMORY_FD);
    setvbuf(stdout, NULL, _IOLBF, 1 << 12);
    shared = memory;
    command_seen = atomic_load(&shared->command);
    catch(SIGUSR1, on_impatience);
    catch(SIGVTALRM, on_timer);
    vpi_register_cb(&start);
    vpi_register_cb(&end);
}

void (*vlog_startup_routines[])(void) = {register_module, NULL};
