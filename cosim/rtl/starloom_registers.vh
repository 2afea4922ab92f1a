// Generated from nic/registermap.go by `go test ./nic -run RegisterMap -update`; DO NOT EDIT.
`ifndef STARLOOM_REGISTERS_VH
`define STARLOOM_REGISTERS_VH

`define SL_ABI_VERSION 32'h00000003 // version of this map
`define SL_PORT_ALL 32'h0000fffe // send to every port
`define SL_PORT_NONE 32'h0000ffff // hear nothing
`define SL_ANY 32'hffffffff // destination of a frame for any processor
`define SL_LISTED 32'hfffffffe // destination of a frame for the request list; the NIC replaces it by the served addressee
`define SL_TAG_ANY 32'h0000ffff // tag filter that accepts every tag
`define SL_PAYLOAD_BYTES_MAX 32'h0000ffe0 // largest payload of any NIC
`define SL_PAYLOAD_BYTES_RTL 32'h00000400 // largest payload of a NIC in RTL
`define SL_KIND_DATA 32'h00000000 // frame kind: data
`define SL_KIND_ACK 32'h00000001 // frame kind: acknowledgement
`define SL_KIND_CONTROL 32'h00000002 // frame kind: control
`define SL_STATUS_IDLE 32'h00000000 // no light, or the receiver did not listen
`define SL_STATUS_OK 32'h00000001 // one good frame, stored in the RX FIFO
`define SL_STATUS_COLLISION 32'h00000002 // two senders on one medium
`define SL_STATUS_CRC 32'h00000003 // a damaged frame
`define SL_STATUS_OVERFLOW 32'h00000004 // a good frame, lost because the RX FIFO was full
`define SL_TX_NONE 32'h00000000 // there was no frame to send
`define SL_TX_SENT 32'h00000001 // the medium has accepted the head of the TX FIFO
`define SL_TX_BLOCKED 32'h00000002 // the medium was busy: the head of the TX FIFO waits
`define SL_TX_COLLIDED 32'h00000003 // sent, but collided with another frame
`define SL_FLAG_DONE 32'h00000001 // the processor has finished
`define SL_FLAG_FAULTY 32'h00000002 // the processor trapped or broke the ABI
`define SL_FLAG_TX_OVERFLOW 32'h00000004 // a frame did not fit into the TX FIFO
`define SL_FLAG_SLEEPING 32'h00000010 // the handler need not be called
`define SL_FLAG_DELIVERED 32'h00000008 // the packet that started here has arrived

// A frame as firmware sees it, little-endian; the payload follows it. The NIC converts from and to
// the wire format.
`define SL_FRAME_KIND_OFFSET 0
`define SL_FRAME_KIND_BITS 8
`define SL_FRAME_FLAGS_OFFSET 1
`define SL_FRAME_FLAGS_BITS 8
`define SL_FRAME_PAYLOAD_BYTES_OFFSET 2
`define SL_FRAME_PAYLOAD_BYTES_BITS 16
`define SL_FRAME_SOURCE_OFFSET 4
`define SL_FRAME_SOURCE_BITS 32
`define SL_FRAME_DESTINATION_OFFSET 8
`define SL_FRAME_DESTINATION_BITS 32
`define SL_FRAME_TAG_OFFSET 12
`define SL_FRAME_TAG_BITS 16
`define SL_FRAME_PORT_OFFSET 14
`define SL_FRAME_PORT_BITS 16
`define SL_FRAME_BYTES 16

