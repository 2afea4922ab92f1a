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

// Where the registers stand in a cell's word. The loops over many processors read
// a word at once; everything else uses Registers.
const (
	WordWakeShift    = 8 * offProcessorWake    // of Registers.Wake, 16 bits
	WordRxCountShift = 8 * offProcessorRxCount // of Registers.RxCount
	WordTxCountShift = 8 * offProcessorTxCount // of Registers.TxCount
	WordHeldShift    = 8 * offProcessorHeld    // of Registers.Held
	WordFlagsShift   = 8 * offProcessorFlags   // of Registers.Flags
)

// listenSlotsMax bounds the columns of a listening table.
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

// lane returns the place of a cell's element for a port in a column that has one for each
// lane.
func (b *Bank) lane(cell int, port uint16) int {
	if b.AllPorts {
		return int(port)*b.Cells + cell
	}
	return cell
}

// ValidWords returns how many words the valid bits of a request list take.
func (c *BankConfig) ValidWords() int { return (c.ListWords + 63) / 64 }

// Restored says that the memory behind the view has been replaced by that of a saved state.
func (b *Bank) Restored() { b.stirAll() }

// SetSchedule writes the schedule's words for the slot that begins, and wakes the handlers
// whose word is another one than before.
func (b *Bank) SetSchedule(words []uint64) {
	registers, schedule := b.Registers[:len(words)], b.Schedule[:len(words)]
	for cell, word := range words {
		if schedule[cell] != word {
			schedule[cell] = word
			registers[cell].Flags &^= FlagSleeping
			b.stir(cell)
		}
	}
}

// SetScheduleWord writes a cell's word for the slot that begins, which is another one than
// before, and wakes its handler.
func (b *Bank) SetScheduleWord(cell int, word uint64) {
	b.Schedule[cell] = word
	b.Wake(cell)
}

// Wake lets a cell's handler be called in this slot, even if it sleeps.
func (b *Bank) Wake(cell int) {
	b.Registers[cell].Flags &^= FlagSleeping
	b.stir(cell)
}

// Silence takes a processor off the fabric: it is faulty, sends nothing, hears
// nothing, and its handler is not called any more.
func (b *Bank) Silence(cell int) {
	b.silenced[cell>>6] |= 1 << (cell & 63)
	r := &b.Registers[cell]
	r.Flags |= FlagFaulty
	r.TxCount, r.RxCount = 0, 0
	b.stir(cell)
	for column := range b.listenSlots {
		b.SetListen(cell, column, PortNone)
	}
}

// ListAwake appends to list those of the cells first..end-1 whose handlers are to
// be called in a slot: all that do not sleep, that sleep until this slot, or that
// have a frame in a FIFO - in the RX FIFO only if the NIC asks for outputs, which it does
// by itself until it is served - unless they are faulty. Among the others, resting counts
// those that are done or faulty.
func (b *Bank) ListAwake(list []uint32, first, end int, slot uint32) (awake []uint32, resting int) {
	if b.Asks {
		return b.listStirred(list, first, end, slot)
	}
	start := len(list)
	n := start
	list = list[:start+end-first]
	const asleep = FlagSleeping << WordFlagsShift
	const frames = 0xFFFF << WordRxCountShift // rx_count and tx_count
	var any, calm uint64
	now := uint64(slot)
	for i, w := range b.Words[first:end] {
		call, rises := uint64(0), uint64(0) // conditional sets: no branch depends on a processor
		if (w^asleep)&(asleep|frames) != 0 {
			call = 1
		}
		if uint16(w^now) == 0 { // wake
			rises = 1
		}
		call |= rises
		list[n] = uint32(first + i)
		n += int(call)
		any |= w
		calm += (w>>WordFlagsShift | w>>(WordFlagsShift+1)) &^ call & 1 // FlagDone, FlagFaulty
	}
	list, resting = list[:n], int(calm)
	if any>>WordFlagsShift&FlagFaulty != 0 {
		n = start
		for _, cell := range list[start:] {
			if b.Registers[cell].Flags&FlagFaulty != 0 {
				resting++
				continue
			}
			list[n] = cell
			n++
		}
	}
	return list[:n], resting
}

// Silenced reports whether Silence has taken the cell off the fabric. Firmware can
// write the faulty flag too; this is what the host knows.
func (b *Bank) Silenced(cell int) bool { return b.silenced[cell>>6]>>(cell&63)&1 != 0 }

// SilencedCells is the column of Silenced, 64 cells a word, for saved states.
func (b *Bank) SilencedCells() []uint64 { return b.silenced }

// Reset gives the bank a new seed and the reset values; the memory behind the
// view must have been reset to its state after the attachment.
func (b *Bank) Reset(seed uint64) {
	b.Seed = seed
	clear(b.silenced)
	b.configure()
	b.tellDepths()
}

// RecordBytes returns what one processor takes that has little to do: its state and the
// heads of its FIFOs.
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

// popFrames removes the head of a FIFO in which left frames remain.
func (b *Bank) popFrames(cell int, f *fifo, left int) {
	for place := range left {
		from := b.frame(cell, f, place+1)
		copyFrame(b.frame(cell, f, place), from, from.Port())
	}
}

// Current returns the place in Calls of the cell whose handler ran last. Firmware
// may have written anything there.
func (b *Bank) Current() (place uint32) {
	return binary.LittleEndian.Uint32(b.descriptor[offBankCurrent:])
}
