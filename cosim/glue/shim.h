// Included before everything else, the Verilator runtime too.
#pragma once
#include <cstdint>
#include <cstdio>

// sl_printf takes what $display and the Verilator runtime print.
int sl_printf(const char* format, ...) __attribute__((format(printf, 1, 2)));
#define VL_PRINTF sl_printf

// sl_fopen finds the files of $readmem where the build has put them.
FILE* sl_fopen(const char* name, const char* mode);
namespace std { using ::sl_fopen; }
#define fopen sl_fopen
