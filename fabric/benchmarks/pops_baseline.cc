// The yardstick of `make bench-scale`: randomised permutation routing on
// POPS(g,g), written as most simulators are, with one object per processor, per
// coupler and per message, on one thread.
//
//     g++ -O2 -std=c++17 -o pops_baseline pops_baseline.cc && ./pops_baseline 4096
//
// It prints processors, slots, delivered packets and seconds. Same rule as
// firmware/programs/pops/random.c; no traces, no digest, no rules but the count of
// delivered packets.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

struct Packet {
    uint32_t origin, destination;
};

enum class Kind : uint8_t { data, ack };

class Message {
public:
    Message(Kind kind, uint32_t source, uint32_t destination, Packet packet)
        : kind(kind), source(source), destination(destination), packet(packet) {}
    Kind kind;
    uint32_t source, destination;
    Packet packet;
};

class Coupler {
public:
    void send(std::unique_ptr<Message> message) {
        if (senders_++ == 0) message_ = std::move(message);
    }
    const Message *hear() const { return senders_ == 1 ? message_.get() : nullptr; }
    void clear() {
        message_.reset();
        senders_ = 0;
    }

private:
    std::unique_ptr<Message> message_;
    uint32_t senders_ = 0;
};

class Network;

class Processor {
public:
    Processor(uint32_t self, uint32_t destination) : self_(self), destination_(destination) {}
    void send(Network &network, uint32_t slot);
    void hear(const Network &network, uint32_t slot);
    bool done() const { return !original_; }
    bool arrived() const { return arrived_; }

private:
    uint32_t self_, destination_;
    uint32_t random_ = 0, forwarded_ = 0;
    bool original_ = true, arrived_ = false, sent_ = false, passed_ = false, holds_ = false, acked_ = false;
    Packet copy_{};
    int64_t listen_ = -1;
};

class Network {
public:
    Network(uint32_t g, uint64_t seed) : g(g), random(seed), couplers(size_t(g) * g) {
        std::vector<uint32_t> permutation(size_t(g) * g);
        std::iota(permutation.begin(), permutation.end(), 0);
        for (size_t i = permutation.size() - 1; i > 0; i--)
            std::swap(permutation[i], permutation[std::uniform_int_distribution<size_t>(0, i)(random)]);
        processors.reserve(permutation.size());
        for (uint32_t i = 0; i < permutation.size(); i++) processors.emplace_back(i, permutation[i]);
    }

    void send(uint32_t from, uint32_t to, std::unique_ptr<Message> message) {
        couplers[size_t(from) * g + to].send(std::move(message));
    }
    const Message *hear(uint32_t from, uint32_t to) const { return couplers[size_t(from) * g + to].hear(); }

    uint32_t run() {
        for (uint32_t slot = 0;; slot++) {
            if (slot % 5 == 0) {
                bool all = true;
                for (const Processor &p : processors) all = all && p.done();
                if (all) return slot;
            }
            for (Processor &p : processors) p.send(*this, slot % 5);
            for (Processor &p : processors) p.hear(*this, slot % 5);
            for (Coupler &c : couplers) c.clear();
        }
    }

    uint32_t g;
    std::mt19937_64 random;
    std::vector<Processor> processors;
    std::vector<Coupler> couplers;
};

void Processor::send(Network &network, uint32_t slot) {
    const uint32_t g = network.g, group = self_ / g, delta = self_ % g;
    switch (slot) {
    case 0:
        holds_ = false;
        sent_ = original_;
        if (original_) {
            random_ = std::uniform_int_distribution<uint32_t>(0, g - 1)(network.random);
            network.send(group, random_, std::make_unique<Message>(Kind::data, self_, ~0u, Packet{self_, destination_}));
        }
        listen_ = delta;
        break;
    case 1:
        passed_ = holds_;
        if (holds_) {
            forwarded_ = copy_.destination % g;
            network.send(group, forwarded_, std::make_unique<Message>(Kind::data, self_, ~0u, copy_));
        }
        holds_ = false;
        listen_ = delta;
        break;
    case 2:
        if (holds_) network.send(group, delta, std::make_unique<Message>(Kind::ack, self_, ~0u, Packet{}));
        listen_ = passed_ ? int64_t(forwarded_) : -1;
        break;
    case 3:
        if (acked_) network.send(group, delta, std::make_unique<Message>(Kind::ack, self_, ~0u, Packet{}));
        listen_ = sent_ ? int64_t(random_) : -1;
        break;
    case 4:
        if (holds_)
            network.send(group, copy_.destination / g, std::make_unique<Message>(Kind::data, self_, copy_.destination, copy_));
        listen_ = delta;
        break;
    }
}

void Processor::hear(const Network &network, uint32_t slot) {
    const Message *message = listen_ < 0 ? nullptr : network.hear(uint32_t(listen_), self_ / network.g);
    switch (slot) {
    case 0:
    case 1:
        holds_ = message != nullptr;
        if (message) copy_ = message->packet;
        break;
    case 2:
        acked_ = message != nullptr;
        break;
    case 3:
        if (message) original_ = false;
        break;
    case 4:
        if (message && message->destination == self_) arrived_ = true;
        break;
    }
}

int main(int argc, char **argv) {
    const uint32_t g = argc > 1 ? uint32_t(std::atoi(argv[1])) : 1024;
    const auto start = std::chrono::steady_clock::now();
    Network network(g, argc > 2 ? uint64_t(std::atoll(argv[2])) : 1);
    const uint32_t slots = network.run();
    size_t delivered = 0;
    for (const Processor &p : network.processors) delivered += p.arrived();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::printf("n=%zu slots=%u delivered=%zu seconds=%.2f\n", network.processors.size(), slots, delivered, seconds);
    return delivered == network.processors.size() ? 0 : 1;
}
