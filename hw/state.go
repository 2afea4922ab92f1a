package hw

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"math/bits"
	"strings"
	"unsafe"
)

// State is plain data: a component names its register columns, and a visitor saves and restores them. The format is
// little-endian:
//
//	"STARLOOM STATE" 0x00 version(1 byte)
//	per column: name bytes (2, not 0), name, kind (1), elements (8), the elements
//	end: 0x0000, CRC-32 (IEEE, 4 bytes) of everything before it
//
// kind is the element size in bytes, plus 0x80 if signed. Columns follow the order of the components' visits. Restore
// checks all names, kinds and lengths against the machine.

const (
	stateMagic = "STARLOOM STATE\x00"
	// Earlier versions: 1 stored destinations in flits, 2 stored POPS frames at couplers, 3 had inputs of 16 bits, 4
	// stored the arbiters of the slot engine as part of their network.
	stateVersion = 5
	// stateChunk is the maximum number of bytes allocated before their data is read.
	stateChunk = 1 << 16
)

// Stateful is a component, kernel or machine with state. State visits the same columns in the same order for saving
// and restoring. The order and number of columns depend only on parameters, not on shards.
type Stateful interface {
	Path() string
	State(v *StateVisitor)
}

// Fixed is the constraint of column elements.
type Fixed interface {
	~uint8 | ~uint16 | ~uint32 | ~uint64 | ~int8 | ~int16 | ~int32 | ~int64
}

// StateVisitor saves or restores columns with StateColumn, StateScalar and StateList. After an error these functions
// do nothing.
type StateVisitor struct {
	w       io.Writer // saving
	r       io.Reader // restoring
	sum     hash.Hash32
	buffer  []byte
	prefix  string
	err     error
	verify  []func() error // restoring: called when all input is read
	assign  []func()       // restoring: called only after the whole input was valid
	rebuild []func()

	snapshot *snapshotVisit // unless nil, the visitor serves Snapshots instead of a stream

	look     func(c Cell) // unless nil, the visitor passes registers to look instead of saving or restoring them (Cells)
	list     func(name string)
	collects bool // only run Collect functions
}

// Saving reports whether the visitor reads the columns; otherwise it writes them.
func (v *StateVisitor) Saving() bool {
	return v.w != nil || v.look != nil || v.snapshot != nil && !v.snapshot.returning
}

// Fail makes the whole Save or Restore fail with err. The first error counts.
func (v *StateVisitor) Fail(err error) {
	if v.err == nil {
		v.err = err
	}
}

// Within visits a part. The names of the part's columns start with its path.
func (v *StateVisitor) Within(part Stateful) {
	outer := v.prefix
	v.prefix = part.Path() + "."
	v.Group(part.State)
	v.prefix = outer
}

// AfterRestore schedules rebuild, which moves restored values from temporary columns to their places or recomputes
// derived state. The visitor calls rebuild once all columns of all parts are restored. AfterRestore has no effect
// while saving, and rebuild is not called for invalid input.
func (v *StateVisitor) AfterRestore(rebuild func()) {
	if !v.Saving() {
		v.rebuild = append(v.rebuild, rebuild)
	} else if v.snapshot != nil {
		v.snapshot.temporary = true
	}
}

// Derive is AfterRestore for parts that visit the registers themselves, in memory that stays in place.
func (v *StateVisitor) Derive(rebuild func()) {
	switch {
	case v.snapshot != nil && v.snapshot.planning:
		v.snapshot.derive(rebuild)
	case !v.Saving():
		v.rebuild = append(v.rebuild, rebuild)
	}
}

// Verify schedules check between the reading of all columns and the first assignment. An error of check rejects the
// input. check can use values that the checks of columns have collected. Verify has no effect while saving.
func (v *StateVisitor) Verify(check func() error) {
	if !v.Saving() && v.snapshot == nil {
		prefix := v.prefix
		v.verify = append(v.verify, func() error {
			if err := check(); err != nil {
				return fmt.Errorf("%s: %w", strings.TrimSuffix(prefix, "."), err)
			}
			return nil
		})
	}
}

// AtMost returns a check that every element is at most limit.
func AtMost[T Fixed](limit T) func(i int, value T) error {
	return func(i int, value T) error {
		if value > limit {
			return fmt.Errorf("element %d is %d; at most %d is allowed", i, value, limit)
		}
		return nil
	}
}

