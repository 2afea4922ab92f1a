package nic

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unsafe"

	"starloom/traces"
)

// Bank is the host's view of one bank of processors: the registers and FIFOs of
// the register map, as they lie in the memory of the firmware that serves the
// bank. They alias that memory; it must not move while the bank is used.
//
// What firmware writes is never trusted: the methods check counts and lengths
// before they use them, so that a lying image harms its own memory only.
type Bank struct {
	BankConfig

	Registers []Registers // per cell
	Words     []uint64    // the same memory, one word per cell: see Word...Shift
	RxStatus  []uint8     // per cell, lane after lane: what the receiver says of the slot before, a Status
	Workload  []uint32    // per cell: the workload's word
	Schedule  []uint64    // per cell: the schedule's word for this slot; nil if the firmware takes none
	TxStatus  []uint8     // per cell, lane after lane: what the transmitter says of the slot before, a TxStatus; nil if the firmware takes none
	Served    []uint32    // per cell, lane after lane: the addressee of the frame that was sent; the same
	ROM       []uint32    // ROMWords per cell; nil if the firmware takes none, or there is none
	Machine   []uint32    // the ROM that all processors share; the same
	TakesROM  bool        // the firmware has room for both
	Choice    []uint32    // per cell: the place in its request list that is asked for first; nil if the firmware takes no lists
	Valid     []uint64    // ValidWords per cell: the valid bits of its request list; the same
	AcceptTag []uint16    // per cell: the tag that its output takes, TagAny for any; nil if the firmware has no filter
	Calls     []uint32    // the cells whose handlers shall be called; the host writes it and never reads it

	listen      []uint16 // the listening table, listenSlots columns
	listenSlots int
	silenced    []uint64 // one bit per cell: Silence was called since Reset
	stirred     *stirred // only where NICs ask for outputs
	descriptor  []byte   // the bank block, for Current
	claims      []claim  // what is where in the memory, for Owner
	records     []byte   // per cell: the handler's state, the heads of the RX and the TX FIFO
	recordsAt   int      // where they are in the memory
	recordBytes int
	depths      *depths // of the FIFOs of some cells, nil if all are alike
	rx, tx      fifo
	frameStride int
}

// fifo is where a bank's FIFOs of one direction are: the heads in the records, where a
// processor with little to do has all that it needs, and the other frames in planes, the
// second ones of all cells, then the third ones: memory that nobody uses is never touched.
type fifo struct {
	at   int // of the head in a record
	more []byte
}

