// The yardstick of `make bench-scale`: what a user would write today, a message-level,
// single-threaded simulator of POPS(g,g) with one object per processor, coupler and message,
// and Mei & Rizzi's randomised permutation routing. No traces, no digest, no rules.
//
//     g++ -O2 -std=c++17 -o base pops_objects.cpp && ./base N [SEED [TRIALS]]
//
// N is the number of processors, a square. It prints one line of JSON for each trial. -DHEAPMSG:
// every message on the heap, and virtual functions.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <sys/resource.h>
typedef uint32_t u32; typedef uint64_t u64;

static u64 mix64(u64 z) {
  z += 0x9E3779B97F4A7C15ull; z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull; return z ^ (z >> 31);
}

struct Message { u32 dest, src; u64 data; };

#ifdef HEAPMSG   // more naive variant: a heap-allocated message object per transmission, polymorphic nodes
class Coupler {
public:
  Coupler(u32 dst, u32 src) : dstGroup(dst), srcGroup(src) {}
  virtual ~Coupler() { reset(); }
  virtual void reset() { for (auto m : inbox) delete m; inbox.clear(); }
  virtual void send(const Message &m) { inbox.push_back(new Message(m)); }
  virtual bool carries() const { return inbox.size() == 1; }
  virtual const Message &read() const { return *inbox[0]; }
private:
  u32 dstGroup, srcGroup;
  std::vector<Message *> inbox;
};
#else
class Coupler {
public:
  Coupler(u32 dst, u32 src) : dstGroup(dst), srcGroup(src) {}
  void reset() { senders = 0; }
  void send(const Message &m) { msg = m; senders++; }
  bool carries() const { return senders == 1; }
  const Message &read() const { return msg; }
private:
  u32 dstGroup, srcGroup, senders = 0;
  Message msg;
};
#endif

class Network {
public:
  Network(u32 g) : g(g) { couplers.reserve((size_t)g * g); for (u32 b = 0; b < g; b++) for (u32 a = 0; a < g; a++) couplers.push_back(new Coupler(b, a)); }
  ~Network() { for (auto c : couplers) delete c; }
  Coupler *c(u32 b, u32 a) { return couplers[(size_t)b * g + a]; }
  void reset() { for (auto c : couplers) c->reset(); }
  const u32 g;
private:
  std::vector<Coupler *> couplers;
};

class Processor {
public:
  Processor(u32 id, u32 g, u32 dest, u64 seed) : id(id), group(id / g), index(id % g), rng(mix64(seed + (u64)id * 0xD1342543DE82EF95ull)) {
    own.dest = dest; own.src = id; own.data = mix64(id);
  }
  void send(int slot, Network &net) {
    switch (slot) {
    case 1: if (hasOwn) { usedGroup = (u32)(((u64)rnd() * net.g) >> 32); net.c(usedGroup, group)->send(own); } break;
    case 2: if (hasCopy) { tempGroup = copy.dest % net.g; net.c(tempGroup, group)->send(copy); } break;
    case 3: if (hasTemp) net.c(index, group)->send(temp); break;                 // ack
    case 4: if (acked) net.c(index, group)->send(copy); break;                  // ack
    case 5: if (hasTemp) net.c(temp.dest / net.g, group)->send(temp); break;
    }
  }
  void receive(int slot, Network &net) {
    switch (slot) {
    case 1: { Coupler *c = net.c(group, index); hasCopy = c->carries(); if (hasCopy) copy = c->read(); break; }
    case 2: { Coupler *c = net.c(group, index); hasTemp = c->carries(); if (hasTemp) temp = c->read(); break; }
    case 3: acked = hasCopy && net.c(group, tempGroup)->carries(); break;
    case 4: if (hasOwn && net.c(group, usedGroup)->carries()) hasOwn = false; break;
    case 5: { Coupler *c = net.c(group, id % net.g); if (c->carries()) { received = c->read(); hasReceived = true; } break; }
    }
  }
  bool done() const { return !hasOwn && hasReceived; }
  const Message &result() const { return received; }
  u64 rngState() const { return rng; }
private:
  u32 rnd() {
    u64 x = rng; rng = x * 6364136223846793005ull + 1442695040888963407ull;
    u32 xs = (u32)(((x >> 18) ^ x) >> 27), r = (u32)(x >> 59);
    return (xs >> r) | (xs << ((32 - r) & 31));
  }
  u32 id, group, index, usedGroup = 0, tempGroup = 0;
  bool hasOwn = true, hasCopy = false, hasTemp = false, acked = false, hasReceived = false;
  Message own, copy, temp, received;
  u64 rng;
};