// StateFlags visits flags as one column. The flags are the state itself, not copies of it.
func StateFlags(v *StateVisitor, class Class, name string, flags ...*bool) {
	if v.snapshot != nil {
		class = v.snapshot.class(v.prefix, name, class)
		for _, flag := range flags {
			v.snapshot.memory(class, unsafe.Slice((*byte)(unsafe.Pointer(flag)), 1))
		}
		return
	}
	column := make([]uint8, len(flags))
	for i, flag := range flags {
		if *flag {
			column[i] = 1
		}
	}
	StateColumn(v, class, name, column, AtMost[uint8](1))
	v.AfterRestore(func() {
		for i, flag := range flags {
			*flag = column[i] != 0
		}
	})
}

// StateColumn visits a column of fixed length. The checks validate restored elements before any assignment.
func StateColumn[T Fixed](v *StateVisitor, class Class, name string, column []T, checks ...func(i int, value T) error) {
	switch {
	case v.snapshot != nil:
		v.snapshot.memory(v.snapshot.class(v.prefix, name, class), bytesOf(column))
		return
	case v.look != nil:
		lookAt(v, name, column, checks)
		return
	case v.Saving():
		writeColumn(v, name, column)
		return
	}
	if values, ok := readColumn(v, name, len(column), checks); ok {
		v.assign = append(v.assign, func() { copy(column, values) })
	}
}

// StateScalar visits one register.
func StateScalar[T Fixed](v *StateVisitor, class Class, name string, value *T, checks ...func(i int, value T) error) {
	switch {
	case v.snapshot != nil:
		v.snapshot.memory(v.snapshot.class(v.prefix, name, class), bytesOf(unsafe.Slice(value, 1)))
		return
	case v.look != nil:
		lookAt(v, name, unsafe.Slice(value, 1), checks)
		return
	case v.Saving():
		writeColumn(v, name, []T{*value})
		return
	}
	if values, ok := readColumn(v, name, 1, checks); ok {
		v.assign = append(v.assign, func() { *value = values[0] })
	}
}

// StateList visits a column of variable length.
func StateList[T Fixed](v *StateVisitor, class Class, name string, list *[]T, checks ...func(i int, value T) error) {
	if v.snapshot != nil {
		snapshotList(v.snapshot, v.snapshot.class(v.prefix, name, class), list)
		return
	}
	if v.Saving() {
		saveList(v, name, *list)
		return
	}
	if values, ok := readColumn(v, name, -1, checks); ok {
		v.assign = append(v.assign, func() { *list = append((*list)[:0], values...) })
	}
}

func saveList[T Fixed](v *StateVisitor, name string, list []T) {
	if v.look != nil {
		v.list(v.prefix + name)
		return
	}
	writeColumn(v, name, list)
}

// Save writes the state of the parts. Call it between cycles: after Latch, before DriveAndSettle. Equal states yield
// equal bytes.
func Save(w io.Writer, parts ...Stateful) error {
	v := &StateVisitor{w: w, sum: crc32.NewIEEE()}
	v.write(append([]byte(stateMagic), stateVersion))
	for _, part := range parts {
		v.Within(part)
	}
	v.write([]byte{0, 0})
	v.write(binary.LittleEndian.AppendUint32(nil, v.sum.Sum32()))
	if v.err != nil {
		return fmt.Errorf("saving state: %w", v.err)
	}
	return nil
}

// Restore restores the state that Save has written from parts with equal parameters. It reads exactly the saved
// bytes. After an error all parts are unchanged.
func Restore(r io.Reader, parts ...Stateful) error {
	v := &StateVisitor{r: r, sum: crc32.NewIEEE()}
	v.readHead()
	for _, part := range parts {
		v.Within(part)
	}
	if end := v.read(2); v.err == nil && (end[0] != 0 || end[1] != 0) {
		name := v.read(int(binary.LittleEndian.Uint16(end)))
		v.Fail(fmt.Errorf("the next column is %q, which this machine lacks", name))
	}
	want := v.sum.Sum32()
	if sum := v.read(4); v.err == nil && binary.LittleEndian.Uint32(sum) != want {
		v.Fail(errDamaged)
	}
	for _, verify := range v.verify {
		if v.err == nil {
			v.err = verify()
		}
	}
	if v.err != nil {
		return fmt.Errorf("restoring state: %w", v.err)
	}
	for _, assign := range v.assign {
		assign()
	}
	for _, rebuild := range v.rebuild {
		rebuild()
	}
	return nil
}

