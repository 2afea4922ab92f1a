// Included before everything else, including Verilator's library.
#pragma once
#include <cstdint>
#include <cstdio>
#include <ctime>

// sl_printf receives the output of $display and of Verilator's library.
int sl_printf(const char* format, ...) __attribute__((format(printf, 1, 2)));
#define VL_PRINTF sl_printf

// sl_fopen opens a file of $readmem at the path used by the build.
FILE* sl_fopen(const char* name, const char* mode);
namespace std { using ::sl_fopen; }
#define fopen sl_fopen

// A circuit has no time of day. Verilator's library, from 5.026 on, requests its own run time.
inline int sl_clock(timespec*) { return 1; }
#define CLOCK_PROCESS_CPUTIME_ID 0
#define clock_gettime(clock, to) sl_clock(to)
