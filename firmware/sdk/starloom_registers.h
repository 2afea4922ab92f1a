/* Generated from nic/registermap.go by `go test ./nic -run RegisterMap -update`; DO NOT EDIT. */
#ifndef STARLOOM_REGISTERS_H
#define STARLOOM_REGISTERS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define SL_STATIC_ASSERT static_assert
#else
#define SL_STATIC_ASSERT _Static_assert
#endif

#define SL_ABI_VERSION 0x3u /* version of this map */
#define SL_PORT_ALL 0xfffeu /* send to every port */
#define SL_PORT_NONE 0xffffu /* hear nothing */
#define SL_ANY 0xffffffffu /* destination of a frame for any processor */
#define SL_LISTED 0xfffffffeu /* destination of a frame for the request list; the NIC replaces it by the served addressee */
#define SL_TAG_ANY 0xffffu /* tag filter that accepts every tag */
#define SL_PAYLOAD_BYTES_MAX 0xffe0u /* largest payload of any NIC */
#define SL_PAYLOAD_BYTES_RTL 0x400u /* largest payload of a NIC in RTL */
#define SL_KIND_DATA 0x0u /* frame kind: data */
#define SL_KIND_ACK 0x1u /* frame kind: acknowledgement */
#define SL_KIND_CONTROL 0x2u /* frame kind: control */
#define SL_STATUS_IDLE 0x0u /* no light, or the receiver did not listen */
#define SL_STATUS_OK 0x1u /* one good frame, stored in the RX FIFO */
#define SL_STATUS_COLLISION 0x2u /* two senders on one medium */
#define SL_STATUS_CRC 0x3u /* a damaged frame */
#define SL_STATUS_OVERFLOW 0x4u /* a good frame, lost because the RX FIFO was full */
#define SL_TX_NONE 0x0u /* there was no frame to send */
#define SL_TX_SENT 0x1u /* the medium has accepted the head of the TX FIFO */
#define SL_TX_BLOCKED 0x2u /* the medium was busy: the head of the TX FIFO waits */
#define SL_TX_COLLIDED 0x3u /* sent, but collided with another frame */
#define SL_FLAG_DONE 0x1u /* the processor has finished */
#define SL_FLAG_FAULTY 0x2u /* the processor trapped or broke the ABI */
#define SL_FLAG_TX_OVERFLOW 0x4u /* a frame did not fit into the TX FIFO */
#define SL_FLAG_SLEEPING 0x10u /* the handler need not be called */
#define SL_FLAG_DELIVERED 0x8u /* the packet that started here has arrived */

/* A frame as firmware sees it, little-endian; the payload follows it. The NIC converts from and to the wire format. */
typedef struct {
    uint8_t kind; /* RW, data 0, ack 1, control 2 */
    uint8_t flags; /* RW, free for the firmware, travels with the frame */
    uint16_t payload_bytes; /* RW, length of the payload, at most the bank's payload_bytes; ... */
    uint32_t source; /* R, NIC that sent the frame on this hop; the NIC fills it in. ... */
    uint32_t destination; /* RW, addressee on this hop, 0xffffffff for any processor, 0xfffffffe for the request list. ... */
    uint16_t tag; /* RW, free for the firmware, travels with the frame */
    uint16_t port; /* RW, sent: port to send to, 0xfffe for all ports; received: port it was heard on */
    uint8_t payload[];
} sl_frame;

SL_STATIC_ASSERT(offsetof(sl_frame, kind) == 0, "register map");
SL_STATIC_ASSERT(offsetof(sl_frame, flags) == 1, "register map");
SL_STATIC_ASSERT(offsetof(sl_frame, payload_bytes) == 2, "register map");
SL_STATIC_ASSERT(offsetof(sl_frame, source) == 4, "register map");
SL_STATIC_ASSERT(offsetof(sl_frame, destination) == 8, "register map");
SL_STATIC_ASSERT(offsetof(sl_frame, tag) == 12, "register map");
SL_STATIC_ASSERT(offsetof(sl_frame, port) == 14, "register map");
SL_STATIC_ASSERT(sizeof(sl_frame) == 16, "register map");