// Where the registers stand in a cell's word. The loops over many processors read
// a word at once; everything else uses Registers.
const (
	WordWakeShift    = 8 * offProcessorWake
	WordRxCountShift = 8 * offProcessorRxCount
	WordTxCountShift = 8 * offProcessorTxCount
	WordHeldShift    = 8 * offProcessorHeld
	WordFlagsShift   = 8 * offProcessorFlags
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

// FrameStride returns the bytes that one frame takes in a FIFO and in a
// medium's table: its header and its payload, rounded up to 8 bytes.
func FrameStride(payloadBytes int) int { return sizeFrame + (payloadBytes+7)/8*8 }

// ErrNoRoom says that firmware cannot lay out a bank of that many processors.
var ErrNoRoom = errors.New("the firmware has no room for a bank")

// ErrLargeState says that a processor's state is larger than StateBytesMax.
var ErrLargeState = errors.New("the firmware has a state")

// DescribeBank tells firmware, in the descriptor that it keeps at address, what it may lay
// out a bank by. That is the same for all banks of a machine and for all seeds, so their
// records are of one size.
func DescribeBank(memory []byte, address uint32, c BankConfig) error {
	d, err := descriptorAt(memory, address)
	if err == nil {
		c.describe(d)
	}
	return err
}

// CheckState refuses a state that is too large: starloom_attach leaves its size in the descriptor
// and lays out nothing.
func CheckState(memory []byte, descriptor uint32) error {
	d, err := descriptorAt(memory, descriptor)
	if err != nil {
		return err
	}
	if size := binary.LittleEndian.Uint32(d[offBankRx:]); size > StateBytesMax {
		return fmt.Errorf("%w of %d bytes, allowed are %d", ErrLargeState, size, StateBytesMax)
	}
	return nil
}

// descriptorAt is the bank block at an address.
func descriptorAt(memory []byte, address uint32) ([]byte, error) {
	if address == 0 || uint64(address)+sizeBank > uint64(len(memory)) || address%8 != 0 {
		return nil, fmt.Errorf("bank descriptor at %#x: outside the memory of %#x bytes or not aligned to 8", address, len(memory))
	}
	return memory[address : address+sizeBank : address+sizeBank], nil
}

// describe writes what is the same for all banks of a machine.
func (c *BankConfig) describe(d []byte) {
	le := binary.LittleEndian
	le.PutUint32(d[offBankProcessors:], uint32(c.Processors))
	for k, v := range c.Shape {
		le.PutUint32(d[offBankShape+4*k:], v)
	}
	le.PutUint32(d[offBankPorts:], uint32(c.Ports))
	for k, v := range c.Params {
		le.PutUint32(d[offBankParam+4*k:], uint32(v))
	}
	le.PutUint32(d[offBankLanes:], uint32(c.Lanes()))
	le.PutUint32(d[offBankListWords:], uint32(c.ListWords))
	le.PutUint32(d[offBankROMWords:], uint32(c.ROMWords))
	le.PutUint32(d[offBankMachineROMWords:], uint32(c.MachineROM))
}

// AttachBank checks the descriptor that firmware has put at address, writes the
// host's part of it and returns the view. Everything must lie inside memory,
// aligned and without overlap.
func AttachBank(memory []byte, address uint32, c BankConfig) (*Bank, error) {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return nil, errors.New("this machine is big-endian: banks need a little-endian one")
	}
	if address == 0 {
		return nil, fmt.Errorf("%w of %s", ErrNoRoom, traces.Plural(uint64(c.Cells), "processor", "processors"))
	}
	d, err := descriptorAt(memory, address)
	if err != nil {
		return nil, err
	}
	word := func(offset int) int { return int(binary.LittleEndian.Uint32(d[offset:])) }
	for _, w := range []struct {
		name string
		have int
		want int
	}{
		{"abi", word(offBankABI), ABIVersion},
		{"cells", word(offBankCells), c.Cells},
		{"payload_bytes", word(offBankPayloadBytes), c.PayloadBytes},
		{"rx_frames", word(offBankRxFrames), c.RxFrames},
		{"tx_frames", word(offBankTxFrames), c.TxFrames},
		{"frame_stride", word(offBankFrameStride), FrameStride(c.PayloadBytes)},
	} {
		if w.have != w.want {
			return nil, fmt.Errorf("bank descriptor: %s is %d, want %d", w.name, w.have, w.want)
		}
	}
	b := &Bank{
		BankConfig:  c,
		silenced:    make([]uint64, (c.Cells+63)/64),
		descriptor:  d,
		recordBytes: word(offBankRecordStride),
		rx:          fifo{at: word(offBankRx)},
		tx:          fifo{at: word(offBankTx)},
		frameStride: word(offBankFrameStride),
		listenSlots: word(offBankListenSlots),
	}
	if b.rx.at%8 != 0 || b.rx.at > StateBytesMax {
		return nil, fmt.Errorf("bank descriptor: a state of %d bytes; it must be a multiple of 8 and at most %d", b.rx.at, StateBytesMax)
	}
	if tx, end := b.rx.at+b.frameStride, b.tx.at+b.frameStride; b.tx.at != tx || b.recordBytes < end || b.recordBytes%8 != 0 {
		return nil, fmt.Errorf("bank descriptor: a record of %d bytes with its TX FIFO at %d; it must be a multiple of 8, at least %d, and the TX FIFO after the RX FIFO, at %d",
			b.recordBytes, b.tx.at, end, tx)
	}
	if b.listenSlots < 1 || b.listenSlots > listenSlotsMax {
		return nil, fmt.Errorf("bank descriptor: a listening table of %d slots; it must have 1 to %d", b.listenSlots, listenSlotsMax)
	}
	claims := []claim{{"descriptor", uint64(address), sizeBank, 0, false}}
	column := func(name string, offset, elements, elementBytes int) ([]byte, error) {
		at, size := uint64(word(offset)), uint64(elements)*uint64(elementBytes)
		if at == 0 {
			return nil, fmt.Errorf("bank descriptor: %s is not set; it is required", name)
		}
		if at+size > uint64(len(memory)) || at%alignment(elementBytes) != 0 {
			return nil, fmt.Errorf("bank descriptor: %s at %#x: %d bytes lie outside the memory of %#x bytes or are not aligned", name, at, size, len(memory))
		}
		for _, other := range claims {
			if at < other.at+other.size && other.at < at+size {
				return nil, fmt.Errorf("bank descriptor: %s at %#x overlaps %s at %#x", name, at, other.name, other.at)
			}
		}
		claims = append(claims, claim{name, at, size, 0, offset == offBankCalls})
		return memory[at : at+size : at+size], nil
	}
	take := func(name string, offset, planes, bytes int) []byte {
		if err != nil {
			return nil
		}
		var part []byte
		if part, err = column(name, offset, c.Cells, planes*bytes); err == nil {
			claims[len(claims)-1].cellBytes = uint64(bytes)
		}
		return part
	}
	registers := take("processor", offBankProcessor, 1, sizeProcessor)
	b.RxStatus = take("rx_status", offBankRxStatus, c.Lanes(), 1)
	listen := take("listen", offBankListen, b.listenSlots, 2)
	calls := take("calls", offBankCalls, 1, 4)
	workload := take("workload", offBankWorkload, 1, 4)
	var schedule []byte
	if word(offBankSchedule) != 0 {
		schedule = take("schedule", offBankSchedule, 1, 8)
	}
	var served []byte
	if word(offBankTxStatus) != 0 {
		b.TxStatus, served = take("tx_status", offBankTxStatus, c.Lanes(), 1), take("served", offBankServed, c.Lanes(), 4)
	}
	var rom, machine []byte
	b.TakesROM = word(offBankROM) != 0 && word(offBankMachineROM) != 0
	if b.TakesROM && c.ROMWords > 0 {
		rom = take("rom", offBankROM, 1, 4*c.ROMWords)
	}
	if b.TakesROM && c.MachineROM > 0 && err == nil {
		machine, err = column("machine_rom", offBankMachineROM, c.MachineROM, 4)
	}
	var choice, valid, accept []byte
	if word(offBankFirstChoice) != 0 && c.ListWords > 0 && err == nil {
		if !b.TakesROM {
			return nil, errors.New("bank descriptor: request lists without a ROM, which they are in")
		}
		choice, valid = take("first_choice", offBankFirstChoice, 1, 4), take("list_valid", offBankListValid, 1, 8*c.ValidWords())
	}
	if word(offBankAcceptTag) != 0 {
		accept = take("accept_tag", offBankAcceptTag, 1, 2)
	}
	b.records, b.recordsAt = take("record", offBankRecord, 1, b.recordBytes), word(offBankRecord)
	if c.RxFrames > 1 {
		b.rx.more = take("rx_more", offBankRxMore, c.RxFrames-1, b.frameStride)
	}
	if c.TxFrames > 1 {
		b.tx.more = take("tx_more", offBankTxMore, c.TxFrames-1, b.frameStride)
	}
	if err != nil {
		return nil, err
	}
	// Both are little-endian in the guest, and so is this machine (above).
	first, words := unsafe.Pointer(unsafe.SliceData(registers)), unsafe.Pointer(unsafe.SliceData(workload))
	plan, table, list := unsafe.Pointer(unsafe.SliceData(schedule)), unsafe.Pointer(unsafe.SliceData(listen)), unsafe.Pointer(unsafe.SliceData(calls))
	if uintptr(unsafe.Pointer(unsafe.SliceData(b.records)))%8 != 0 || uintptr(first)%8 != 0 || uintptr(words)%4 != 0 || uintptr(plan)%8 != 0 || uintptr(table)%2 != 0 || uintptr(list)%4 != 0 {
		return nil, fmt.Errorf("bank at %#x: the memory itself is not aligned", address)
	}
	b.Registers = unsafe.Slice((*Registers)(first), c.Cells)
	b.Words = unsafe.Slice((*uint64)(first), c.Cells)
	b.Workload = unsafe.Slice((*uint32)(words), c.Cells)
	b.Calls = unsafe.Slice((*uint32)(list), c.Cells)
	b.listen = unsafe.Slice((*uint16)(table), c.Cells*b.listenSlots)
	if plan != nil {
		b.Schedule = unsafe.Slice((*uint64)(plan), c.Cells)
	}
	// Aligned to 4 in a memory that is aligned to 8.
	b.Served = unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(served))), len(served)/4)
	b.ROM = unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(rom))), len(rom)/4)
	b.Machine = unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(machine))), len(machine)/4)
	b.Choice = unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(choice))), len(choice)/4)
	b.Valid = unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(valid))), len(valid)/8)
	b.AcceptTag = unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(accept))), len(accept)/2)
	b.claims = claims
	b.configure()
	return b, nil
}

