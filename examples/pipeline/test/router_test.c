/* Unit tests of the handlers, with cmocka (https://cmocka.org): `make unit`. */
#include "starloom_native.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* Processor 5 of POPS(8,4), in group 0, whose packet goes to processor 17 in group 2. */
static void start(const char *params) {
    const sl_native_config config = {.self = 5, .processors = 32, .shape = {4, 8}, .ports = 4, .workload = 17, .params = params};
    sl_native_start(&config);
}

/* Calls the handler for a slot. The report has what it did wrong. */
static void slot(void) {
    if (!sl_native_slot()) assert_string_equal(sl_native_assertion(), "no failed assertion");
}

/* The two slots of a round. Returns how many frames were sent. */
static unsigned round_of_slots(void) {
    unsigned sent = 0;
    for (unsigned k = 0; k < 2; k++) {
        slot();
        sent += sl_native_sent() != 0;
    }
    return sent;
}

static void sends_in_its_turn(void **state) {
    (void)state;
    start(0);
    assert_int_equal(sl_native_listens(), SL_PORT_NONE);
    slot();
    for (unsigned wait = 0; !sl_native_sent(); wait += 8) { /* until its turn comes and it draws 0 */
        assert_true(wait < 400);
        for (unsigned k = 0; k < 8; k++) slot();
    }
    const sl_frame *frame = sl_native_sent();
    assert_int_equal(frame->kind, SL_KIND_DATA);
    assert_int_equal(frame->port, 2);
    assert_int_equal(frame->destination, 17);
    assert_memory_equal(frame->payload, ((uint32_t[]){5, 17}), 8);
    assert_int_equal(sl_native_listens(), 0); /* the group that has its turn */
    slot();
    assert_null(sl_native_sent());
    assert_int_equal(sl_native_listens(), 2); /* for the acknowledgement */
}

static void acknowledges(void **state) {
    (void)state;
    start(0);
    sl_native_slot();
    sl_native_receive(0, SL_KIND_DATA, 3, 5, 0, (uint32_t[]){3, 5}, 8);
    slot();
    const sl_frame *frame = sl_native_sent();
    assert_non_null(frame);
    assert_int_equal(frame->kind, SL_KIND_ACK);
    assert_int_equal(frame->destination, 3);
    sl_native_receive(2, SL_KIND_ACK, 17, 5, 0, 0, 0);
    slot();
    assert_string_equal(sl_native_log(0), "acknowledged");
    assert_true(sl_native_registers()->flags & SL_FLAG_DONE);
}

/* A packet that is never acknowledged is sent again and again: at least in every fourth of
 * its turns, and never in all of them. */
static void keeps_trying(void **state) {
    (void)state;
    start("odds=4");
    unsigned sent = 0, turns = 100;
    for (unsigned round = 0; round < 4 * turns; round++) sent += round_of_slots();
    assert_true(sent > turns / 4);
    assert_true(sent < 3 * turns / 4);
}

/* What one processor sends is given to another, and the answer to the first: all 32 are here,
 * the packet of each goes 12 processors further. */
static void hands_over(void **state) {
    (void)state;
    uint32_t workloads[32];
    for (uint32_t k = 0; k < 32; k++) workloads[k] = (k + 12) % 32;
    const sl_native_config config = {.count = 32, .shape = {4, 8}, .ports = 4, .workloads = workloads};
    sl_native_start(&config);
    sl_native_use(5);
    while (!sl_native_sent()) {
        assert_true(sl_native_next() < 400);
        slot();
    }
    const sl_frame *data = sl_native_sent();
    sl_native_use(17);
    sl_native_receive(0, data->kind, data->source, data->destination, data->tag, data->payload, data->payload_bytes);
    slot();
    const sl_frame *ack = sl_native_sent();
    assert_non_null(ack);
    sl_native_use(5);
    sl_native_receive(2, ack->kind, ack->source, ack->destination, ack->tag, ack->payload, ack->payload_bytes);
    slot();
    assert_string_equal(sl_native_log(0), "acknowledged");
}

static void survives_any_frame(void **state) {
    (void)state;
    start(0);
    srand(1);
    for (unsigned n = 0; n < 2000; n++) {
        uint8_t payload[16];
        for (unsigned k = 0; k < sizeof payload; k++) payload[k] = (uint8_t)rand();
        sl_native_receive((uint32_t)rand() % 4, (uint32_t)rand() % 3, (uint32_t)rand() % 32, (uint32_t)rand() % 32, 0, payload, (uint32_t)rand() % 17);
        slot();
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sends_in_its_turn), cmocka_unit_test(acknowledges),       cmocka_unit_test(keeps_trying),
        cmocka_unit_test(hands_over),        cmocka_unit_test(survives_any_frame),
    };
    return cmocka_run_group_tests_name("router", tests, 0, 0);
}
