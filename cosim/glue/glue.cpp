// One circuit as plain functions: columns of 64-bit words in, columns out.
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <string>
#include <vector>
#include <algorithm>

#include "glue.h"
#include "wanted.h"
#include "verilated.h"
#if SL_TRACE
#include "verilated_vcd_c.h"
#endif

#define SL_EXPORT(name) extern "C" __attribute__((export_name(#name)))
__attribute__((import_module("starloom"), import_name("late"))) extern "C" void sl_late(uint64_t cycle);
extern "C" int __cxa_thread_atexit(void (*)(void*), void*, void*) { return 0; }

#include "seeing.h"

// The most negative number divided by -1 is itself, because its sign bit wraps. Verilator's library returns 0.
static IData sl_divides(int bits, IData a, IData b) { return b == 0xffffffffU ? 0 - a : VL_DIVS_III(bits, a, b); }
static QData sl_divides(int bits, QData a, QData b) { return b == ~0ULL ? 0 - a : VL_DIVS_QQQ(bits, a, b); }
#define VL_DIVS_III sl_divides
#define VL_DIVS_QQQ sl_divides

// Every loop of the circuit counts its iterations, so that endless loops of the RTL are
// found without a watching thread. Verilator writes all loops as while. The build renames
// the loops of Verilator's scheduler, because these loops end and counting them would cost
// a tenth of the speed. The condition is first, so that do {} while (false) costs nothing.
static int64_t sl_turns = SL_TURNS;
static bool sl_tick();
#define SL_SCHEDULER(condition) for (; condition;)
#define while(...) while ((__VA_ARGS__) && (--sl_turns >= 0 || sl_tick()))
#include "model.h"
#undef while

#include "columns.h"
#include "ports.h"

struct sl_device {
    uint64_t in[SL_IN_WORDS + 1] = {};
    uint64_t out[SL_OUT_WORDS + 1] = {};
    uint64_t cycles = 0;
    uint32_t end = SL_GOES_ON;  // this field and the next three are one part
    uint32_t log_used = 0;
    uint32_t log_lost = 0;
    uint32_t last = 0;  // start of the last printed text in log
    bool high = false;  // a clock is high
    VerilatedContext context;
    std::unique_ptr<Vdut> top;
    sl_seeing seeing;
};

// Data of the current call, which saved states do not contain.
static struct {
    uint64_t rows[SL_ROW_WORDS];  // of sl_play
    volatile uint64_t played;     // by sl_play; also valid after a trap
    char text[SL_TEXT_BYTES];
    char log[SL_LOG_BYTES];
} sl_passing;

static sl_device* sl_self = nullptr;
#if SL_COVERAGE
static sl_seeing& sl_seen() { return sl_self->seeing; }
#endif

[[noreturn]] static void sl_leave_now() { __builtin_trap(); }

static void sl_ends(sl_end how, const char* format, ...) __attribute__((format(printf, 2, 3)));
static void sl_ends(sl_end how, const char* format, ...) {
    sl_device& d = *sl_self;
    if (d.end != SL_GOES_ON) return;  // the first word counts
    d.end = how;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sl_passing.text, sizeof sl_passing.text, format, arguments);
    va_end(arguments);
}

int sl_printf(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    const int size = vsnprintf(nullptr, 0, format, again);
    va_end(again);
    sl_device& d = *sl_self;
    const uint32_t room = SL_LOG_BYTES - d.log_used;
    if (size >= 0 && static_cast<uint32_t>(size) < room) {
        vsnprintf(sl_passing.log + d.log_used, room, format, arguments);
        d.last = d.log_used;
        d.log_used += size;
    } else {
        ++d.log_lost;
    }
    va_end(arguments);
    return size;
}

// sl_fopen opens a file of $readmem. These files are in the root folder, which has no parent folder.
// Therefore ../ becomes up/, as in the build.
#undef fopen
FILE* sl_fopen(const char* name, const char* mode) {
    if (mode[0] == 'r' && name[0] != '/') {
        std::string path = "/";
        const char* rest = name;
        for (; !std::strncmp(rest, "../", 3); rest += 3) path += "up/";
        if (FILE* file = std::fopen((path + rest).c_str(), mode)) return file;
    }
    return std::fopen(name, mode);
}

