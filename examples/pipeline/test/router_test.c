/* Unit tests of the handlers, with Check (https://libcheck.github.io/check): `make unit`. */
#include "starloom_native.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* Processor 5 of POPS(8,4), in group 0, whose packet goes to processor 17 in group 2. */
static void start(const char *params) {
    const sl_native_config config = {.self = 5, .processors = 32, .shape = {4, 8}, .ports = 4, .workload = 17, .params = params};
    sl_native_start(&config);
}

/* The two slots of a round. Returns how many frames were sent. */
static unsigned round_of_slots(void) {
    unsigned sent = 0;
    for (unsigned slot = 0; slot < 2; slot++) {
        ck_assert_msg(sl_native_slot(), "gave up: %s", sl_native_assertion());
        sent += sl_native_sent() != 0;
    }
    return sent;
}

START_TEST(sends_in_its_turn) {
    start(0);
    ck_assert_uint_eq(sl_native_listens(), SL_PORT_NONE);
    ck_assert(sl_native_slot());
    for (unsigned wait = 0; !sl_native_sent(); wait += 8) { /* until its turn comes and it draws 0 */
        ck_assert_uint_lt(wait, 400);
        for (unsigned slot = 0; slot < 8; slot++) ck_assert(sl_native_slot());
    }
    const sl_frame *frame = sl_native_sent();
    ck_assert_uint_eq(frame->kind, SL_KIND_DATA);
    ck_assert_uint_eq(frame->port, 2);
    ck_assert_uint_eq(frame->destination, 17);
    ck_assert_mem_eq(frame->payload, ((uint32_t[]){5, 17}), 8);
    ck_assert_uint_eq(sl_native_listens(), 0); /* the group that has its turn */
    ck_assert(sl_native_slot());
    ck_assert_ptr_null(sl_native_sent());
    ck_assert_uint_eq(sl_native_listens(), 2); /* for the acknowledgement */
}
END_TEST

START_TEST(acknowledges) {
    start(0);
    sl_native_slot();
    sl_native_receive(0, SL_KIND_DATA, 3, 5, 0, (uint32_t[]){3, 5}, 8);
    ck_assert(sl_native_slot());
    const sl_frame *frame = sl_native_sent();
    ck_assert_ptr_nonnull(frame);
    ck_assert_uint_eq(frame->kind, SL_KIND_ACK);
    ck_assert_uint_eq(frame->destination, 3);
    sl_native_receive(2, SL_KIND_ACK, 17, 5, 0, 0, 0);
    ck_assert(sl_native_slot());
    ck_assert_str_eq(sl_native_log(0), "acknowledged");
    ck_assert(sl_native_registers()->flags & SL_FLAG_DONE);
}
END_TEST

/* A packet that is never acknowledged is sent again and again: at least in every fourth of
 * its turns, and never in all of them. */
START_TEST(keeps_trying) {
    start("odds=4");
    unsigned sent = 0, turns = 100;
    for (unsigned round = 0; round < 4 * turns; round++) sent += round_of_slots();
    ck_assert_uint_gt(sent, turns / 4);
    ck_assert_uint_lt(sent, 3 * turns / 4);
}
END_TEST

/* What one processor sends is given to another, and the answer to the first: all 32 are here,
 * the packet of each goes 12 processors further. */
START_TEST(hands_over) {
    uint32_t workloads[32];
    for (uint32_t k = 0; k < 32; k++) workloads[k] = (k + 12) % 32;
    const sl_native_config config = {.count = 32, .shape = {4, 8}, .ports = 4, .workloads = workloads};
    sl_native_start(&config);
    sl_native_use(5);
    while (!sl_native_sent()) {
        ck_assert_uint_lt(sl_native_next(), 400);
        ck_assert(sl_native_slot());
    }
    const sl_frame *data = sl_native_sent();
    sl_native_use(17);
    sl_native_receive(0, data->kind, data->source, data->destination, data->tag, data->payload, data->payload_bytes);
    ck_assert(sl_native_slot());
    const sl_frame *ack = sl_native_sent();
    ck_assert_ptr_nonnull(ack);
    sl_native_use(5);
    sl_native_receive(2, ack->kind, ack->source, ack->destination, ack->tag, ack->payload, ack->payload_bytes);
    ck_assert(sl_native_slot());
    ck_assert_str_eq(sl_native_log(0), "acknowledged");
}
END_TEST

START_TEST(survives_any_frame) {
    start(0);
    srand(1);
    for (unsigned slot = 0; slot < 2000; slot++) {
        uint8_t payload[16];
        for (unsigned k = 0; k < sizeof payload; k++) payload[k] = (uint8_t)rand();
        sl_native_receive((uint32_t)rand() % 4, (uint32_t)rand() % 3, (uint32_t)rand() % 32, (uint32_t)rand() % 32, 0, payload, (uint32_t)rand() % 17);
        ck_assert_msg(sl_native_slot(), "gave up: %s", sl_native_assertion());
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("router");
    TCase *handlers = tcase_create("handlers");
    tcase_add_test(handlers, sends_in_its_turn);
    tcase_add_test(handlers, acknowledges);
    tcase_add_test(handlers, keeps_trying);
    tcase_add_test(handlers, hands_over);
    tcase_add_test(handlers, survives_any_frame);
    suite_add_tcase(suite, handlers);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
