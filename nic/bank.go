package nic

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unsafe"
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
	RxStatus  []uint8     // per cell: what the receiver says of the slot before, a Status
	Workload  []uint32    // per cell: the workload's word
	Schedule  []uint64    // per cell: the schedule's word for this slot; nil if the firmware takes none
	Calls     []uint32    // the cells whose handlers shall be called; the host writes it and never reads it

	listen      []uint16 // the listening table, listenSlots columns
	listenSlots int
	silenced    []uint64 // one bit per cell: Silence was called since Reset
	descriptor  []byte   // the bank block, for Current
	records     []byte   // per cell: the handler's state, the heads of the RX and the TX FIFO
	recordBytes int
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
	RxFrames     int                // depth of the RX FIFO, 1..255
	TxFrames     int                // depth of the TX FIFO, 1..255
	Seed         uint64
	Params       [Params]int32
}

// FrameStride returns the bytes that one frame takes in a FIFO and in a
// medium's table: its header and its payload, rounded up to 8 bytes.
func FrameStride(payloadBytes int) int { return sizeFrame + (payloadBytes+7)/8*8 }

// AttachBank checks the descriptor that firmware has put at address, writes the
// host's part of it and returns the view. Everything must lie inside memory,
// aligned and without overlap.
func AttachBank(memory []byte, address uint32, c BankConfig) (*Bank, error) {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return nil, errors.New("this machine is big-endian: banks need a little-endian one")
	}
	if address == 0 {
		return nil, fmt.Errorf("the firmware has no room for a bank of %d processors", c.Cells)
	}
	if uint64(address)+sizeBank > uint64(len(memory)) || address%8 != 0 {
		return nil, fmt.Errorf("bank descriptor at %#x: outside the memory of %#x bytes or not aligned to 8", address, len(memory))
	}
	d := memory[address : address+sizeBank : address+sizeBank]
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
	if b.rx.at%8 != 0 || b.rx.at > stateBytesMax {
		return nil, fmt.Errorf("bank descriptor: a state of %d bytes; it must be a multiple of 8 and at most %d", b.rx.at, stateBytesMax)
	}
	if tx, end := b.rx.at+b.frameStride, b.tx.at+b.frameStride; b.tx.at != tx || b.recordBytes < end || b.recordBytes%8 != 0 {
		return nil, fmt.Errorf("bank descriptor: a record of %d bytes with its TX FIFO at %d; it must be a multiple of 8, at least %d, and the TX FIFO after the RX FIFO, at %d",
			b.recordBytes, b.tx.at, end, tx)
	}
	if b.listenSlots < 1 || b.listenSlots > listenSlotsMax {
		return nil, fmt.Errorf("bank descriptor: a listening table of %d slots; it must have 1 to %d", b.listenSlots, listenSlotsMax)
	}
	claims := []claim{{"descriptor", uint64(address), sizeBank}}
	column := func(name string, offset, elementBytes int) ([]byte, error) {
		at, size := uint64(word(offset)), uint64(c.Cells)*uint64(elementBytes)
		if at == 0 || at+size > uint64(len(memory)) || at%alignment(elementBytes) != 0 {
			return nil, fmt.Errorf("bank descriptor: %s at %#x: %d bytes lie outside the memory of %#x bytes or are not aligned", name, at, size, len(memory))
		}
		for _, other := range claims {
			if at < other.at+other.size && other.at < at+size {
				return nil, fmt.Errorf("bank descriptor: %s at %#x overlaps %s at %#x", name, at, other.name, other.at)
			}
		}
		claims = append(claims, claim{name, at, size})
		return memory[at : at+size : at+size], nil
	}
	var err error
	take := func(name string, offset, elementBytes int) []byte {
		if err != nil {
			return nil
		}
		var part []byte
		part, err = column(name, offset, elementBytes)
		return part
	}
	registers := take("processor", offBankProcessor, sizeProcessor)
	b.RxStatus = take("rx_status", offBankRxStatus, 1)
	listen := take("listen", offBankListen, 2*b.listenSlots)
	calls := take("calls", offBankCalls, 4)
	workload := take("workload", offBankWorkload, 4)
	var schedule []byte
	if word(offBankSchedule) != 0 {
		schedule = take("schedule", offBankSchedule, 8)
	}
	b.records = take("record", offBankRecord, b.recordBytes)
	if c.RxFrames > 1 {
		b.rx.more = take("rx_more", offBankRxMore, (c.RxFrames-1)*b.frameStride)
	}
	if c.TxFrames > 1 {
		b.tx.more = take("tx_more", offBankTxMore, (c.TxFrames-1)*b.frameStride)
	}
	if err != nil {
		return nil, err
	}
	// Both are little-endian in the guest, and so is this machine (above).
	first, words := unsafe.Pointer(unsafe.SliceData(registers)), unsafe.Pointer(unsafe.SliceData(workload))
	rom, table, list := unsafe.Pointer(unsafe.SliceData(schedule)), unsafe.Pointer(unsafe.SliceData(listen)), unsafe.Pointer(unsafe.SliceData(calls))
	if uintptr(unsafe.Pointer(unsafe.SliceData(b.records)))%8 != 0 || uintptr(first)%8 != 0 || uintptr(words)%4 != 0 || uintptr(rom)%8 != 0 || uintptr(table)%2 != 0 || uintptr(list)%4 != 0 {
		return nil, fmt.Errorf("bank at %#x: the memory itself is not aligned", address)
	}
	b.Registers = unsafe.Slice((*Registers)(first), c.Cells)
	b.Words = unsafe.Slice((*uint64)(first), c.Cells)
	b.Workload = unsafe.Slice((*uint32)(words), c.Cells)
	b.Calls = unsafe.Slice((*uint32)(list), c.Cells)
	b.listen = unsafe.Slice((*uint16)(table), c.Cells*b.listenSlots)
	if rom != nil {
		b.Schedule = unsafe.Slice((*uint64)(rom), c.Cells)
	}
	b.configure()
	return b, nil
}