var errDamaged = errors.New("the checksum is wrong: the state is damaged or truncated")

// CheckState returns an error if a state of size bytes is damaged. CheckState does not compare the state with a
// machine.
func CheckState(r io.Reader, size int64) error {
	v := &StateVisitor{r: r, sum: crc32.NewIEEE()}
	v.readHead()
	if v.err != nil {
		return v.err
	}
	const end = 4
	if _, err := io.CopyN(v.sum, r, size-int64(len(stateMagic)+1+end)); err != nil {
		return errDamaged
	}
	want := v.sum.Sum32()
	if sum := v.read(end); v.err != nil || binary.LittleEndian.Uint32(sum) != want {
		return errDamaged
	}
	return nil
}

func (v *StateVisitor) readHead() {
	head := v.read(len(stateMagic) + 1)
	switch {
	case v.err != nil || string(head[:len(stateMagic)]) != stateMagic:
		v.err = errors.New("this is not a saved state")
	case head[len(stateMagic)] != stateVersion:
		v.Fail(fmt.Errorf("format version %d, but this program reads version %d", head[len(stateMagic)], stateVersion))
	}
}

func (v *StateVisitor) write(b []byte) {
	if v.err != nil {
		return
	}
	v.sum.Write(b)
	_, v.err = v.w.Write(b)
}

func (v *StateVisitor) read(count int) []byte {
	if v.err != nil {
		return nil
	}
	if cap(v.buffer) < count {
		v.buffer = make([]byte, max(count, min(2*cap(v.buffer), stateChunk), 1<<8))
	}
	b := v.buffer[:count]
	if _, err := io.ReadFull(v.r, b); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		v.Fail(err)
		return nil
	}
	v.sum.Write(b)
	return b
}

func kindOf[T Fixed]() (kind byte, size int) {
	// The loop shifts a one through x until it leaves at the top, and counts the bytes.
	for x := T(1); x != 0; x = x << 7 << 1 {
		size++
	}
	kind = byte(size)
	if ^T(0) < 0 {
		kind |= 0x80
	}
	return kind, size
}

func kindName(kind byte) string {
	name := "uint"
	if kind&0x80 != 0 {
		name = "int"
	}
	return fmt.Sprintf("%s%d", name, 8*int(kind&0x7F))
}

func writeColumn[T Fixed](v *StateVisitor, name string, column []T) {
	if v.err != nil {
		return
	}
	name = v.prefix + name
	if len(name) == 0 || len(name) > 0xFFFF {
		v.Fail(fmt.Errorf("column name of %d bytes; allowed: 1 to 65535", len(name)))
		return
	}
	kind, size := kindOf[T]()
	head := binary.LittleEndian.AppendUint16(nil, uint16(len(name)))
	head = append(head, name...)
	head = append(head, kind)
	v.write(binary.LittleEndian.AppendUint64(head, uint64(len(column))))
	for len(column) > 0 {
		part := column[:min(len(column), stateChunk/size)]
		v.buffer = v.buffer[:0]
		for _, value := range part {
			for bits, k := uint64(value), 0; k < size; k++ {
				v.buffer = append(v.buffer, byte(bits))
				bits >>= 8
			}
		}
		v.write(v.buffer)
		column = column[len(part):]
	}
}