/* The registers of one processor's NIC. The blocks of the processors are adjacent, so that the host can scan them quickly. ... */
typedef struct {
    uint16_t wake; /* W, low bits of the slot in which a sleeping handler is called again */
    uint8_t tx_fewer; /* R, frames by which a fault has shortened the TX FIFO of this NIC, otherwise 0 */
    uint8_t reserved; /* R, zero */
    uint8_t rx_count; /* RW, frames in the RX FIFO; the handler takes from the head */
    uint8_t tx_count; /* RW, frames in the TX FIFO; in each slot the NIC tries to send the head */
    uint8_t held; /* W, packets that the handler holds, for the memory rule */
    uint8_t flags; /* RW, done 1 (set by the handler), faulty 2 (set by the host: the handler is not called again), ... */
} sl_processor;

SL_STATIC_ASSERT(offsetof(sl_processor, wake) == 0, "register map");
SL_STATIC_ASSERT(offsetof(sl_processor, tx_fewer) == 2, "register map");
SL_STATIC_ASSERT(offsetof(sl_processor, reserved) == 3, "register map");
SL_STATIC_ASSERT(offsetof(sl_processor, rx_count) == 4, "register map");
SL_STATIC_ASSERT(offsetof(sl_processor, tx_count) == 5, "register map");
SL_STATIC_ASSERT(offsetof(sl_processor, held) == 6, "register map");
SL_STATIC_ASSERT(offsetof(sl_processor, flags) == 7, "register map");
SL_STATIC_ASSERT(sizeof(sl_processor) == 8, "register map");

/* One descriptor per bank of processors. The SDK fills in the layout when the bank is attached; the host fills in the rest. */
typedef struct {
    uint32_t abi; /* L, version of this map */
    uint32_t cells; /* L, processors in this bank */
    uint32_t current; /* W, index in calls of the running handler's cell; identifies the cell after a trap */
    uint8_t *record; /* L, address of the first processor's record: the handler's state, then the heads of RX FIFO and TX FIFO */
    uint32_t record_stride; /* L, bytes from one record to the next */
    uint32_t rx; /* L, bytes from the start of a record to the head of the RX FIFO */
    uint32_t tx; /* L, bytes from the start of a record to the head of the TX FIFO */
    uint8_t *rx_more; /* L, address of the further frames of the RX FIFOs: the second frames of all processors, ... */
    uint8_t *tx_more; /* L, likewise for the TX FIFOs */
    uint32_t frame_stride; /* L, bytes of a frame in a FIFO, a multiple of 8: the frame block and the largest payload */
    uint32_t rx_frames; /* L, depth of the RX FIFO, in frames */
    uint32_t tx_frames; /* L, depth of the TX FIFO, in frames */
    uint32_t payload_bytes; /* L, largest payload of a frame */
    uint32_t first; /* R, processor number of cell 0 */
    uint32_t processors; /* R, processors in the machine */
    uint32_t shape[8]; /* R, the network's size; ABI.md describes the words of each network */
    uint32_t ports; /* R, ports of a NIC */
    uint64_t seed; /* R, start of the random stream */
    int32_t param[16]; /* R, parameters from the scenario, by index */
    sl_processor *processor; /* L, address of the first processor block; the blocks are adjacent */
    uint32_t *workload; /* L, address of the workload: one 32-bit word per processor (permutation: destination of its packet; ... */
    uint32_t *calls; /* L, address of the list of cells, 32 bits each, whose handlers must be called */
    uint8_t *rx_status; /* L, address of the receivers' status, one byte per processor: the result of the previous slot, idle 0, ... */
    uint16_t *listen; /* L, address of the listening table: listen_slots columns of 16 bits per processor; ... */
    uint32_t listen_slots; /* L, columns of the listening table, 1 to 64 */
    uint64_t *schedule; /* L, address of the schedule: one 64-bit word per processor, ... */
    const uint32_t *rom; /* L, address of the ROM: rom_words words of 32 bits per processor, adjacent, written once before slot 0; ... */
    uint32_t rom_words; /* R, words of each processor's ROM */
    const uint32_t *machine_rom; /* L, address of the ROM shared by all processors; 0 if the firmware does not use it */
    uint32_t machine_rom_words; /* R, words of the shared ROM */
    uint8_t *tx_status; /* L, address of the transmitters' status, one byte per processor: ... */
    uint32_t *served; /* L, address of the served addressees, 32 bits per processor: the addressee of a sent frame; ... */
    uint32_t list_words; /* R, words of the request list at the start of each processor's ROM: ... */
    uint32_t *first_choice; /* L, address of the first choices, 32 bits per processor: the index in its request list to try first; ... */
    uint64_t *list_valid; /* L, address of the valid bits of the request lists: one bit per word of the list, ... */
    uint16_t *accept_tag; /* L, address of the tag filters, 16 bits per processor: ... */
    uint32_t lanes; /* R, ports at which a NIC sends and receives in one slot: 1, or all of its ports; rx_status, ... */
} sl_bank;