// alignment is that of the words which elements of so many bytes consist of: 1, 2, 4 or 8.
func alignment(elementBytes int) uint64 { return min(uint64(elementBytes&-elementBytes), 8) }

// stateBytesMax is the largest state of one processor.
const stateBytesMax = 1 << 20

type claim struct {
	name     string
	at, size uint64
}

// configure writes the host's part of the descriptor and the reset values.
func (b *Bank) configure() {
	d, le := b.descriptor, binary.LittleEndian
	le.PutUint32(d[offBankFirst:], uint32(b.First))
	le.PutUint32(d[offBankProcessors:], uint32(b.Processors))
	for k, v := range b.Shape {
		le.PutUint32(d[offBankShape+4*k:], v)
	}
	le.PutUint32(d[offBankPorts:], uint32(b.Ports))
	le.PutUint64(d[offBankSeed:], b.Seed)
	for k, v := range b.Params {
		le.PutUint32(d[offBankParam+4*k:], uint32(v))
	}
	for i := range b.listen {
		b.listen[i] = PortNone
	}
}

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

// Silence takes a processor off the fabric: it is faulty, sends nothing, hears
// nothing, and its handler is not called any more.
func (b *Bank) Silence(cell int) {
	b.silenced[cell>>6] |= 1 << (cell & 63)
	r := &b.Registers[cell]
	r.Flags |= FlagFaulty
	r.TxCount, r.RxCount = 0, 0
	for column := range b.listenSlots {
		b.SetListen(cell, column, PortNone)
	}
}

// ListAwake appends to list those of the cells first..end-1 whose handlers are to
// be called in a slot: all that do not sleep, that sleep until this slot, or that
// have a frame in a FIFO, unless they are faulty. Among the others, resting counts
// those that are done or faulty.
func (b *Bank) ListAwake(list []uint32, first, end int, slot uint32) (awake []uint32, resting int) {
	start := len(list)
	n := start
	list = list[:start+end-first]
	const (
		asleep = FlagSleeping << WordFlagsShift
		frames = 0xFFFF << WordRxCountShift // rx_count and tx_count
	)
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
}

// RecordBytes returns what one processor takes that has little to do: its state and the
// heads of its FIFOs.
func (b *Bank) RecordBytes() int { return b.recordBytes }

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
// of the register map's frame block and the payload behind it, FrameStride
// bytes in all. Zeros follow the payload up to a multiple of 8, and to 8 bytes at
// least; what is behind that is of no frame.
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

// PushRx stores a frame that was heard on port in a cell's RX FIFO and sets the
// cell's status: StatusOK, or StatusOverflow when the FIFO is full. frame must
// be FrameStride bytes long.
func (b *Bank) PushRx(cell int, port uint16, frame FrameView) Status {
	r := &b.Registers[cell]
	count := int(r.RxCount)
	if count >= b.RxFrames {
		b.RxStatus[cell] = uint8(StatusOverflow)
		return StatusOverflow
	}
	copyFrame(b.frame(cell, &b.rx, count), frame, port)
	r.RxCount = uint8(count + 1)
	b.RxStatus[cell] = uint8(StatusOK)
	return StatusOK
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
		(int(f.Port()) < b.Ports || f.Port() == PortAll)
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
	default:
		return fmt.Sprintf("sends to port %d; the NIC has ports 0 to %d, %#x is all", f.Port(), b.Ports-1, PortAll)
	}
}