static std::vector<u32> perm(u32 n, u64 seed) {
  std::vector<u32> p(n); for (u32 i = 0; i < n; i++) p[i] = i;
  u64 s = seed ^ 0xABCDEF;
  for (u32 i = n - 1; i > 0; i--) {
    s += 0x9E3779B97F4A7C15ull;
    u64 z = s;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    z ^= z >> 31;
    u32 j = (u32)(((z >> 32) * (u64)(i + 1)) >> 32);
    std::swap(p[i], p[j]);
  }
  return p;
}
static double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
static double user() { rusage r; getrusage(RUSAGE_SELF, &r); return r.ru_utime.tv_sec + r.ru_utime.tv_usec * 1e-6; }

int main(int argc, char **argv) {
  u32 n = argc > 1 ? strtoul(argv[1], 0, 10) : 4096; u64 seed0 = argc > 2 ? strtoull(argv[2], 0, 10) : 1; int trials = argc > 3 ? atoi(argv[3]) : 1;
  u32 g = 1; while ((u64)g * g < n) g++;
  double sum = 0;
  for (int t = 0; t < trials; t++) {
    u64 seed = seed0 + t; double w0 = now(), u0 = user();
    auto pm = perm(n, seed);
    Network net(g); std::vector<Processor *> ps; ps.reserve(n);
    for (u32 i = 0; i < n; i++) ps.push_back(new Processor(i, g, pm[i], seed));
    double w1 = now(), u1 = user();
    int steps = 0; bool all = false;
    while (!all) {
      for (int slot = 1; slot <= 5; slot++) {
        net.reset();
        for (auto p : ps) p->send(slot, net);
        for (auto p : ps) p->receive(slot, net);
      }
      steps++; all = true;
      for (auto p : ps) if (!p->done()) { all = false; break; }
    }
    double w2 = now(), u2 = user();
    bool ok = true; u64 h = 0;
    for (u32 p = 0; p < n; p++) { u64 got = ps[pm[p]]->result().data; if (got != mix64(p)) ok = false; h = mix64(h ^ ps[p]->rngState() ^ got); }
    for (auto p : ps) delete p;
    rusage r; getrusage(RUSAGE_SELF, &r);
    double psn = (double)n * steps * 5; sum += steps;
    printf("{\"impl\":\"cpp\",\"n\":%u,\"threads\":1,\"seed\":%llu,\"steps\":%d,\"slots\":%d,\"ok\":%s,\"hash\":\"%016llx\","
           "\"setup_ms\":%.3f,\"setup_user_ms\":%.3f,\"wall_ms\":%.3f,\"user_ms\":%.3f,"
           "\"ns_ps_wall\":%.3f,\"ns_ps_user\":%.3f,\"hwm_mb\":%ld}\n",
           n, (unsigned long long)seed, steps, steps * 5, ok ? "true" : "false", (unsigned long long)h,
           (w1 - w0) * 1e3, (u1 - u0) * 1e3, (w2 - w1) * 1e3, (u2 - u1) * 1e3,
           (w2 - w1) * 1e9 / psn, (u2 - u1) * 1e9 / psn, r.ru_maxrss / 1024);
  }
  if (trials > 1) fprintf(stderr, "mean steps %.3f\n", sum / trials);
}
