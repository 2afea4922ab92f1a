// Included before everything else, the Verilator runtime too.
#pragma once
#include <cstdint>
#include <cstdio>

// sl_printf takes what $display and the Verilator runtime print.
int sl_printf(const char* format, ...) __attribute__((format(printf, 1, 2)));
#define VL_PRINTF sl_printf
