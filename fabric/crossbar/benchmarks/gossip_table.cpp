// The yardstick of BenchmarkGossip: the least that a program for this one question does. It fills
// the run-table of pipelined gossiping row by row, as the paper does by hand: no network, no
// firmware, no frames, no rules.
//
//     g++ -O2 -std=c++17 -o table gossip_table.cpp && ./table N
//
// Row p begins in the column after its p-th reception; each of its messages goes into the first
// column from there on in which the addressee's cell is empty. It prints N and the columns as JSON.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

enum : uint16_t { idle = 0, sent = 0x8000 }; // a cell: 0, or 1 + the peer, with the bit if it was sent to

int main(int argc, char **argv) {
  const uint32_t N = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 0;
  if (N < 1 || N > 32766) {
    std::fprintf(stderr, "usage: table N, 1 to 32766\n");
    return 2;
  }
  const uint32_t columns = 3 * N + 3;
  std::vector<uint16_t> cells(size_t(N + 1) * columns, idle);
  uint32_t last = 0;
  for (uint32_t p = 0; p <= N; p++) {
    uint16_t *const row = &cells[size_t(p) * columns];
    uint32_t column = 0;
    for (uint32_t received = 0; received < p; column++)
      received += row[column] != idle;
    for (uint32_t k = 1; k <= N; k++) {
      const uint32_t to = p + k <= N ? p + k : p + k - N - 1;
      uint16_t *const other = &cells[size_t(to) * columns];
      while (other[column] != idle) column++;
      row[column] = sent | uint16_t(to + 1);
      other[column] = uint16_t(p + 1);
      last = std::max(last, ++column);
    }
  }
  std::printf("{\"N\":%u,\"lambda\":%u}\n", N, last);
}
