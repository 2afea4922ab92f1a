// Interface of a circuit for callers outside of C++. ports.h is generated.
#pragma once
#include <cstdint>

// Low byte of a result: SL_LOG if the log has new text, combined with the reason of the end.
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
    // Number of loop iterations in one evaluation between two checks of the time.
    SL_TURNS = 1 << 16,
    // Number of words in the rows of inputs and outputs.
    SL_ROW_WORDS = 1 << 13,
};
