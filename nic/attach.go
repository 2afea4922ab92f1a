package nic

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unsafe"

	"starloom/traces"
)

// ErrNoRoom means that firmware has no memory for a bank of the requested size.
var ErrNoRoom = errors.New("the firmware has no room for a bank")

// ErrLargeState means that the state of one processor exceeds StateBytesMax.
var ErrLargeState = errors.New("the firmware has a state")

// DescribeBank writes the parameters of a bank to the firmware's descriptor at address; Firmware lays out the bank
// according to these parameters. The parameters are the same for all banks of a machine and for all seeds, so all
// records have one size. DescribeBank returns an error if the address is invalid.
func DescribeBank(memory []byte, address uint32, c BankConfig) error {
	d, err := descriptorAt(memory, address)
	if err == nil {
		c.describe(d)
	}
	return err
}

// CheckState returns an error if a state is too large. In that case starloom_attach has only written the size to the
// descriptor.
func CheckState(memory []byte, descriptor uint32) error {
	d, err := descriptorAt(memory, descriptor)
	if err != nil {
		return err
	}
	if size := binary.LittleEndian.Uint32(d[offBankRx:]); size > StateBytesMax {
		return fmt.Errorf("%w of %d bytes; at most %d are allowed", ErrLargeState, size, StateBytesMax)
	}
	return nil
}

func descriptorAt(memory []byte, address uint32) ([]byte, error) {
	if address == 0 || uint64(address)+sizeBank > uint64(len(memory)) || address%8 != 0 {
		return nil, fmt.Errorf("bank descriptor at %#x: outside the memory of %#x bytes or not aligned to 8", address,
			len(memory))
	}
	return memory[address : address+sizeBank : address+sizeBank], nil
}

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

// StateBytesMax is the maximum size of a processor's state in bytes.
const StateBytesMax = 1 << 20

// AttachBank checks and completes the descriptor that firmware has written at address, and returns the view. It
// returns an error unless all parts of the bank are inside memory, aligned and disjoint.
func AttachBank(memory []byte, address uint32, c BankConfig) (*Bank, error) {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return nil, errors.New("this machine is big-endian, but banks need a little-endian machine")
	}
	if address == 0 {
		return nil, fmt.Errorf("%w of %s", ErrNoRoom, traces.Plural(uint64(c.Cells), "processor", "processors"))
	}
	bytes, err := descriptorAt(memory, address)
	if err != nil {
		return nil, err
	}
	d := descriptor(bytes)
	if err := d.agrees(&c); err != nil {
		return nil, err
	}
	b := &Bank{
		BankConfig:  c,
		TakesROM:    d.has(offBankROM) && d.has(offBankMachineROM),
		silenced:    make([]uint64, (c.Cells+63)/64),
		descriptor:  d,
		recordBytes: d.word(offBankRecordStride),
		recordsAt:   d.word(offBankRecord),
		rx:          fifo{at: d.word(offBankRx)},
		tx:          fifo{at: d.word(offBankTx)},
		frameStride: d.word(offBankFrameStride),
		listenSlots: d.word(offBankListenSlots),
	}
	if err := b.checkLayout(); err != nil {
		return nil, err
	}
	l := layout{memory, d, []claim{{"descriptor", uint64(address), sizeBank, 0, false}}}
	for _, column := range b.columns() {
		if err := l.take(&column, c.Cells); err != nil {
			return nil, err
		}
	}
	// Columns are aligned if memory is aligned to 8 bytes. They are little-endian, like this machine (checked above).
	if uintptr(unsafe.Pointer(unsafe.SliceData(memory)))%8 != 0 {
		return nil, fmt.Errorf("bank at %#x: the memory itself is not aligned", address)
	}
	b.Words = unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b.Registers))), c.Cells)
	b.claims = l.claims
	b.configure()
	return b, nil
}

func (d descriptor) agrees(c *BankConfig) error {
	for _, w := range []struct {
		name   string
		offset int
		want   int
	}{
		{"abi", offBankABI, ABIVersion},
		{"cells", offBankCells, c.Cells},
		{"payload_bytes", offBankPayloadBytes, c.PayloadBytes},
		{"rx_frames", offBankRxFrames, c.RxFrames},
		{"tx_frames", offBankTxFrames, c.TxFrames},
		{"frame_stride", offBankFrameStride, FrameStride(c.PayloadBytes)},
	} {
		if have := d.word(w.offset); have != w.want {
			return fmt.Errorf("bank descriptor: %s is %d, want %d", w.name, have, w.want)
		}
	}
	return nil
}