// alignment is that of the words that elements of a size in bytes consist of: 1, 2, 4 or 8.
func alignment(elementBytes int) uint64 { return min(uint64(elementBytes&-elementBytes), 8) }

// StateBytesMax is the largest state of one processor.
const StateBytesMax = 1 << 20

// claim is a part of the memory that holds a part of a bank.
type claim struct {
	name      string
	at, size  uint64
	cellBytes uint64 // of one cell, side by side; those of all cells follow each other, plane by plane. 0: of no cell
	calls     bool   // the list of calls, which the host writes
}

// configure writes the host's part of the descriptor and the reset values.
func (b *Bank) configure() {
	d, le := b.descriptor, binary.LittleEndian
	b.describe(d)
	le.PutUint32(d[offBankFirst:], uint32(b.First))
	le.PutUint64(d[offBankSeed:], b.Seed)
	b.listenToReset()
	for i := range b.AcceptTag {
		b.AcceptTag[i] = TagAny
	}
	b.stirAll()
}

// listenToReset lets all receivers hear what they hear after reset: nothing, or all ports at
// once.
func (b *Bank) listenToReset() {
	hears := b.hearsAtReset()
	for i := range b.listen {
		b.listen[i] = hears
	}
}

func (b *Bank) hearsAtReset() uint16 {
	if b.AllPorts {
		return PortAll
	}
	return PortNone
}

