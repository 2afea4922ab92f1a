// Package nic implements the network interface of a processor: frames, buffers and the registers that firmware sees.
//
//	firmware              NIC                                    fabric
//	handler  --TX FIFO--> Bank.TxHead --wire format--> Serialisers ----> light
//	         <-RX FIFO--- Bank.PushRx <-wire format--- Deserialisers <-- light
package nic

import "encoding/binary"

// Bank is the host's view of a bank of processors: the registers and FIFOs of the register map, in the firmware's
// memory. The view aliases this memory, which must not move while the bank is in use.
//
// Firmware is untrusted: the methods check counts and lengths before use, so a faulty image damages only its own
// memory.
type Bank struct {
	BankConfig

	Columns
	TakesROM bool // the firmware has room for both ROMs
	Timeless bool // snapshots count wake-up slots from the slot, so that sleeps of different slots are comparable

	listen      []uint16 // listening table with listenSlots columns
	listenSlots int
	silenced    []uint64   // one bit per cell: Silence was called since Reset
	stirred     *stirred   // cells that ListAwake must check; nil unless NICs ask for outputs
	descriptor  descriptor // bank block of the register map
	claims      []claim    // claimed parts of the memory, for Owner
	records     []byte     // by cell: state of the handlers, and heads of the RX and the TX FIFO
	recordsAt   int        // address of records
	recordBytes int
	depths      *depths // FIFO depths of some cells; nil if all depths are equal
	rx, tx      fifo
	frameStride int
}

// Columns are the data that firmware and host share, by processor. A column is nil if the firmware does not use it or
// the network lacks it.
type Columns struct {
	Registers []Registers
	Words     []uint64 // registers as one word per cell, in the same memory; the constants Word...Shift give the positions
	RxStatus  []uint8  // Status of each receiver in the previous slot, by lane and cell
	Workload  []uint32 // word of the workload of each cell
	Schedule  []uint64 // word of the schedule for this slot, by cell
	TxStatus  []uint8  // TxStatus of each transmitter in the previous slot, by lane and cell
	Served    []uint32 // addressee of each sent frame, by lane and cell
	ROM       []uint32 // ROMWords words of each cell
	Machine   []uint32 // ROM shared by all processors
	Choice    []uint32 // first choice of each cell: an index into its request list
	Valid     []uint64 // valid bits of each cell's request list, in ValidWords words
	AcceptTag []uint16 // tag that each cell's output accepts, or TagAny
	Calls     []uint32 // cells with due handlers; the host writes this list and never reads it
}

// fifo locates the FIFOs of one direction. The heads are in the records, next to the other data that a mostly idle
// processor uses. Further frames are in planes: the second frames of all cells, then the third frames, and so on.
// Unused planes are never touched.
type fifo struct {
	at   int // offset of the head in a record
	more []byte
}

type descriptor []byte

func (d descriptor) word(offset int) int { return int(binary.LittleEndian.Uint32(d[offset:])) }

func (d descriptor) has(offset int) bool { return d.word(offset) != 0 }

type claim struct {
	name      string
	at, size  uint64
	cellBytes uint64 // bytes of a cell; cells are adjacent within a plane. 0 for a part without cells
	calls     bool   // the part is the list of calls, written by the host
}

// depths are the FIFO depths of cells per lane, in frames; 0 for the common depth.
type depths struct{ rx, tx []uint8 }

// Positions of the registers in a cell's word. Loops over many processors read whole words; other code uses
// Registers.
const (
	WordWakeShift    = 8 * offProcessorWake    // Registers.Wake, 16 bits
	WordRxCountShift = 8 * offProcessorRxCount // Registers.RxCount
	WordTxCountShift = 8 * offProcessorTxCount // Registers.TxCount
	WordHeldShift    = 8 * offProcessorHeld    // Registers.Held
	WordFlagsShift   = 8 * offProcessorFlags   // Registers.Flags
)

const listenSlotsMax = 64

// Sizes are the sizes of a NIC.
type Sizes struct {
	PayloadBytes int // largest payload of a frame, 0..PayloadBytesMax
	RxFrames     int // depth of the RX FIFO in frames, 1..255
	TxFrames     int // depth of the TX FIFO in frames, 1..255
}

// BankConfig holds the parameters of a bank.
type BankConfig struct {
	First      int // processor number of cell 0
	Cells      int
	Processors int
	Shape      [ShapeWords]uint32 // size of the network, in network-specific words
	Ports      int                // ports of a NIC
	Sizes                         // FIFO sizes are totals over all ports
	ROMWords   int                // words of each processor's ROM
	MachineROM int                // number of words of the ROM shared by all processors
	Discipline
	Seed   uint64
	Params [Params]int32

	FirstSlot uint32 // number that firmware sees in slot 0; it counts on modulo 2^32
}

// LanesMax is the maximum number of ports at which a NIC can send and receive in one slot.
const LanesMax = 72

// Lanes returns the number of ports at which the NIC sends and receives in one slot.
func (c *BankConfig) Lanes() int { return c.Discipline.Lanes(c.Ports) }

func (b *Bank) lane(cell int, port uint16) int {
	if b.AllPorts {
		return int(port)*b.Cells + cell
	}
	return cell
}

// ValidWords returns the number of 64-bit words for the valid bits of a request list.
func (c *BankConfig) ValidWords() int { return (c.ListWords + 63) / 64 }

// RecordBytes returns the size of a processor's record: its state and the heads of its FIFOs.
func (b *Bank) RecordBytes() int { return b.recordBytes }

// StateBytes returns the size of the state of one processor's handlers.
func (b *Bank) StateBytes() int { return b.rx.at }

func (b *Bank) frame(cell int, f *fifo, place int) FrameView {
	memory, at := b.records, cell*b.recordBytes+f.at
	if place > 0 {
		memory, at = f.more, ((place-1)*b.Cells+cell)*b.frameStride
	}
	return FrameView(memory[at : at+b.frameStride : at+b.frameStride])
}

func (b *Bank) popFrames(cell int, f *fifo, left int) {
	for place := range left {
		from := b.frame(cell, f, place+1)
		copyFrame(b.frame(cell, f, place), from, from.Port())
	}
}

// Current returns the index in Calls of the last called cell. Firmware may have written any value.
func (b *Bank) Current() (place uint32) {
	return binary.LittleEndian.Uint32(b.descriptor[offBankCurrent:])
}

func (b *Bank) rxDepth(cell int) int {
	if b.depths != nil && b.depths.rx[cell] > 0 {
		return min(int(b.depths.rx[cell])*b.Lanes(), b.RxFrames)
	}
	return b.RxFrames
}
