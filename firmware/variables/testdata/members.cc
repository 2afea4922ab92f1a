// A state of classes.
#include "starloom.h"

namespace router {

enum class Phase : uint8_t { idle, wait };

struct Counter {
    int32_t count;
    static int32_t limit;
    void add(int32_t by) { count += by; }
};

template <typename T, int size> struct Ring {
    T entries[size];
    uint8_t first, used;
};

class State : public Counter {
  public:
    State(); // clang would write the members only where it is defined

    Phase phase;
    Ring<uint16_t, 4> ring;
    const Counter *other;
    bool sent;

    void slot(sl_nic *nic) {
        add(-1);
        phase = Phase::wait;
        ring.entries[1] = (uint16_t)sl_slot(nic);
        sl_done(nic);
    }
};

static void start(sl_nic *nic, State *s) { s->add(5); }
static void slot(sl_nic *nic, State *s) { s->slot(nic); }

} // namespace router

STARLOOM_FIRMWARE(router::State, router::start, router::slot)
