// Included before everything else, the Verilator runtime too.
#pragma once
#include <cstdint>
#include <cstdio>
#include <ctime>

// sl_printf takes what $display and the Verilator runtime print.
int sl_printf(const char* format, ...) __attribute__((format(printf, 1, 2)));
#define VL_PRINTF sl_printf

// sl_fopen finds the files of $readmem where the build has put them.
FILE* sl_fopen(const char* name, const char* mode);
namespace std { using ::sl_fopen; }
#define fopen sl_fopen

// A circuit does not know the time of day. Verilator's library, from 5.026 on, asks how long it has run.
inline int sl_clock(timespec*) { return 1; }
#define CLOCK_PROCESS_CPUTIME_ID 0
#define clock_gettime(clock, to) sl_clock(to)
