/* Unit tests of handlers on the developer's machine, under any test framework, a debugger
 * and sanitizers. Compile the firmware and this shim natively and link them with the test:
 *
 *     cc -g -DSTARLOOM_NATIVE -fsanitize=address,undefined -I sdk -o test my.c my_test.c sdk/starloom_native.c
 *
 * The shim has one processor, or several with consecutive numbers. A test starts them, sets
 * the inputs of their NICs, runs slots, and checks what they send, hear and report. The test
 * is the network: a sent frame reaches no receiver unless the test passes it on.
 * `starloom firmware sdk DIR` writes the header and the shim. NICs send and receive at one
 * port in a slot, or at all of their ports. Not simulated: interactions of processors, such
 * as requests for the same output or collisions on a medium; deadlines; faults. */
#ifndef STARLOOM_NATIVE_H
#define STARLOOM_NATIVE_H

#ifndef STARLOOM_NATIVE
#error "compile firmware, shim and test with -DSTARLOOM_NATIVE"
#endif

#include "starloom_registers.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The processors and their network. 0 selects the value in the comment. */
typedef struct {
    uint32_t self;          /* number of the processor, or of the first one */
    uint32_t processors;    /* in the machine; 0: self + count */
    uint32_t shape[8];      /* the network's size, e.g. groups and group size */
    uint32_t ports;         /* 0: 1 */
    uint32_t payload_bytes; /* 0: 16 */
    uint32_t rx_frames;     /* for all ports together, at most 255; 0: 4 per port used in one slot */
    uint32_t tx_frames;     /* for all ports together, at most 255; 0: 4 per port used in one slot */
    uint32_t workload;      /* e.g. the destination of the processor's packet */
    uint64_t seed;
    const char *params;     /* "odds=3 retries=2"; 0: the firmware's defaults */
    const uint32_t *rom, *machine_rom; /* rom: the words of all processors, one after the other */
    uint32_t rom_words, machine_rom_words;
    uint32_t count;            /* processors here: self, self + 1 ...; 0: 1 */
    const uint32_t *workloads; /* workload of each processor; 0: all have `workload` */
    int all_ports;             /* NICs send and receive at all ports in one slot, at most 72 */
    uint32_t list_words;       /* words of the request list at the start of each ROM; every frame then goes to the output of a processor */
} sl_native_config;

/* Creates new processors, replacing earlier ones, and runs their start handlers. A
 * configuration that the firmware cannot serve ends the program with a message. */
void sl_native_start(const sl_native_config *config);

/* Selects the processor for all other functions; initially the first one. */
void sl_native_use(uint32_t processor);

/* Inputs of the next slot's handler: a frame in the RX FIFO, with SL_STATUS_OK (or
 * SL_STATUS_OVERFLOW if the FIFO, or the port's part of it, is full); another status of the
 * receiver or of a port; the word of the schedule; the arrival of the own packet. */
void sl_native_receive(uint32_t port, uint32_t kind, uint32_t source, uint32_t destination, uint32_t tag, const void *payload, uint32_t payload_bytes);
void sl_native_status(uint32_t status);
void sl_native_status_of(uint32_t port, uint32_t status);
void sl_native_schedule(uint64_t word);
void sl_native_delivered(void);

/* From now on the medium is busy, or frames collide and the medium reports the collisions. In both cases frames stay at the head
 * of the TX FIFO. 0 ends this. */
void sl_native_block(int blocked);
void sl_native_collide(int collides);

/* With request lists: from now on the output of a processor of the network is taken or accepts another tag. Frames to this output
 * wait; requests by list get another output. 0 ends this. */
void sl_native_take(uint32_t output, int taken);

/* Runs the handlers of all processors at the boundary before the next slot; then each NIC sends
 * the head of its TX FIFO, or the first frame of each port. Returns 0 if the processor has
 * given up (sl_fail, sl_assert), now or earlier: its handler is no longer called. */
int sl_native_slot(void);

/* Number of the slot that the next call of sl_native_slot runs. */
uint32_t sl_native_next(void);

/* Results of the last slot: the sent frame, 0 for none, the first of several; the frame sent to
 * a port; the heard port, SL_PORT_ALL for all, SL_PORT_NONE for none; lines of the log, from 0;
 * delivered packets (sl_deliver) and their origins. */
const sl_frame *sl_native_sent(void);
const sl_frame *sl_native_sent_to(uint32_t port);
uint32_t sl_native_listens(void);
uint32_t sl_native_log_lines(void);
const char *sl_native_log(uint32_t line);
uint32_t sl_native_deliveries(void);
uint32_t sl_native_delivery(uint32_t k);

/* Current state: the registers; 1 if the processor has given up, and the code of sl_fail; the
 * failed assertion as "file:line: function: condition", 0 for none; the value of a probe; word
 * k of the results: 1 if it was set, and its value. */
const sl_processor *sl_native_registers(void);
int sl_native_failed(int32_t *code);
const char *sl_native_assertion(void);
uint64_t sl_native_probe(uint32_t signal);
int sl_native_result(uint32_t k, uint64_t *value);

#ifdef __cplusplus
}
#endif
#endif