func (b *Bank) checkLayout() error {
	if b.rx.at%8 != 0 || b.rx.at > StateBytesMax {
		return fmt.Errorf("bank descriptor: a state of %d bytes; it must be a multiple of 8 and at most %d",
			b.rx.at, StateBytesMax)
	}
	tx, end := b.rx.at+b.frameStride, b.tx.at+b.frameStride
	if b.tx.at != tx || b.recordBytes < end || b.recordBytes%8 != 0 {
		return fmt.Errorf("bank descriptor: a record of %d bytes with its TX FIFO at %d; "+
			"it must be a multiple of 8, at least %d, and the TX FIFO after the RX FIFO, at %d",
			b.recordBytes, b.tx.at, end, tx)
	}
	if b.listenSlots < 1 || b.listenSlots > listenSlotsMax {
		return fmt.Errorf("bank descriptor: a listening table of %d slots; it must have 1 to %d",
			b.listenSlots, listenSlotsMax)
	}
	if b.takesLists() && !b.TakesROM {
		return errors.New("bank descriptor: request lists without a ROM, which must contain them")
	}
	return nil
}

func (b *Bank) takesLists() bool { return b.descriptor.has(offBankFirstChoice) && b.ListWords > 0 }

type column struct {
	name   string
	at     int // offset of the column's address in the descriptor
	planes int
	bytes  int // bytes of a cell in a plane; 0 for the machine's column, which has planes of words
	taken  bool
	put    func(part []byte)
}

func (b *Bank) columns() []column {
	const always = true
	d, lanes := b.descriptor, b.Lanes()
	lists, sent := b.takesLists(), d.has(offBankTxStatus)
	return []column{
		{"processor", offBankProcessor, 1, sizeProcessor, always, elements(&b.Registers)},
		{"rx_status", offBankRxStatus, lanes, 1, always, elements(&b.RxStatus)},
		{"listen", offBankListen, b.listenSlots, 2, always, elements(&b.listen)},
		{"calls", offBankCalls, 1, 4, always, elements(&b.Calls)},
		{"workload", offBankWorkload, 1, 4, always, elements(&b.Workload)},
		{"schedule", offBankSchedule, 1, 8, d.has(offBankSchedule), elements(&b.Schedule)},
		{"tx_status", offBankTxStatus, lanes, 1, sent, elements(&b.TxStatus)},
		{"served", offBankServed, lanes, 4, sent, elements(&b.Served)},
		{"rom", offBankROM, 1, 4 * b.ROMWords, b.TakesROM && b.ROMWords > 0, elements(&b.ROM)},
		{"machine_rom", offBankMachineROM, b.MachineROM, 0, b.TakesROM && b.MachineROM > 0, elements(&b.Machine)},
		{"first_choice", offBankFirstChoice, 1, 4, lists, elements(&b.Choice)},
		{"list_valid", offBankListValid, 1, 8 * b.ValidWords(), lists, elements(&b.Valid)},
		{"accept_tag", offBankAcceptTag, 1, 2, d.has(offBankAcceptTag), elements(&b.AcceptTag)},
		{"record", offBankRecord, 1, b.recordBytes, always, elements(&b.records)},
		{"rx_more", offBankRxMore, b.RxFrames - 1, b.frameStride, b.RxFrames > 1, elements(&b.rx.more)},
		{"tx_more", offBankTxMore, b.TxFrames - 1, b.frameStride, b.TxFrames > 1, elements(&b.tx.more)},
	}
}

func elements[T any](to *[]T) func(part []byte) {
	return func(part []byte) {
		first := (*T)(unsafe.Pointer(unsafe.SliceData(part)))
		*to = unsafe.Slice(first, len(part)/int(unsafe.Sizeof(*first)))
	}
}

type layout struct {
	memory     []byte
	descriptor descriptor
	claims     []claim
}

func (l *layout) take(c *column, cells int) error {
	if !c.taken {
		return nil
	}
	number, elementBytes := cells, c.planes*c.bytes
	if c.bytes == 0 {
		number, elementBytes = c.planes, 4
	}
	at, size := uint64(l.descriptor.word(c.at)), uint64(number)*uint64(elementBytes)
	if at == 0 {
		return fmt.Errorf("bank descriptor: %s is not set; it is required", c.name)
	}
	if at+size > uint64(len(l.memory)) || at%alignment(elementBytes) != 0 {
		return fmt.Errorf("bank descriptor: %s at %#x: %d bytes lie outside the memory of %#x bytes or are not aligned",
			c.name, at, size, len(l.memory))
	}
	for _, other := range l.claims {
		if at < other.at+other.size && other.at < at+size {
			return fmt.Errorf("bank descriptor: %s at %#x overlaps %s at %#x", c.name, at, other.name, other.at)
		}
	}
	l.claims = append(l.claims, claim{c.name, at, size, uint64(c.bytes), c.at == offBankCalls})
	c.put(l.memory[at : at+size : at+size])
	return nil
}

func alignment(elementBytes int) uint64 { return min(uint64(elementBytes&-elementBytes), 8) }

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

// Restored updates the view after a saved state has replaced its memory.
func (b *Bank) Restored() { b.stirAll() }

// Reset sets a new seed and the reset values. The caller must first restore the view's memory to its contents after
// the attachment.
func (b *Bank) Reset(seed uint64) {
	b.Seed = seed
	clear(b.silenced)
	b.configure()
	b.tellDepths()
}