#ifndef STARLOOM_NATIVE
SL_STATIC_ASSERT(offsetof(sl_bank, abi) == 0, "register map");
SL_STATIC_ASSERT(offsetof(sl_bank, cells) == 4, "register map");
SL_STATIC_ASSERT(offsetof(sl_bank, current) == 8, "register map");
SL_STATIC_ASSERT(offsetof(sl_bank, record) == 12, "register map");
SL_STATIC_ASSERT(offsetof(sl_bank, record_stride) == 16, "register map");
SL_STATIC_ASSERT(offsetof(sl_bank, rx) == 20, "register map");
SL_STATIC_ASSERT(offsetof(sl_bank, tx) == 24, "register map");
SL_STATIC_ASSERT(offsetof(sl_bank, rx_more) == 28, "register map");
SL_STATIC_ASSERT(offsetof(sl_bank, tx_more) == 32, "register map");
SL_STATIC_ASSERT(offsetof(sl_bank, frame_stride) == 36, "register map");
SL_STATIC_ASSERT(offsetof(sl_bank, rx_frames) == 40, "register map");
SL_STATIC_ASSERT(offsetof(sl_bank, tx_frames) == 44, "register map");
SL_STATIC_ASSERT(offsetof(sl_bank, payload_bytes) == 48, "register map");
SL_STATIC_ASSERT(offsetof(sl_bank, first) == 52, "register map");
SL_STATIC_ASSERT(offsetof(sl_bank, processors) == 56, "register map");
SL_STATIC_ASSERT(offsetof(sl_bank, shape) == 60, "register map");
SL_STATIC_ASSERT(offsetof(sl_bank, ports) == 92, "register map");
SL_STATIC_ASSERT(offsetof(sl_bank, seed) == 96, "register map");
SL_STATIC_ASSERT(offsetof(sl_bank, param) == 104, "register map");
SL_STATIC_ASSERT(offsetof(sl_bank, processor) == 168, "register map");
SL_STATIC_ASSERT(offsetof(sl_bank, workload) == 172, "register map");
SL_STATIC_ASSERT(offsetof(sl_bank, calls) == 176, "register map");
SL_STATIC_ASSERT(offsetof(sl_bank, rx_status) == 180, "register map");
SL_STATIC_ASSERT(offsetof(sl_bank, listen) == 184, "register map");
SL_STATIC_ASSERT(offsetof(sl_bank, listen_slots) == 188, "register map");
SL_STATIC_ASSERT(offsetof(sl_bank, schedule) == 192, "register map");
SL_STATIC_ASSERT(offsetof(sl_bank, rom) == 196, "register map");
SL_STATIC_ASSERT(offsetof(sl_bank, rom_words) == 200, "register map");
SL_STATIC_ASSERT(offsetof(sl_bank, machine_rom) == 204, "register map");
SL_STATIC_ASSERT(offsetof(sl_bank, machine_rom_words) == 208, "register map");
SL_STATIC_ASSERT(offsetof(sl_bank, tx_status) == 212, "register map");
SL_STATIC_ASSERT(offsetof(sl_bank, served) == 216, "register map");
SL_STATIC_ASSERT(offsetof(sl_bank, list_words) == 220, "register map");
SL_STATIC_ASSERT(offsetof(sl_bank, first_choice) == 224, "register map");
SL_STATIC_ASSERT(offsetof(sl_bank, list_valid) == 228, "register map");
SL_STATIC_ASSERT(offsetof(sl_bank, accept_tag) == 232, "register map");
SL_STATIC_ASSERT(offsetof(sl_bank, lanes) == 236, "register map");
SL_STATIC_ASSERT(sizeof(sl_bank) == 240, "register map");
#endif