// Restored says that the memory behind the view has been replaced by that of a saved state.
func (b *Bank) Restored() { b.stirAll() }

// ClearListen makes the listening table zero, for images of a bank that Reset
// shall be called on.
func (b *Bank) ClearListen() { clear(b.listen) }

// ListenSlots returns the number of columns of the listening table.
func (b *Bank) ListenSlots() int { return b.listenSlots }

// Listen returns the ports that the cells hear in a slot, PortNone for none.
func (b *Bank) Listen(slot uint32) []uint16 {
	column := int(slot%uint32(b.listenSlots)) * b.Cells
	return b.listen[column : column+b.Cells : column+b.Cells]
}

// SetListen lets a cell hear a port in one column of its listening table.
func (b *Bank) SetListen(cell, column int, port uint16) { b.listen[column*b.Cells+cell] = port }

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

// SilencedCells is the column behind Silenced, 64 cells a word, for saved states.
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

// FrameView is a frame in a FIFO or in a medium's table: the little-endian form
// of the register map's frame block and the payload after it, FrameStride
// bytes in all. Zeros follow the payload up to a multiple of 8, and to 8 bytes at
// least; what is after that belongs to no frame.
type FrameView []byte

// Used returns the bytes that a frame takes, which are those that are copied: with room
// for 8 bytes of payload at least, if there is that much.
func (f FrameView) Used() int { return min(sizeFrame+max(f.PayloadBytes()+7, 8)&^7, len(f)) }

// Kind returns the frame's kind; firmware may have written any byte.
func (f FrameView) Kind() Kind { return Kind(f[offFrameKind]) }

// PayloadBytes returns the length of the payload.
func (f FrameView) PayloadBytes() int {
	return int(binary.LittleEndian.Uint16(f[offFramePayloadBytes:]))
}

// Source returns the NIC that sent the frame on this hop.
func (f FrameView) Source() uint32 { return binary.LittleEndian.Uint32(f[offFrameSource:]) }

// Destination returns the addressee on this hop.
func (f FrameView) Destination() uint32 { return binary.LittleEndian.Uint32(f[offFrameDestination:]) }

// Port returns the port the frame is sent to or was heard on.
func (f FrameView) Port() uint16 { return binary.LittleEndian.Uint16(f[offFramePort:]) }

// Payload returns the payload; it aliases f.
func (f FrameView) Payload() []byte { return f[sizeFrame : sizeFrame+f.PayloadBytes()] }

