// Code generated from nic/registermap.go by `go test ./nic -run RegisterMap -update`; DO NOT EDIT.

package nic

// Offsets of the frame block, in bytes.
const (
	offFrameKind         = 0  // data 0, ack 1, control 2
	offFrameFlags        = 1  // free for the firmware, travels with the frame
	offFramePayloadBytes = 2  // length of the payload, at most the bank's payload_bytes; zeros follow it up to the next multiple of 8, and to at least 8 bytes; later bytes belong to no frame
	offFrameSource       = 4  // NIC that sent the frame on this hop; the NIC fills it in. Firmware keeps the origin of a packet in the payload
	offFrameDestination  = 8  // addressee on this hop, 0xffffffff for any processor, 0xfffffffe for the request list. Frames have no other address: the final destination of a relayed packet is in the payload; the firmware of each relay reads it there and writes the next hop here
	offFrameTag          = 12 // free for the firmware, travels with the frame
	offFramePort         = 14 // sent: port to send to, 0xfffe for all ports; received: port it was heard on
	sizeFrame            = 16 // size of the block
)

// Offsets of the bank block, in bytes.
const (
	offBankABI             = 0   // version of this map
	offBankCells           = 4   // processors in this bank
	offBankCurrent         = 8   // index in calls of the running handler's cell; identifies the cell after a trap
	offBankRecord          = 12  // address of the first processor's record: the handler's state, then the heads of RX FIFO and TX FIFO
	offBankRecordStride    = 16  // bytes from one record to the next
	offBankRx              = 20  // bytes from the start of a record to the head of the RX FIFO
	offBankTx              = 24  // bytes from the start of a record to the head of the TX FIFO
	offBankRxMore          = 28  // address of the further frames of the RX FIFOs: the second frames of all processors, then the third frames, up to rx_frames; frame_stride bytes each
	offBankTxMore          = 32  // likewise for the TX FIFOs
	offBankFrameStride     = 36  // bytes of a frame in a FIFO, a multiple of 8: the frame block and the largest payload
	offBankRxFrames        = 40  // depth of the RX FIFO, in frames
	offBankTxFrames        = 44  // depth of the TX FIFO, in frames
	offBankPayloadBytes    = 48  // largest payload of a frame
	offBankFirst           = 52  // processor number of cell 0
	offBankProcessors      = 56  // processors in the machine
	offBankShape           = 60  // the network's size; ABI.md describes the words of each network
	offBankPorts           = 92  // ports of a NIC
	offBankSeed            = 96  // start of the random stream
	offBankParam           = 104 // parameters from the scenario, by index
	offBankProcessor       = 168 // address of the first processor block; the blocks are adjacent
	offBankWorkload        = 172 // address of the workload: one 32-bit word per processor (permutation: destination of its packet; one-to-all: number of the source; ABI.md describes other workloads)
	offBankCalls           = 176 // address of the list of cells, 32 bits each, whose handlers must be called
	offBankRxStatus        = 180 // address of the receivers' status, one byte per processor: the result of the previous slot, idle 0, ok 1, collision 2, crc 3, overflow 4
	offBankListen          = 184 // address of the listening table: listen_slots columns of 16 bits per processor; slot t hears the ports of column t mod listen_slots, 0xffff for none, 0xfffe for all unless lanes is 1
	offBankListenSlots     = 188 // columns of the listening table, 1 to 64
	offBankSchedule        = 192 // address of the schedule: one 64-bit word per processor, written before every slot like the output of a ROM; ABI.md describes it for each network; 0 if the firmware does not use it
	offBankROM             = 196 // address of the ROM: rom_words words of 32 bits per processor, adjacent, written once before slot 0; ABI.md describes the words for each network; 0 if the firmware does not use the ROM
	offBankROMWords        = 200 // words of each processor's ROM
	offBankMachineROM      = 204 // address of the ROM shared by all processors; 0 if the firmware does not use it
	offBankMachineROMWords = 208 // words of the shared ROM
	offBankTxStatus        = 212 // address of the transmitters' status, one byte per processor: the result of the head of the TX FIFO in the previous slot, none 0, sent 1, blocked 2 (the frame is still the head), collided 3 (if the medium reports collisions); 0 if the firmware does not use it
	offBankServed          = 216 // address of the served addressees, 32 bits per processor: the addressee of a sent frame; 0 if the firmware does not use tx_status
	offBankListWords       = 220 // words of the request list at the start of each processor's ROM: the processors whose outputs it may request, in order; 0 if the network has no lists
	offBankFirstChoice     = 224 // address of the first choices, 32 bits per processor: the index in its request list to try first; 0 if the firmware does not use request lists
	offBankListValid       = 228 // address of the valid bits of the request lists: one bit per word of the list, in list_words/64 words (rounded up) of 64 bits per processor, side by side, lowest bit first; the NIC clears the bit of a served addressee; 0 if the firmware does not use request lists
	offBankAcceptTag       = 232 // address of the tag filters, 16 bits per processor: the processor's output accepts only requests with this tag, 0xffff for any; 0 if the firmware does not use tag filters
	offBankLanes           = 236 // ports at which a NIC sends and receives in one slot: 1, or all of its ports; rx_status, tx_status and served have a column for each, with one element per processor
	sizeBank               = 240 // size of the block
)

