// Unit tests of the handlers, natively: `make native`.
#include "starloom_native.h"

#include <cassert>
#include <cstdio>
#include <cstring>

// Processor 5 of POPS(8,4), in group 0, whose packet goes to processor 17 in group 2.
static sl_native_config config() {
    sl_native_config c{};
    c.self = 5;
    c.processors = 32;
    c.shape[0] = 4;
    c.shape[1] = 8;
    c.ports = 4;
    c.workload = 17;
    c.params = "odds=1";
    return c;
}

static void start() {
    const sl_native_config c = config();
    sl_native_start(&c);
}

static void sends_in_its_turn() {
    start();
    assert(sl_native_listens() == SL_PORT_NONE);
    assert(sl_native_slot());
    const sl_frame *frame = sl_native_sent();
    assert(frame && frame->kind == SL_KIND_DATA);
    assert(frame->port == 2 && frame->destination == 17 && frame->source == 5);
    const uint32_t packet[] = {5, 17};
    assert(std::memcmp(frame->payload, packet, 8) == 0);
    assert(sl_native_listens() == 0); // the group that has its turn
    assert(sl_native_probe(0) == 1);
    assert(sl_native_slot() && !sl_native_sent());
    assert(sl_native_listens() == 2); // for the acknowledgement
}

static void waits_for_the_others() {
    start();
    sl_native_slot();
    sl_native_slot();
    for (uint32_t turn = 1; turn < 4; turn++) {
        assert(sl_native_slot() && !sl_native_sent() && sl_native_listens() == turn);
        assert(sl_native_slot() && !sl_native_sent() && sl_native_listens() == SL_PORT_NONE);
    }
    assert(sl_native_slot() && sl_native_sent()); // again: no one has acknowledged
    assert(sl_native_probe(0) == 2);
}

static void acknowledges() {
    start();
    sl_native_slot();
    const uint32_t packet[] = {3, 5};
    sl_native_receive(0, SL_KIND_DATA, 3, 5, 0, packet, 8);
    assert(sl_native_slot());
    const sl_frame *frame = sl_native_sent();
    assert(frame && frame->kind == SL_KIND_ACK && frame->port == 0 && frame->destination == 3);
    assert(!(sl_native_registers()->flags & SL_FLAG_DONE));
    sl_native_receive(2, SL_KIND_ACK, 17, 5, 0, 0, 0);
    assert(sl_native_slot());
    assert(sl_native_log_lines() == 1 && std::strcmp(sl_native_log(0), "acknowledged") == 0);
    assert(sl_native_registers()->flags & SL_FLAG_DONE);
}

static void ignores_what_is_for_others() {
    start();
    sl_native_slot();
    const uint32_t packet[] = {3, 6};
    sl_native_receive(0, SL_KIND_DATA, 3, 6, 0, packet, 8);
    assert(sl_native_slot() && !sl_native_sent());
    sl_native_status(SL_STATUS_COLLISION);
    assert(sl_native_slot() && !(sl_native_registers()->flags & SL_FLAG_DONE));
}

int main() {
    sends_in_its_turn();
    waits_for_the_others();
    acknowledges();
    ignores_what_is_for_others();
    std::puts("PASS");
    return 0;
}