// SetSource writes the sender.
func (f FrameView) SetSource(processor uint32) {
	binary.LittleEndian.PutUint32(f[offFrameSource:], processor)
}

// SetDestination writes the addressee.
func (f FrameView) SetDestination(processor uint32) {
	binary.LittleEndian.PutUint32(f[offFrameDestination:], processor)
}

// Tag returns the tag.
func (f FrameView) Tag() uint16 { return binary.LittleEndian.Uint16(f[offFrameTag:]) }

// Words returns the header as two words, for digests and copies: kind, flags,
// payload_bytes and source; destination, tag and port.
func (f FrameView) Words() (a, b uint64) {
	_ = f[sizeFrame-1]
	return binary.LittleEndian.Uint64(f), binary.LittleEndian.Uint64(f[8:])
}

// HeadBits returns the first 64 bits of the frame on the wire, the first one highest:
// version, kind, flags, length of the payload and source.
func (f FrameView) HeadBits() uint64 { return headBits(binary.LittleEndian.Uint64(f)) }

// headBits turns the first word of the register map's frame block into wire order.
func headBits(head uint64) uint64 {
	var wire [HeaderBytes]byte
	PutHeader(wire[:], Header{
		Kind: Kind(head >> (8 * offFrameKind)), Flags: uint8(head >> (8 * offFrameFlags)),
		PayloadBytes: int(uint16(head >> (8 * offFramePayloadBytes))), Source: uint32(head >> (8 * offFrameSource)),
	})
	return binary.BigEndian.Uint64(wire[:])
}

// CopyTo copies a legal frame into a table's entry of the same size; zeros follow the
// payload there, whatever the sender's FIFO still holds.
func (f FrameView) CopyTo(dst []byte) {
	copyFrame(dst, f, f.Port())
	clear(dst[sizeFrame+f.PayloadBytes() : f.Used()])
}

// Header returns the fields that travel on the wire.
func (f FrameView) Header() Header {
	return Header{
		Kind:         f.Kind(),
		Flags:        f[offFrameFlags],
		PayloadBytes: f.PayloadBytes(),
		Source:       f.Source(),
		Destination:  f.Destination(),
		Tag:          binary.LittleEndian.Uint16(f[offFrameTag:]),
	}
}

// PutWire fills the view from a frame of the wire; the port is left alone.
func (f FrameView) PutWire(wire Frame) {
	h := wire.Header()
	f[offFrameKind] = uint8(h.Kind)
	f[offFrameFlags] = h.Flags
	binary.LittleEndian.PutUint16(f[offFramePayloadBytes:], uint16(h.PayloadBytes))
	f.SetSource(h.Source)
	binary.LittleEndian.PutUint32(f[offFrameDestination:], h.Destination)
	binary.LittleEndian.PutUint16(f[offFrameTag:], h.Tag)
	n := copy(f[sizeFrame:], wire.Payload())
	clear(f[sizeFrame+n : f.Used()])
}

// AppendWire appends the frame's wire format to dst.
func (f FrameView) AppendWire(dst []byte) Frame {
	size := FrameBytes(f.PayloadBytes())
	if cap(dst) < size {
		dst = make([]byte, size)
	}
	return Marshal(dst[:size], f.Header(), f.Payload())
}

// TxHead returns the frame at the head of a cell's TX FIFO; TxCount must not be 0.
func (b *Bank) TxHead(cell int) FrameView { return b.frame(cell, &b.tx, 0) }

// PopTx removes the head of a cell's TX FIFO.
func (b *Bank) PopTx(cell int) {
	left := int(b.Registers[cell].TxCount) - 1
	b.Registers[cell].TxCount = uint8(left)
	b.popFrames(cell, &b.tx, left)
}

// NoteTx notes what has become of the frame that a cell had to send to a port in this slot,
// the head of its TX FIFO or the first one to this port: its handler
// sees it at the next boundary, and is called then if the frame has left.
func (b *Bank) NoteTx(cell int, port uint16, status TxStatus, addressee uint32) {
	if b.TxStatus == nil {
		return
	}
	if b.AllPorts && port == PortAll {
		for p := range b.Ports {
			b.NoteTx(cell, uint16(p), status, addressee)
		}
		return
	}
	at := b.lane(cell, port)
	b.TxStatus[at], b.Served[at] = uint8(status), addressee
	if status == TxSent {
		b.Wake(cell)
	}
}

