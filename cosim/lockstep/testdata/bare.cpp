// What people write to run RTL without Starloom: Verilator's model in a loop, inputs from a file of 32-bit
// words (requests in bits 15 to 0, take in 16, reset in 17), outputs folded into a number.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "Vdut.h"
#include "verilated.h"

int main(int, char** argv) {
    std::FILE* file = std::fopen(argv[1], "rb");
    const long first = std::atol(argv[2]);  // rows whose outputs are folded
    std::vector<uint32_t> rows;
    for (uint32_t row; std::fread(&row, sizeof row, 1, file) == 1;) rows.push_back(row);
    VerilatedContext context;
    Vdut top{&context};
    for (int i = 0; i < 16; ++i) top.data_i[i] = 0;
    uint64_t sum = 0, folded = 0;
    long cycle = 0;
    const std::clock_t start = std::clock();
    for (const uint32_t row : rows) {
        top.req_i = row & 0xffff;
        top.gnt_i = row >> 16 & 1;
        top.rst_ni = ~row >> 17 & 1;
        top.clk_i = 0;
        top.eval();
        if (top.rst_ni) sum = sum * 31 + (top.gnt_o | top.idx_o << 16);
        if (++cycle == first) folded = sum;
        top.clk_i = 1;
        top.eval();
    }
    const double ns = 1e9 * (std::clock() - start) / CLOCKS_PER_SEC;
    std::printf("%f %llu %llu\n", ns / rows.size(), static_cast<unsigned long long>(folded), static_cast<unsigned long long>(sum));
}
