// One-to-all broadcast on EJ_{a+(a+1)rho}^(n) by steps, without firmware and frames: the least
// that a step-synchronous simulation can do. A byte for each node says in which step it has
// received the message. In a step every node that received it in the step before sends: in the
// dimension in which it has received it, along the tree of that dimension, and to the whole tree
// in the dimensions below, which begins with its six neighbours.
//
//     g++ -O2 -std=c++17 -o ej_broadcast ej_broadcast.cpp && ./ej_broadcast 3 5
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char **argv) {
    const int a = argc > 1 ? std::atoi(argv[1]) : 3, dims = argc > 2 ? std::atoi(argv[2]) : 4, b = a + 1;
    const int N = a * a + a * b + b * b, M = a; // a and b have no common divisor: residues are x + t*y
    int t = 0;
    while ((int64_t(t) * b - a) % N != 0) t++; // rho is t: a + b*rho = 0 gives b*rho = -a
    const int rho = (N - t) % N;
    int units[6] = {1, rho, (rho + N - 1) % N, N - 1, (N - rho) % N, (N - rho + 1) % N};

    // The tree of one dimension: children of each residue.
    std::vector<std::vector<int>> children(N);
    for (int j = 0; j < 6; j++) {
        const int major = units[(j + 1) % 6], minor = units[j];
        for (int q = 1, at = 0; q <= M; q++) {
            const int next = (at + major) % N;
            children[at].push_back(next);
            for (int p = 1, from = next; p <= M - q; p++) {
                const int to = (from + minor) % N;
                children[from].push_back(to);
                from = to;
            }
            at = next;
        }
    }

    std::vector<int64_t> power(dims + 1, 1);
    for (int k = 0; k < dims; k++) power[k + 1] = power[k] * N;
    const int64_t nodes = power[dims];
    std::vector<uint8_t> received(nodes, 0);
    received[0] = 1; // step + 1
    int64_t reached = 1;
    for (int step = 1; step <= dims * M; step++) {
        int64_t receivers = 0, senders = 0;
        for (int64_t node = 0; node < nodes; node++) {
            if (received[node] != step) continue;
            bool sends = false;
            int64_t rest = node;
            for (int k = 0; k < dims; k++) { // up to the lowest coordinate that is not zero
                const int c = int(rest % N);
                rest /= N;
                for (int child : children[c]) {
                    received[node + (child - c) * power[k]] = uint8_t(step + 1);
                    receivers++;
                    sends = true;
                }
                if (c != 0) break;
            }
            senders += sends;
        }
        reached += receivers;
        std::printf("{\"step\":%d,\"senders\":%lld,\"receivers\":%lld}\n", step, (long long)senders, (long long)receivers);
    }
    std::printf("{\"nodes\":%lld,\"reached\":%lld,\"ok\":%s}\n", (long long)nodes, (long long)reached, reached == nodes ? "true" : "false");
}