// NoteAllSent is NoteTx for cells whose heads the medium takes in any case; they must not
// have been removed.
func (b *Bank) NoteAllSent(cells []uint32) {
	if b.TxStatus == nil {
		return
	}
	for _, cell := range cells {
		head := b.TxHead(int(cell))
		b.NoteTx(int(cell), head.Port(), TxSent, head.Destination())
	}
}

// ForgetTx takes back what the transmitters of the cells first..end-1 said of the slot
// before.
func (b *Bank) ForgetTx(first, end int) {
	if b.TxStatus == nil {
		return
	}
	for lane := range b.Lanes() {
		clear(b.TxStatus[lane*b.Cells+first : lane*b.Cells+end])
		clear(b.Served[lane*b.Cells+first : lane*b.Cells+end])
	}
}

// Hears reports whether a cell hears a port in a slot.
func (b *Bank) Hears(cell int, port uint16, slot uint32) bool {
	hears := b.Listen(slot)[cell]
	return hears == port || b.AllPorts && hears == PortAll
}

// SetRx writes what the receiver of a cell's port says of a slot.
func (b *Bank) SetRx(cell int, port uint16, status Status) {
	b.RxStatus[b.lane(cell, port)] = uint8(status)
}

// Rx returns what the receiver of a cell's port says of the slot before. Firmware can write
// anything there.
func (b *Bank) Rx(cell int, port uint16) Status { return Status(b.RxStatus[b.lane(cell, port)]) }

// ClearRx lets all receivers say that they have heard nothing.
func (b *Bank) ClearRx() { clear(b.RxStatus) }

// SendAll lets those frames of a cell leave that can do so in this slot, from the head on:
// at an all-port NIC the first one to each port, one to all ports if no other has gone
// before it, else the head. send puts each on the fabric and reports whether its medium has
// taken it. A frame that is not Legal ends it and is returned.
func (b *Bank) SendAll(cell int, send func(frame FrameView) (taken bool)) (illegal FrameView) {
	var busy [(LanesMax + 63) / 64]uint64
	all, kept, count := false, 0, int(b.Registers[cell].TxCount)
	for place := range count {
		frame := b.frame(cell, &b.tx, min(place, b.TxFrames-1))
		port, waits := frame.Port(), all || !b.AllPorts && place > 0
		if !waits && !b.Legal(cell, frame) {
			return frame
		}
		if port == PortAll {
			waits, all = waits || busy != [len(busy)]uint64{}, true
		} else if b.AllPorts && !waits {
			waits = busy[port>>6]>>(port&63)&1 != 0
			busy[port>>6] |= 1 << (port & 63)
		}
		if !waits && send(frame) {
			b.NoteTx(cell, port, TxSent, frame.Destination())
			continue
		}
		if kept != place {
			copyFrame(b.frame(cell, &b.tx, kept), frame, port)
		}
		kept++
	}
	b.Registers[cell].TxCount = uint8(kept)
	return nil
}

// Requests are the request list of a cell: the processors that it may ask for in their order,
// one bit for each that it asks for, and the place of the one that it asks for first.
func (b *Bank) Requests(cell int) (list []uint32, valid []uint64, first uint32) {
	words := b.ValidWords()
	return b.ROM[cell*b.ROMWords:][:b.ListWords], b.Valid[cell*words:][:words], b.Choice[cell]
}

// SentListed says whom the frame at the head of a cell's TX FIFO has served, which was sent to
// whom the request list says: the processor at a place of the list, which is not valid any
// more.
func (b *Bank) SentListed(cell int, place int) {
	b.TxHead(cell).SetDestination(b.ROM[cell*b.ROMWords+place])
	b.Valid[cell*b.ValidWords()+place>>6] &^= 1 << (place & 63)
}

// Accepts returns the tag that a cell's output takes, TagAny for any.
func (b *Bank) Accepts(cell int) uint16 {
	if b.AcceptTag == nil {
		return TagAny
	}
	return b.AcceptTag[cell]
}