// Offsets of the processor block, in bytes.
const (
	offProcessorWake     = 0 // low bits of the slot in which a sleeping handler is called again
	offProcessorTxFewer  = 2 // frames by which a fault has shortened the TX FIFO of this NIC, otherwise 0
	offProcessorReserved = 3 // zero
	offProcessorRxCount  = 4 // frames in the RX FIFO; the handler takes from the head
	offProcessorTxCount  = 5 // frames in the TX FIFO; in each slot the NIC tries to send the head
	offProcessorHeld     = 6 // packets that the handler holds, for the memory rule
	offProcessorFlags    = 7 // done 1 (set by the handler), faulty 2 (set by the host: the handler is not called again), tx overflow 4 (set by the SDK: a frame did not fit), sleeping 16 (set by the handler: no call before slot wake unless a FIFO holds a frame; the host clears sleeping if tx_status is used and a frame was sent, if the schedule's word changes, and when it sets delivered), delivered 8 (set by the host, if senders learn of arrivals without acknowledgement: the packet that started here has arrived)
	sizeProcessor        = 8 // size of the block
)

// Registers is the processor block. The registers of one processor's NIC. The blocks of the processors are adjacent, so that the host can scan them quickly. The flags are last, so that a handler's first access checks the bounds of the whole block.
type Registers struct {
	Wake     uint16 // W, low bits of the slot in which a sleeping handler is called again
	TxFewer  uint8  // R, frames by which a fault has shortened the TX FIFO of this NIC, otherwise 0
	Reserved uint8  // R, zero
	RxCount  uint8  // RW, frames in the RX FIFO; the handler takes from the head
	TxCount  uint8  // RW, frames in the TX FIFO; in each slot the NIC tries to send the head
	Held     uint8  // W, packets that the handler holds, for the memory rule
	Flags    uint8  // RW, done 1 (set by the handler), faulty 2 (set by the host: the handler is not called again), tx overflow 4 (set by the SDK: a frame did not fit), sleeping 16 (set by the handler: no call before slot wake unless a FIFO holds a frame; the host clears sleeping if tx_status is used and a frame was sent, if the schedule's word changes, and when it sets delivered), delivered 8 (set by the host, if senders learn of arrivals without acknowledgement: the packet that started here has arrived)
}

// Values of the registers without another constant in this package.
const (
	PortAll        = 0xfffe // send to every port
	PortNone       = 0xffff // hear nothing
	FlagDone       = 0x1    // the processor has finished
	FlagFaulty     = 0x2    // the processor trapped or broke the ABI
	FlagTxOverflow = 0x4    // a frame did not fit into the TX FIFO
	FlagSleeping   = 0x10   // the handler need not be called
	FlagDelivered  = 0x8    // the packet that started here has arrived
)