// sl_said returns the last printed line without the newline.
static std::string sl_said() {
    sl_device& d = *sl_self;
    std::string said{sl_passing.log + d.last, d.log_used - d.last};
    const auto end = said.find_last_not_of(" \n");
    return end == std::string::npos ? std::string{} : said.substr(0, end + 1);
}

void vl_finish(const char* file, int line, const char*) VL_MT_UNSAFE {
    sl_self->context.gotFinish(true);
    const std::string said = sl_said();
    sl_ends(SL_FINISH, "%s:%d: $finish%s%s", file, line, said.empty() ? "" : " after: ", said.c_str());
}

// $fatal, $error and failed assertions print a line and stop. For $fatal, the line has Error or Fatal, depending on the version.
void vl_stop(const char* file, int line, const char*) VL_MT_UNSAFE {
    static const char mark[] = "] %Error: ", fatal[] = "] %Fatal: ";
    static_assert(sizeof mark == sizeof fatal, "both are cut alike");
    sl_self->context.gotFinish(true);
    const std::string said = sl_said();
    const auto at = std::min(said.find(mark), said.find(fatal));  // npos is the largest
    if (!said.empty() && said[0] == '[' && at != std::string::npos) {
        sl_ends(SL_FATAL, "%s", said.c_str() + at + sizeof mark - 1);
    } else {
        sl_ends(SL_FINISH, "%s:%d: $stop", file, line);
    }
}

void vl_fatal(const char* file, int line, const char*, const char* message) VL_MT_UNSAFE {
    const bool loop = std::strstr(message, "did not converge") != nullptr;
    sl_ends(loop ? SL_OSCILLATION : SL_FATAL, "%s:%d: %s", file, line, message);
    sl_leave_now();
}

static bool sl_tick() {
    if (sl_self->end != SL_GOES_ON) sl_leave_now();
    sl_turns = SL_TURNS;
    sl_late(sl_self->cycles);
    return true;
}

static inline void sl_enter(sl_device* d) {
    sl_self = d;
    sl_turns = SL_TURNS;
}

static inline uint32_t sl_result(const sl_device* d) {
    return d->end | (d->log_used || d->log_lost ? SL_LOG : 0);
}

static inline void sl_low(sl_device* d, const uint64_t* in) {
    auto& t = *d->top->rootp;
    const bool changed = sl_pull(t, in);
    if (!changed && !d->high) return;
    if (d->high) sl_clocks(t, 0);
    d->high = false;
    d->top->eval();
}

// sl_rise raises clocks that are low. The falling edge is evaluated only if some logic depends on it.
static inline void sl_rise(sl_device* d, uint64_t clocks) {
    auto& t = *d->top->rootp;
    ++d->cycles;
    if (!clocks) return;
    d->context.timeInc(1);
    sl_clocks(t, clocks);
    d->top->eval();
    if (SL_TOGETHER) {
        sl_forget(t);
    } else if (SL_LEVELS) {
        sl_clocks(t, 0);
        d->top->eval();
    } else {
        d->high = true;
    }
}

// sl_cycle runs one clock edge. Inputs change before the edge, so they are evaluated separately.
// If no process is triggered by the changed inputs, a single evaluation has the same result,
// because it evaluates combinational logic first.
static inline void sl_cycle(sl_device* d, uint64_t clocks) {
    auto& t = *d->top->rootp;
    if (SL_TOGETHER && clocks && !sl_resets(t, d->in)) {
        sl_pull(t, d->in);
    } else {
        sl_low(d, d->in);
    }
    sl_rise(d, clocks);
}

static __attribute__((noinline)) void sl_first(sl_device* d) {
    d->top = std::make_unique<Vdut>(&d->context, "");
    sl_clocks(*d->top->rootp, 0); // the initial value is random and could hide the first edge
    d->top->eval();
    sl_push(*d->top->rootp, d->out);
}