// PushRx stores a frame that was heard on port in a cell's RX FIFO and sets the
// cell's status: StatusOK, or StatusOverflow when the FIFO is full. frame must
// be FrameStride bytes long.
func (b *Bank) PushRx(cell int, port uint16, frame FrameView) Status {
	r := &b.Registers[cell]
	count := int(r.RxCount)
	if depth := b.rxDepth(cell); count >= depth || b.AllPorts && b.waiting(cell, port) >= depth/b.Ports {
		b.SetRx(cell, port, StatusOverflow)
		return StatusOverflow
	}
	copyFrame(b.frame(cell, &b.rx, count), frame, port)
	r.RxCount = uint8(count + 1)
	b.stir(cell)
	b.SetRx(cell, port, StatusOK)
	return StatusOK
}

// waiting counts the frames in a cell's RX FIFO that have come from a port: of several ports
// each has its part of it.
func (b *Bank) waiting(cell int, port uint16) (frames int) {
	for place := range int(b.Registers[cell].RxCount) {
		if b.frame(cell, &b.rx, place).Port() == port {
			frames++
		}
	}
	return frames
}

// copyFrame copies a frame word by word, with another port: for the two or three
// words of most frames a call to copy costs more than the words.
func copyFrame(dst, src FrameView, port uint16) {
	le := binary.LittleEndian
	src = src[:src.Used()]
	dst = dst[:len(src)]
	le.PutUint64(dst, le.Uint64(src))
	le.PutUint64(dst[8:], le.Uint64(src[8:])&(1<<48-1)|uint64(port)<<48)
	for i := sizeFrame; i+8 <= len(src); i += 8 {
		le.PutUint64(dst[i:], le.Uint64(src[i:]))
	}
}

// Legal reports whether the NIC takes f, the frame at the head of a cell's TX
// FIFO, which is not empty: count, kind, payload length and port.
func (b *Bank) Legal(cell int, f FrameView) bool {
	return int(b.Registers[cell].TxCount) <= b.TxFrames && f.Kind() < KindCount && f.PayloadBytes() <= b.PayloadBytes &&
		(int(f.Port()) < b.PortsOf(cell) || f.Port() == PortAll && b.Taps == nil) && (!b.Addressed || b.addressable(f))
}

// PortsOf returns how many ports a cell's NIC has.
func (b *Bank) PortsOf(cell int) int {
	if b.Taps == nil {
		return b.Ports
	}
	return len(b.Taps.Bus[b.First+cell])
}

// addressable reports whether there is an output for the destination of a frame.
func (b *Bank) addressable(f FrameView) bool {
	to := f.Destination()
	return f.Port() != PortAll && (to < uint32(b.Processors) || to == ListedDestination && b.Choice != nil)
}

// Refusal says why a frame that is not Legal may not be sent.
func (b *Bank) Refusal(cell int, f FrameView) string {
	switch {
	case int(b.Registers[cell].TxCount) > b.TxFrames:
		return fmt.Sprintf("says that its TX FIFO holds %d frames; it has room for %d", b.Registers[cell].TxCount, b.TxFrames)
	case f.Kind() >= KindCount:
		return fmt.Sprintf("sends a frame of %v; allowed are data, ack and control", f.Kind())
	case f.PayloadBytes() > b.PayloadBytes:
		return fmt.Sprintf("sends a payload of %d bytes; nic.payload_bytes is %d", f.PayloadBytes(), b.PayloadBytes)
	case b.Addressed && f.Destination() == ListedDestination && b.ListWords == 0:
		return "sends to whom its request list says; this network has no request lists"
	case b.Addressed && f.Destination() == ListedDestination:
		return "sends to whom its request list says, and takes no list: STARLOOM_REQUESTS is not defined"
	case b.Addressed && f.Port() == PortAll:
		return "sends to all ports; this network takes a frame to one processor"
	case b.Addressed && f.Port() == 0:
		return fmt.Sprintf("sends to processor %d; there are 0 to %d", f.Destination(), b.Processors-1)
	case b.Taps != nil && f.Port() == PortAll:
		return "sends to all ports; the NIC has one switch, which is at one of them"
	case b.Taps != nil:
		return fmt.Sprintf("sends to port %d; the NIC has %s, counted from 0", f.Port(), traces.Plural(b.PortsOf(cell), "port", "ports"))
	default:
		return fmt.Sprintf("sends to port %d; the NIC has ports 0 to %d, %#x is all", f.Port(), b.Ports-1, PortAll)
	}
}
