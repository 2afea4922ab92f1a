/* Runs a handler natively as standard input says, and prints what it does. A line for each
 * slot: blocked, number of frames, and for each its port, kind, source, tag, bytes of the
 * payload, and two words of it. */
#include "starloom_native.h"

#include <stdio.h>
#include <string.h>

static void print_log(void) {
    for (uint32_t k = 0; k < sl_native_log_lines(); k++) printf(" %s", sl_native_log(k));
    for (uint32_t k = 0; k < sl_native_deliveries(); k++) printf(" delivers %u", sl_native_delivery(k));
    printf("\n");
}

int main(int arguments, char **argument) {
    const sl_native_config config = {
        .self = 2, .processors = 9, .shape = {3, 4}, .ports = 5, .payload_bytes = 8, .rx_frames = 2, .tx_frames = 2, .seed = 7, .params = arguments > 1 ? argument[1] : "depth=1",
    };
    uint32_t blocked, frames, port, kind, source, tag, bytes, payload[2];
    sl_native_start(&config);
    print_log();
    while (scanf("%u %u", &blocked, &frames) == 2) {
        for (; frames > 0; frames--) {
            if (scanf("%u %u %u %u %u %u %u", &port, &kind, &source, &tag, &bytes, payload, payload + 1) != 7) return 1;
            sl_native_receive(port, kind, source, 2, tag, payload, bytes);
        }
        sl_native_block((int)blocked);
        int32_t code = 0;
        printf("%d", sl_native_slot());
        const sl_frame *sent = sl_native_sent();
        if (sent) printf(" sends %u %u %u %u %u", sent->kind, sent->port, sent->source, sent->destination, sent->tag);
        for (uint32_t i = 0; sent && i < sent->payload_bytes; i++) printf(" %u", sent->payload[i]);
        const sl_processor *r = sl_native_registers();
        printf(" hears %u registers %u %u %u %u %u", sl_native_listens(), r->wake, r->rx_count, r->tx_count, r->held, r->flags);
        for (uint32_t k = 0; k < 4; k++) printf(" %llu", (unsigned long long)sl_native_probe(k));
        if (sl_native_failed(&code)) printf(" failed %d", code);
        print_log();
    }
    for (uint32_t k = 0; k < 4; k++) {
        uint64_t value;
        if (sl_native_result(k, &value)) printf("result %u %llu\n", k, (unsigned long long)value);
    }
    if (sl_native_assertion()) printf("%s\n", strrchr(sl_native_assertion(), '/') ? strrchr(sl_native_assertion(), '/') + 1 : sl_native_assertion());
    return 0;
}