// sl_open creates a circuit. Registers without a reset value start at 0 or, with a
// seed, at random values. The second argument is ignored.
SL_EXPORT(sl_open) sl_device* sl_open(uint64_t seed, uint64_t) {
    auto* d = new sl_device;
    const uint64_t mixed = (seed ^ seed >> 32) * 0x9e3779b97f4a7c15ULL;
#if SL_TRACE
    d->context.traceEverOn(true);
#endif
    d->context.randReset(seed ? 2 : 0);
    d->context.randSeed(static_cast<int>(mixed >> 33) | 1);
    return d;
}

// sl_start runs the initial blocks.
SL_EXPORT(sl_start) uint32_t sl_start(sl_device* d) {
    sl_enter(d);
    Verilated::threadContextp(&d->context);
    sl_first(d);
    return sl_result(d);
}

SL_EXPORT(sl_settle) uint32_t sl_settle(sl_device* d) {
    sl_enter(d);
    sl_low(d, d->in);
    sl_push(*d->top->rootp, d->out);
    return sl_result(d);
}

SL_EXPORT(sl_edge) uint32_t sl_edge(sl_device* d, uint64_t clocks) {
    sl_enter(d);
    sl_cycle(d, clocks);
    sl_push(*d->top->rootp, d->out);
    return sl_result(d);
}

SL_EXPORT(sl_step) uint32_t sl_step(sl_device* d, uint64_t clocks, uint32_t cycles) {
    sl_enter(d);
    for (; cycles > 0 && !d->end; --cycles) {
        sl_turns = SL_TURNS;
        sl_cycle(d, clocks);
    }
    sl_push(*d->top->rootp, d->out);
    return sl_result(d);
}

// sl_play calls sl_settle and sl_edge for each row: it reads the inputs of the row and stores the settled
// outputs. sl_passing.played counts the completed half rows. sl_play returns early after a half row that
// has printed text; from is the half row at which it continues.
SL_EXPORT(sl_play) uint32_t sl_play(sl_device* d, uint64_t clocks, uint32_t from, uint32_t rows) {
    constexpr uint32_t words = SL_IN_WORDS + SL_OUT_WORDS;
    sl_enter(d);
    uint64_t* row = sl_passing.rows + from / 2 * words;
    const bool edge = from % 2;
    for (sl_passing.played = from; sl_passing.played < 2 * rows; row += words) {
        if (!edge || sl_passing.played > from) {
            sl_turns = SL_TURNS;
            sl_low(d, row);
            sl_push(*d->top->rootp, row + SL_IN_WORDS);
            if (d->end) break;
            sl_passing.played = sl_passing.played + 1;
            if (sl_result(d)) break;
        }
        sl_turns = SL_TURNS;
        sl_rise(d, clocks);
        if (d->end) break;
        sl_passing.played = sl_passing.played + 1;
        if (sl_result(d)) break;
    }
    sl_push(*d->top->rootp, d->out);
    return sl_result(d);
}

#if SL_TRACE
// sl_trace begins a waveform; sl_dump adds the changes at a later time.
SL_EXPORT(sl_trace) void sl_trace(sl_device* d) {
    sl_enter(d);
    d->seeing.trace = std::make_unique<VerilatedVcdC>(&d->seeing.stream);
    d->top->trace(d->seeing.trace.get(), 99);
    d->seeing.trace->open("");
}

SL_EXPORT(sl_dump) void sl_dump(sl_device* d, uint64_t time) {
    sl_enter(d);
    d->seeing.trace->dump(time);
    d->seeing.trace->flush();
}
#endif

#if SL_COVERAGE
// sl_points shows the counted points.
SL_EXPORT(sl_points) void sl_points(sl_device* d) { sl_show(d->seeing.points.data(), d->seeing.points.size()); }
#endif

// sl_part returns the address of a part.
SL_EXPORT(sl_part) void* sl_part(sl_device* d, uint32_t part) {
    switch (part) {
    case 0: return d->in;
    case 1: return d->out;
    case 2: return &d->cycles;
    case 3: return &d->end;
    case 4: return sl_passing.text;
    case 5: return sl_passing.log;
    case 6: return sl_passing.rows;
    case 7: return const_cast<uint64_t*>(&sl_passing.played);
    }
    return nullptr;
}
