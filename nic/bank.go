package nic

import (
	"encoding/binary"
)

// Bank is the host's view of one bank of processors: the registers and FIFOs of
// the register map, as they lie in the memory of the firmware that serves the
// bank. They alias that memory; it must not move while the bank is used.
//
// What firmware writes is never trusted: the methods check counts and lengths
// before they use them, so that a lying image harms its own memory only.
type Bank struct {
	BankConfig

	Columns
	TakesROM bool // the firmware has room for both ROMs

	listen      []uint16 // the listening table, listenSlots columns
	listenSlots int
	silenced    []uint64   // one bit per cell: Silence was called since Reset
	stirred     *stirred   // only where NICs ask for outputs
	descriptor  descriptor // the bank block, for Current
	claims      []claim    // what is where in the memory, for Owner
	records     []byte     // per cell: the handler's state, the heads of the RX and the TX FIFO
	recordsAt   int        // where they are in the memory
	recordBytes int
	depths      *depths // of the FIFOs of some cells, nil if all are alike
	rx, tx      fifo
	frameStride int
}

// Columns are what firmware and host share of each processor. A column that the firmware does not
// take, or the network does not have, is nil.
type Columns struct {
	Registers []Registers // per cell
	Words     []uint64    // the same memory, one word per cell: see Word...Shift
	RxStatus  []uint8     // per cell, lane after lane: a Status, what the receiver says of the slot before
	Workload  []uint32    // per cell: the workload's word
	Schedule  []uint64    // per cell: the schedule's word for this slot
	TxStatus  []uint8     // per cell, lane after lane: a TxStatus, what the transmitter says of the slot before
	Served    []uint32    // per cell, lane after lane: the addressee of the frame that was sent
	ROM       []uint32    // ROMWords per cell
	Machine   []uint32    // the ROM that all processors share
	Choice    []uint32    // per cell: the place in its request list that is asked for first
	Valid     []uint64    // ValidWords per cell: the valid bits of its request list
	AcceptTag []uint16    // per cell: the tag that its output takes, TagAny for any
	Calls     []uint32    // the cells whose handlers must be called; the host writes it and never reads it
}

// fifo is where a bank's FIFOs of one direction are: the heads in the records, where a
// processor with little to do has all that it needs, and the other frames in planes, the
// second ones of all cells, then the third ones: memory that is not used is never touched.
type fifo struct {
	at   int // of the head in a record
	more []byte
}

type descriptor []byte

func (d descriptor) word(offset int) int { return int(binary.LittleEndian.Uint32(d[offset:])) }

func (d descriptor) has(offset int) bool { return d.word(offset) != 0 }

// claim is a part of the memory that holds a part of a bank.
type claim struct {
	name      string
	at, size  uint64
	cellBytes uint64 // of one cell, side by side; all cells follow each other, plane by plane. 0: of no cell
	calls     bool   // the list of calls, which the host writes
}

// depths are how many frames the FIFOs of some cells hold, of each lane; 0 for as many as
// those of the others.
type depths struct{ rx, tx []uint8 }

// Where the registers stand in a cell's word. The loops over many processors read
// a word at once; everything else uses Registers.
const (
	WordWakeShift    = 8 * offProcessorWake    // of Registers.Wake, 16 bits
	WordRxCountShift = 8 * offProcessorRxCount // of Registers.RxCount
	WordTxCountShift = 8 * offProcessorTxCount // of Registers.TxCount
	WordHeldShift    = 8 * offProcessorHeld    // of Registers.Held
	WordFlagsShift   = 8 * offProcessorFlags   // of Registers.Flags
)

const listenSlotsMax = 64

// BankConfig are the parameters of a bank.
type BankConfig struct {
	First        int                // processor number of cell 0
	Cells        int                // processors in this bank
	Processors   int                // processors in the machine
	Shape        [ShapeWords]uint32 // the network's size, in its own words
	Ports        int                // ports of a NIC
	PayloadBytes int                // largest payload, 0..PayloadBytesMax
	RxFrames     int                // depth of the RX FIFO, of all ports together, 1..255
	TxFrames     int                // depth of the TX FIFO, of all ports together, 1..255
	ROMWords     int                // of each processor
	MachineROM   int                // words of the ROM that all processors share
	Discipline
	Seed   uint64
	Params [Params]int32
}

// LanesMax is at how many ports a NIC can send and receive at once.
const LanesMax = 72

// Lanes returns at how many ports the NIC sends and receives in one slot.
func (c *BankConfig) Lanes() int { return c.Discipline.Lanes(c.Ports) }

// lane returns the place of a cell's element for a port in a column with one per lane.
func (b *Bank) lane(cell int, port uint16) int {
	if b.AllPorts {
		return int(port)*b.Cells + cell
	}
	return cell
}

// ValidWords returns how many words the valid bits of a request list take.
func (c *BankConfig) ValidWords() int { return (c.ListWords + 63) / 64 }

// RecordBytes returns what a processor with little to do takes: its state and the heads of its FIFOs.
func (b *Bank) RecordBytes() int { return b.recordBytes }

// StateBytes returns what the handlers of one processor keep.
func (b *Bank) StateBytes() int { return b.rx.at }

// frame returns a frame of a cell's FIFO, 0 the head.
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

// Current returns the place in Calls of the last handler's cell. Firmware may have written anything there.
func (b *Bank) Current() (place uint32) {
	return binary.LittleEndian.Uint32(b.descriptor[offBankCurrent:])
}

func (b *Bank) rxDepth(cell int) int {
	if b.depths != nil && b.depths.rx[cell] > 0 {
		return min(int(b.depths.rx[cell])*b.Lanes(), b.RxFrames)
	}
	return b.RxFrames
}
