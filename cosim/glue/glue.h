// What a caller outside of C++ sees of a circuit. ports.h is generated.
#pragma once
#include <cstdint>

// The low byte of a result: 1 if there is new text in the log, and how it ended.
enum sl_end : uint32_t {
    SL_GOES_ON = 0,
    SL_FINISH = 2,
    SL_FATAL = 4,
    SL_OSCILLATION = 6,
};
enum : uint32_t { SL_LOG = 1 };

enum : uint32_t {
    SL_LOG_BYTES = 1 << 16,
    SL_TEXT_BYTES = 1 << 10,
    // Turns of loops in one evaluation before the time is checked.
    SL_TURNS = 1 << 16,
    // Words of rows of inputs and outputs.
    SL_ROW_WORDS = 1 << 13,
};