// One descriptor per bank of processors. The SDK fills in the layout when the bank is attached; the
// host fills in the rest.
`define SL_BANK_ABI_OFFSET 0
`define SL_BANK_ABI_BITS 32
`define SL_BANK_CELLS_OFFSET 4
`define SL_BANK_CELLS_BITS 32
`define SL_BANK_CURRENT_OFFSET 8
`define SL_BANK_CURRENT_BITS 32
`define SL_BANK_RECORD_OFFSET 12
`define SL_BANK_RECORD_BITS 32
`define SL_BANK_RECORD_STRIDE_OFFSET 16
`define SL_BANK_RECORD_STRIDE_BITS 32
`define SL_BANK_RX_OFFSET 20
`define SL_BANK_RX_BITS 32
`define SL_BANK_TX_OFFSET 24
`define SL_BANK_TX_BITS 32
`define SL_BANK_RX_MORE_OFFSET 28
`define SL_BANK_RX_MORE_BITS 32
`define SL_BANK_TX_MORE_OFFSET 32
`define SL_BANK_TX_MORE_BITS 32
`define SL_BANK_FRAME_STRIDE_OFFSET 36
`define SL_BANK_FRAME_STRIDE_BITS 32
`define SL_BANK_RX_FRAMES_OFFSET 40
`define SL_BANK_RX_FRAMES_BITS 32
`define SL_BANK_TX_FRAMES_OFFSET 44
`define SL_BANK_TX_FRAMES_BITS 32
`define SL_BANK_PAYLOAD_BYTES_OFFSET 48
`define SL_BANK_PAYLOAD_BYTES_BITS 32
`define SL_BANK_FIRST_OFFSET 52
`define SL_BANK_FIRST_BITS 32
`define SL_BANK_PROCESSORS_OFFSET 56
`define SL_BANK_PROCESSORS_BITS 32
`define SL_BANK_SHAPE_OFFSET 60
`define SL_BANK_SHAPE_BITS 32
`define SL_BANK_PORTS_OFFSET 92
`define SL_BANK_PORTS_BITS 32
`define SL_BANK_SEED_OFFSET 96
`define SL_BANK_SEED_BITS 64
`define SL_BANK_PARAM_OFFSET 104
`define SL_BANK_PARAM_BITS 32
`define SL_BANK_PROCESSOR_OFFSET 168
`define SL_BANK_PROCESSOR_BITS 32
`define SL_BANK_WORKLOAD_OFFSET 172
`define SL_BANK_WORKLOAD_BITS 32
`define SL_BANK_CALLS_OFFSET 176
`define SL_BANK_CALLS_BITS 32
`define SL_BANK_RX_STATUS_OFFSET 180
`define SL_BANK_RX_STATUS_BITS 32
`define SL_BANK_LISTEN_OFFSET 184
`define SL_BANK_LISTEN_BITS 32
`define SL_BANK_LISTEN_SLOTS_OFFSET 188
`define SL_BANK_LISTEN_SLOTS_BITS 32
`define SL_BANK_SCHEDULE_OFFSET 192
`define SL_BANK_SCHEDULE_BITS 32
`define SL_BANK_ROM_OFFSET 196
`define SL_BANK_ROM_BITS 32
`define SL_BANK_ROM_WORDS_OFFSET 200
`define SL_BANK_ROM_WORDS_BITS 32
`define SL_BANK_MACHINE_ROM_OFFSET 204
`define SL_BANK_MACHINE_ROM_BITS 32
`define SL_BANK_MACHINE_ROM_WORDS_OFFSET 208
`define SL_BANK_MACHINE_ROM_WORDS_BITS 32
`define SL_BANK_TX_STATUS_OFFSET 212
`define SL_BANK_TX_STATUS_BITS 32
`define SL_BANK_SERVED_OFFSET 216
`define SL_BANK_SERVED_BITS 32
`define SL_BANK_LIST_WORDS_OFFSET 220
`define SL_BANK_LIST_WORDS_BITS 32
`define SL_BANK_FIRST_CHOICE_OFFSET 224
`define SL_BANK_FIRST_CHOICE_BITS 32
`define SL_BANK_LIST_VALID_OFFSET 228
`define SL_BANK_LIST_VALID_BITS 32
`define SL_BANK_ACCEPT_TAG_OFFSET 232
`define SL_BANK_ACCEPT_TAG_BITS 32
`define SL_BANK_LANES_OFFSET 236
`define SL_BANK_LANES_BITS 32
`define SL_BANK_BYTES 240

// The registers of one processor's NIC. The blocks of the processors are adjacent, so that the host
// can scan them quickly. The flags are last, so that a handler's first access checks the bounds of
// the whole block.
`define SL_PROCESSOR_WAKE_OFFSET 0
`define SL_PROCESSOR_WAKE_BITS 16
`define SL_PROCESSOR_TX_FEWER_OFFSET 2
`define SL_PROCESSOR_TX_FEWER_BITS 8
`define SL_PROCESSOR_RESERVED_OFFSET 3
`define SL_PROCESSOR_RESERVED_BITS 8
`define SL_PROCESSOR_RX_COUNT_OFFSET 4
`define SL_PROCESSOR_RX_COUNT_BITS 8
`define SL_PROCESSOR_TX_COUNT_OFFSET 5
`define SL_PROCESSOR_TX_COUNT_BITS 8
`define SL_PROCESSOR_HELD_OFFSET 6
`define SL_PROCESSOR_HELD_BITS 8
`define SL_PROCESSOR_FLAGS_OFFSET 7
`define SL_PROCESSOR_FLAGS_BITS 8
`define SL_PROCESSOR_BYTES 8

`endif
