/* Runs processors natively as standard input says, and prints what they do: number of
 * processors, whether NICs use all ports, words of their request lists, and for each slot the
 * blocked ones (bits), those whose frames collide (likewise), the outputs that are taken (bits,
 * with request lists), the number of frames, and for each its processor, port, kind, source, tag,
 * bytes of the payload, and two words of it. Arguments are parameters of the firmware. */
#include "starloom_native.h"

#include <stdio.h>
#include <string.h>

enum { FIRST = 2, PORTS = 5, PROCESSORS = 9, LISTED = 80 };

static void print_log(void) {
    for (uint32_t k = 0; k < sl_native_log_lines(); k++) printf(" %s", sl_native_log(k));
    for (uint32_t k = 0; k < sl_native_deliveries(); k++) printf(" delivers %u", sl_native_delivery(k));
    printf("\n");
}

static void print_slot(int runs) {
    int32_t code = 0;
    printf("%d", runs);
    for (uint32_t port = 0; port <= PORTS; port++) {
        const sl_frame *sent = sl_native_sent_to(port < PORTS ? port : SL_PORT_ALL);
        if (!sent || (port < PORTS && sent->port == SL_PORT_ALL)) continue;
        printf(" sends %u %u %u %u %u", sent->kind, sent->port, sent->source, sent->destination, sent->tag);
        for (uint32_t i = 0; i < sent->payload_bytes; i++) printf(" %u", sent->payload[i]);
    }
    const sl_processor *r = sl_native_registers();
    printf(" hears %u registers %u %u %u %u %u", sl_native_listens(), r->wake, r->rx_count, r->tx_count, r->held, r->flags);
    for (uint32_t k = 0; k < 4; k++) printf(" %llu", (unsigned long long)sl_native_probe(k));
    if (sl_native_failed(&code)) printf(" failed %d", code);
    print_log();
}

int main(int arguments, char **argument) {
    static const uint32_t workloads[] = {70, 71, 72};
    static uint32_t rom[3 * LISTED];
    uint32_t count, all_ports, listed, blocked, met, taken, frames, to, port, kind, source, tag, bytes, payload[2];
    if (scanf("%u %u %u", &count, &all_ports, &listed) != 3) return 1;
    for (uint32_t k = 0; k < 3 * LISTED; k++) rom[k] = k * 7 % (PROCESSORS + 1); /* one is not there */
    const sl_native_config config = {
        .self = FIRST, .count = count, .all_ports = (int)all_ports, .processors = PROCESSORS, .shape = {3, 4}, .ports = listed ? 1 : PORTS, .payload_bytes = 8,
        .rx_frames = all_ports ? 2 * PORTS : 2, .tx_frames = all_ports ? 2 * PORTS : 2,
        .seed = 7, .workloads = workloads, .params = arguments > 1 ? argument[1] : "depth=1",
        .rom = rom, .rom_words = listed ? LISTED : 0, .list_words = listed,
    };
    sl_native_start(&config);
    for (uint32_t p = 0; p < count; p++) sl_native_use(FIRST + p), print_log();
    while (scanf("%u %u %u %u", &blocked, &met, &taken, &frames) == 4) {
        for (uint32_t output = 0; listed && output < PROCESSORS; output++) sl_native_take(output, (int)(taken >> output & 1));
        for (; frames > 0; frames--) {
            if (scanf("%u %u %u %u %u %u %u %u", &to, &port, &kind, &source, &tag, &bytes, payload, payload + 1) != 8) return 1;
            sl_native_use(to);
            sl_native_receive(port, kind, source, to, tag, payload, bytes);
        }
        for (uint32_t p = 0; p < count; p++) {
            sl_native_use(FIRST + p);
            sl_native_block((int)(blocked >> p & 1));
            if (met >> p & 1) sl_native_collide(1);
        }
        sl_native_slot();
        for (uint32_t p = 0; p < count; p++) {
            sl_native_use(FIRST + p);
            print_slot(!sl_native_failed(0));
        }
    }
    for (uint32_t p = 0; p < count; p++) {
        sl_native_use(FIRST + p);
        for (uint32_t k = 0; k < 4; k++) {
            uint64_t value;
            if (sl_native_result(k, &value)) printf("result %u %llu\n", k, (unsigned long long)value);
        }
        if (sl_native_assertion()) printf("%s\n", strrchr(sl_native_assertion(), '/') ? strrchr(sl_native_assertion(), '/') + 1 : sl_native_assertion());
    }
    return 0;
}
