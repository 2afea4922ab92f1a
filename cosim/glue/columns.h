// Exchange of values between ports of Verilator's C++ and words of a column. ports.h uses these functions.
#pragma once
#include <cstdint>
#include <cstring>

static constexpr uint64_t sl_mask(int bits) { return ~0ULL >> (64 - bits); }

template <int Bits, class T> static inline uint64_t sl_pull_word(T& port, uint64_t value) {
    const T fresh = static_cast<T>(value & sl_mask(Bits));
    const uint64_t changed = port ^ fresh;
    port = fresh;
    return changed;
}

template <int Bits, class T> static inline uint64_t sl_pull_wide(T& port, const uint64_t* in) {
    uint64_t changed = 0;
    for (int i = 0; i < Bits / 64; ++i) {
        uint64_t now;
        std::memcpy(&now, &port[2 * i], sizeof now);
        changed |= now ^ in[i];
        std::memcpy(&port[2 * i], in + i, sizeof now);
    }
    for (int i = Bits / 64 * 2; i < (Bits + 31) / 32; ++i) {
        uint32_t fresh = static_cast<uint32_t>(in[i / 2] >> (i % 2 * 32));
        if (i == Bits / 32) fresh &= (1U << Bits % 32) - 1;
        changed |= port[i] ^ fresh;
        port[i] = fresh;
    }
    return changed;
}

template <int Bits, class T> static inline void sl_push_wide(const T& port, uint64_t* out) {
    constexpr int words = (Bits + 31) / 32;
    for (int i = 0; i < words; i += 2) {
        out[i / 2] = port[i] | (i + 1 < words ? static_cast<uint64_t>(port[i + 1 < words ? i + 1 : 0]) << 32 : 0);
    }
}
