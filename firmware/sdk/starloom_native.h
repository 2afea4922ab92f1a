/* Unit tests of handlers on the developer's machine, under any test framework, a debugger
 * and sanitizers. Compile the firmware and this shim natively and link them with the test:
 *
 *     cc -g -DSTARLOOM_NATIVE -fsanitize=address,undefined -I sdk -o test my.c my_test.c sdk/starloom_native.c
 *
 * There is one processor. A test starts it, says what its NIC receives, runs slots, and
 * looks at what it sends, hears and says. The network is the test's: what is sent goes
 * nowhere. `starloom firmware sdk DIR` writes the header and the shim. For NICs that send
 * and receive at one port in a slot, without request lists. */
#ifndef STARLOOM_NATIVE_H
#define STARLOOM_NATIVE_H

#ifndef STARLOOM_NATIVE
#error "compile firmware, shim and test with -DSTARLOOM_NATIVE"
#endif

#include "starloom_registers.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The processor and its network; 0 is what it says. */
typedef struct {
    uint32_t self;          /* number of the processor */
    uint32_t processors;    /* in the machine; 0: self + 1 */
    uint32_t shape[8];      /* the network's size, e.g. groups and group size */
    uint32_t ports;         /* 0: 1 */
    uint32_t payload_bytes; /* 0: 16 */
    uint32_t rx_frames;     /* 0: 4 */
    uint32_t tx_frames;     /* 0: 4 */
    uint32_t workload;      /* e.g. the destination of the processor's packet */
    uint64_t seed;
    const char *params;     /* "odds=3 retries=2"; 0: the firmware's defaults */
    const uint32_t *rom, *machine_rom;
    uint32_t rom_words, machine_rom_words;
} sl_native_config;

/* Makes a fresh processor and runs its start handler. The processor of before is gone. A
 * configuration that the firmware cannot serve ends the program with a message. */
void sl_native_start(const sl_native_config *config);

/* What the next slot's handler finds: a frame in the RX FIFO, with SL_STATUS_OK (or
 * SL_STATUS_OVERFLOW if the FIFO is full), or another status; the schedule's word; that the
 * own packet has arrived. */
void sl_native_receive(uint32_t port, uint32_t kind, uint32_t source, uint32_t destination, uint32_t tag, const void *payload, uint32_t payload_bytes);
void sl_native_status(uint32_t status);
void sl_native_schedule(uint64_t word);
void sl_native_delivered(void);

/* From now on the medium is taken: frames wait at the head of the TX FIFO. 0: it is free. */
void sl_native_block(int blocked);

/* Runs the handler at the boundary before the next slot, then sends the head of the TX
 * FIFO. Returns 0 if the processor has given up (sl_fail), now or before: then its handler
 * is not called. */
int sl_native_slot(void);

/* Number of the slot that the next call of sl_native_slot runs. */
uint32_t sl_native_next(void);

/* What happened in the last slot. The frame that was sent, 0 if there is none; the port
 * that is heard, SL_PORT_NONE for none; lines of the log, the first is 0; packets that
 * have come to stay (sl_deliver) and their origins. */
const sl_frame *sl_native_sent(void);
uint32_t sl_native_listens(void);
uint32_t sl_native_log_lines(void);
const char *sl_native_log(uint32_t line);
uint32_t sl_native_deliveries(void);
uint32_t sl_native_delivery(uint32_t k);

/* What holds now: the registers; the code of sl_fail if it has given up; the value of a
 * probe, and word k of the results: 1 if it was given, and its value. */
const sl_processor *sl_native_registers(void);
int sl_native_failed(int32_t *code);
uint64_t sl_native_probe(uint32_t signal);
int sl_native_result(uint32_t k, uint64_t *value);

#ifdef __cplusplus
}
#endif
#endif