/* What is cut above, in full.
 *
 * sl_frame.payload_bytes: length of the payload, at most the bank's payload_bytes; zeros follow it up
 * to the next multiple of 8, and to at least 8 bytes; later bytes belong to no frame
 *
 * sl_frame.source: NIC that sent the frame on this hop; the NIC fills it in. Firmware keeps the
 * origin of a packet in the payload
 *
 * sl_frame.destination: addressee on this hop, 0xffffffff for any processor, 0xfffffffe for the
 * request list. Frames have no other address: the final destination of a relayed packet is in the
 * payload; the firmware of each relay reads it there and writes the next hop here
 *
 * sl_processor: The registers of one processor's NIC. The blocks of the processors are adjacent, so
 * that the host can scan them quickly. The flags are last, so that a handler's first access checks
 * the bounds of the whole block.
 *
 * sl_processor.flags: done 1 (set by the handler), faulty 2 (set by the host: the handler is not
 * called again), tx overflow 4 (set by the SDK: a frame did not fit), sleeping 16 (set by the
 * handler: no call before slot wake unless a FIFO holds a frame; the host clears sleeping if
 * tx_status is used and a frame was sent, if the schedule's word changes, and when it sets
 * delivered), delivered 8 (set by the host, if senders learn of arrivals without acknowledgement: the
 * packet that started here has arrived)
 *
 * sl_bank.rx_more: address of the further frames of the RX FIFOs: the second frames of all
 * processors, then the third frames, up to rx_frames; frame_stride bytes each
 *
 * sl_bank.workload: address of the workload: one 32-bit word per processor (permutation: destination
 * of its packet; one-to-all: number of the source; ABI.md describes other workloads)
 *
 * sl_bank.rx_status: address of the receivers' status, one byte per processor: the result of the
 * previous slot, idle 0, ok 1, collision 2, crc 3, overflow 4
 *
 * sl_bank.listen: address of the listening table: listen_slots columns of 16 bits per processor; slot
 * t hears the ports of column t mod listen_slots, 0xffff for none, 0xfffe for all unless lanes is 1
 *
 * sl_bank.schedule: address of the schedule: one 64-bit word per processor, written before every slot
 * like the output of a ROM; ABI.md describes it for each network; 0 if the firmware does not use it
 *
 * sl_bank.rom: address of the ROM: rom_words words of 32 bits per processor, adjacent, written once
 * before slot 0; ABI.md describes the words for each network; 0 if the firmware does not use the ROM
 *
 * sl_bank.tx_status: address of the transmitters' status, one byte per processor: the result of the
 * head of the TX FIFO in the previous slot, none 0, sent 1, blocked 2 (the frame is still the head),
 * collided 3 (if the medium reports collisions); 0 if the firmware does not use it
 *
 * sl_bank.served: address of the served addressees, 32 bits per processor: the addressee of a sent
 * frame; 0 if the firmware does not use tx_status
 *
 * sl_bank.list_words: words of the request list at the start of each processor's ROM: the processors
 * whose outputs it may request, in order; 0 if the network has no lists
 *
 * sl_bank.first_choice: address of the first choices, 32 bits per processor: the index in its request
 * list to try first; 0 if the firmware does not use request lists
 *
 * sl_bank.list_valid: address of the valid bits of the request lists: one bit per word of the list,
 * in list_words/64 words (rounded up) of 64 bits per processor, side by side, lowest bit first; the
 * NIC clears the bit of a served addressee; 0 if the firmware does not use request lists
 *
 * sl_bank.accept_tag: address of the tag filters, 16 bits per processor: the processor's output
 * accepts only requests with this tag, 0xffff for any; 0 if the firmware does not use tag filters
 *
 * sl_bank.lanes: ports at which a NIC sends and receives in one slot: 1, or all of its ports;
 * rx_status, tx_status and served have a column for each, with one element per processor
 */

#endif