// readColumn decodes the next column. want is its length, -1 for any.
func readColumn[T Fixed](v *StateVisitor, name string, want int, checks []func(int, T) error) ([]T, bool) {
	if v.err != nil {
		return nil, false
	}
	name = v.prefix + name
	fail := func(format string, a ...any) ([]T, bool) {
		v.Fail(fmt.Errorf("column %q: %w", name, fmt.Errorf(format, a...)))
		return nil, false
	}
	truncated := func() ([]T, bool) {
		err := v.err
		v.err = nil
		return fail("%w", err)
	}

	head := v.read(2)
	if v.err != nil {
		return truncated()
	}
	found := string(v.read(int(binary.LittleEndian.Uint16(head))))
	if v.err != nil {
		return truncated()
	}
	if found != name {
		return fail("found %q instead: it was saved from a different machine", found)
	}
	head = v.read(9)
	if v.err != nil {
		return truncated()
	}
	kind, size := kindOf[T]()
	count := binary.LittleEndian.Uint64(head[1:])
	if head[0] != kind {
		return fail("it holds %s, this machine has %s", kindName(head[0]), kindName(kind))
	}
	if want >= 0 && count != uint64(want) {
		return fail("it holds %d elements, but this machine has %d: it was saved from a different machine", count, want)
	}

	var values []T
	for read := uint64(0); read < count; {
		part := min(count-read, uint64(stateChunk/size))
		data := v.read(int(part) * size)
		if v.err != nil {
			return truncated()
		}
		for ; len(data) > 0; data = data[size:] {
			bits := uint64(0)
			for k := range size {
				bits |= uint64(data[k]) << (8 * k)
			}
			values = append(values, T(bits))
		}
		read += part
	}
	for _, check := range checks {
		for i, value := range values {
			if err := check(i, value); err != nil {
				return fail("%w", err)
			}
		}
	}
	return values, true
}

// Cell is a register or a word of memory: one element of a column of state. The name of its Probe consists of
// component and column, followed by [i] if the column has several elements.
type Cell struct {
	Probe
	Limit uint64 // maximum that a saved state may contain
}

// Set changes the register. What follows from it, such as outputs, is that of the next cycle.
func (c *Cell) Set(value uint64) {
	switch {
	case c.p8 != nil:
		*c.p8 = uint8(value)
	case c.p16 != nil:
		*c.p16 = uint16(value)
	case c.p32 != nil:
		*c.p32 = uint32(value)
	default:
		*c.p64 = value
	}
}

// Cells returns all registers of parts in the order of a saved state, and the names of the columns of variable
// length, which it omits.
func Cells(parts ...Stateful) (cells []Cell, lists []string) {
	v := &StateVisitor{
		look: func(c Cell) { cells = append(cells, c) }, list: func(name string) { lists = append(lists, name) },
	}
	for _, part := range parts {
		v.Within(part)
	}
	return cells, lists
}

// Collect updates the Cells of components whose registers have another form.
func Collect(parts ...Stateful) {
	v := &StateVisitor{look: func(Cell) {}, list: func(string) {}, collects: true}
	for _, part := range parts {
		v.Within(part)
	}
}

func lookAt[T Fixed](v *StateVisitor, name string, column []T, checks []func(int, T) error) {
	if v.collects {
		return
	}
	_, size := kindOf[T]()
	limit := ^uint64(0) >> (64 - 8*size)
	if ^T(0) > 0 && len(column) > 0 {
		limit = max(limitOf(limit, allows(0, checks)), limitOf(limit, allows(len(column)-1, checks)))
	}
	for i := range column {
		c := Cell{Probe: Probe{Path: v.prefix + name, Bits: max(1, bits.Len64(limit))}, Limit: limit}
		if len(column) > 1 {
			c.Path = fmt.Sprintf("%s[%d]", c.Path, i)
		}
		at := unsafe.Pointer(&column[i]) // a signed register appears as its bits
		switch size {
		case 1:
			c.p8 = (*uint8)(at)
		case 2:
			c.p16 = (*uint16)(at)
		case 4:
			c.p32 = (*uint32)(at)
		default:
			c.p64 = (*uint64)(at)
		}
		v.look(c)
	}
}

func allows[T Fixed](i int, checks []func(int, T) error) func(value uint64) bool {
	return func(value uint64) bool {
		for _, check := range checks {
			if check(i, T(value)) != nil {
				return false
			}
		}
		return true
	}
}

// limitOf returns the largest allowed value up to most. It returns most if a smaller value is not allowed.
func limitOf(most uint64, allowed func(value uint64) bool) uint64 {
	low, high := uint64(0), most // low is allowed unless no value is
	for low < high {
		middle := low + (high-low)/2 + (high-low)%2
		if allowed(middle) {
			low = middle
		} else {
			high = middle - 1
		}
	}
	for _, value := range []uint64{0, low / 2, low} {
		if !allowed(value) {
			return most
		}
	}
	return low
}
