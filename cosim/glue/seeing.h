// Instrumentation in addition to ports: SL_TRACE and SL_COVERAGE of wanted.h, which is generated.
// WebAssembly only.
#pragma once

#if SL_TRACE || SL_COVERAGE
__attribute__((import_module("starloom"), import_name("show"))) extern "C" void sl_show(const char* text, uint32_t bytes);
#endif

#if SL_TRACE
struct sl_stream final : VerilatedVcdFile {
    bool open(const std::string&) override { return true; }
    void close() override {}
    ssize_t write(const char* text, ssize_t bytes) override {
        sl_show(text, bytes);
        return bytes;
    }
};
#endif

struct sl_seeing {
#if SL_TRACE
    sl_stream stream;
    std::unique_ptr<VerilatedVcdC> trace;
#endif
#if SL_COVERAGE
    std::string points;  // a line each: address of the count, then \1 KEY \2 VALUE ...
#endif
};

#if SL_COVERAGE
#include "verilated_cov.h"

static sl_seeing& sl_seen();

static inline void sl_pairs(std::string&) {}
template <class Value, class... More> static void sl_pairs(std::string& to, const char* key, const Value& value, const More&... more) {
    to += '\1';
    to += key;
    to += '\2';
    if constexpr (std::is_integral<Value>::value) {
        to += std::to_string(value);
    } else {
        to += value;
    }
    sl_pairs(to, more...);
}

// sl_point stores a point here; Verilator's library would write points to a file.
template <class... Pairs> static void sl_point(const uint32_t* count, const Pairs&... pairs) {
    std::string& to = sl_seen().points;
    to += std::to_string(reinterpret_cast<uintptr_t>(count));
    sl_pairs(to, pairs...);
    to += '\n';
}
#undef VL_COVER_INSERT
// From 5.032 on, the hierarchy precedes.
template <class Name, class... Pairs> static void sl_point(const Name&, const uint32_t* count, const Pairs&... pairs) {
    sl_point(count, pairs...);
}
#define VL_COVER_INSERT(context, ...) sl_point(__VA_ARGS__)
#endif
