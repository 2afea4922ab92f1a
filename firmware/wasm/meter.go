package wasm

import (
	"math"
	"slices"
)

// Meter asks for a copy that counts what each call of an export costs.
//
//	block of instructions     accumulator += cost of the block     before what ends it
//	call, return, end         counter += accumulator
//	head of a loop, entry of a function that may call itself
//	                          counter + accumulator > Limit: the host is asked, and ends the call
//	return of a handler       counter > Limit: the same, before the next one is called
//
// When an export returns, the counter is the sum of the costs of all instructions that have run.
// Where it stops a call depends on the image and the limit only. So every handler that costs more is
// ended, and none that does not; beyond the limit it runs no further than to its next loop or its end.
type Meter struct {
	Costs Costs
	Limit uint64 // a call that costs more is ended; handlers are not called with one of more than 2^32-1

	// Key is the scenario's key that gives Limit; "" if none was given: what costs more than
	// a default is taken for endless.
	Key string

	// Profile asks the host whenever instructions of one source line, or a block without lines,
	// have been counted: AtName is then the last of them.
	Profile bool
}

// The exports of a copy that counts.
const (
	CounterName = reserved + "counter" // i64: what the call that runs has cost, set to 0 by the host before
	PlaceName   = reserved + "place"   // i32: place of the cell whose handler ran last
	LimitName   = reserved + "limit"   // i64, constant: Meter.Limit
	EachName    = reserved + "each."   // and an export: see entry
	AtName      = reserved + "at"      // i32, with Meter.Profile: offset in the image's code section
)

// The entry points with a list of cells, and how many parameters they have.
var listed = []struct {
	name   string
	params int
}{{"starloom_start", 1}, {"starloom_slot", 2}}

// takes reports whether a function with code takes so many i32 and returns nothing.
func (m *module) takes(k, params int) bool {
	t := m.types[m.body[k].signature]
	return t.results == "" && t.params == string(slices.Repeat([]byte{typeI32}, params))
}

// metering is a Meter in a module.
type metering struct {
	Meter
	counter, place uint32 // globals
}

// at is the global AtName; the limit is between.
func (x *metering) at() uint32 { return x.place + 2 }

// addMeter adds the globals of the counter to the sections of a copy.
func (x *metering) addMeter(parts map[byte][]byte) {
	for _, g := range []struct {
		name  string
		index uint32
		kind  byte
		zero  opcode
	}{{CounterName, x.counter, typeI64, opI64Const}, {PlaceName, x.place, typeI32, opI32Const}} {
		parts[sectionGlobal] = appendElement(parts[sectionGlobal], []byte{g.kind, 1, byte(g.zero), 0, byte(opEnd)})
		parts[sectionExport] = appendElement(parts[sectionExport], appendU32(append(appendName(nil, g.name), kindGlobal), g.index, 1))
	}
	limit := appendS64([]byte{typeI64, 0, byte(opI64Const)}, x.limit())
	parts[sectionGlobal] = appendElement(parts[sectionGlobal], append(limit, byte(opEnd)))
	parts[sectionExport] = appendElement(parts[sectionExport], appendU32(append(appendName(nil, LimitName), kindGlobal), x.place+1, 1))
	if x.Profile {
		parts[sectionGlobal] = appendElement(parts[sectionGlobal], []byte{typeI32, 1, byte(opI32Const), 0, byte(opEnd)})
		parts[sectionExport] = appendElement(parts[sectionExport], appendU32(append(appendName(nil, AtName), kindGlobal), x.at(), 1))
	}
}

// tally counts the costs of one function while it is copied.
type tally struct {
	*metering
	f       *woven
	pending uint64   // of instructions since the last addition
	open    []opcode // blocks, the function's own first
	tick    uint32   // the function that asks the host

	// With Profile.
	lines lineTable // of the image
	base  uint32    // offset of the function's instructions in the image's code section
	line  string    // of what is pending
	last  uint32    // offset of the last instruction that is
}

// before returns the code that must run before an instruction, after it was counted.
func (t *tally) before(i *instruction, imported int) (code []byte) {
	if t.Profile {
		line := t.lines.source(uint64(t.base) + uint64(i.start))
		if line != t.line {
			code = t.add()
		}
		t.line, t.last = line, t.base+uint32(i.start)
	}
	return append(code, t.count(i, imported)...)
}

// count counts an instruction, and returns the code that must run before it.
func (t *tally) count(i *instruction, imported int) (code []byte) {
	t.pending += t.Costs.of(i, imported)
	outmost := uint32(len(t.open) - 1)
	switch i.op {
	case opMemoryCopy, opMemoryFill, opMemoryInit:
		if code = t.bytes(); t.Profile {
			code = slices.Concat(code, t.flush(), t.ask())
		}
		return code
	case opBlock:
		t.open = append(t.open, i.op)
	case opLoop:
		code = t.add()
		t.open = append(t.open, i.op)
	case opIf:
		code = t.add()
		t.open = append(t.open, i.op)
	case opElse:
		code = t.add()
	case opEnd:
		if outmost == 0 {
			code = t.settle()
		} else if t.open[outmost] != opLoop { // no branch goes to the end of a loop
			code = t.add()
		}
		t.open = t.open[:outmost]
	case opBr, opBrIf, opBrTable:
		if i.op != opBrTable && i.index == outmost || slices.Contains(i.targets, outmost) {
			code = t.settle()
		} else {
			code = t.add()
		}
	case opReturn, opCall, opCallIndirect:
		code = t.settle()
	}
	return code
}

func (t *tally) accumulator() uint32 { return t.f.local(scratchCost, typeI64) }

// add moves what is pending to the accumulator; for a profile to the counter, and asks the host.
func (t *tally) add() []byte {
	switch {
	case t.pending == 0:
		return nil
	case t.Profile:
		return t.ask()
	}
	return t.move(t.accumulator(), opLocalGet, opLocalSet)
}

// move adds what is pending to a variable.
func (t *tally) move(to uint32, get, set opcode) []byte {
	code := appendU32([]byte{byte(get)}, to, 1)
	code = append(appendS64(append(code, byte(opI64Const)), int64(t.pending)), byte(opI64Add))
	t.pending = 0
	return appendU32(append(code, byte(set)), to, 1)
}

// ask moves what is pending to the counter, and asks the host.
func (t *tally) ask() []byte {
	code := t.move(t.counter, opGlobalGet, opGlobalSet)
	code = appendU32(append(appendS32(append(code, byte(opI32Const)), int32(t.last)), byte(opGlobalSet)), t.at(), 1)
	return appendU32(append(code, byte(opCall)), t.tick, 1)
}

// settle moves everything to the counter.
func (t *tally) settle() []byte { return append(t.add(), t.flush()...) }

// flush moves the accumulator to the counter.
func (t *tally) flush() []byte {
	code := appendU32([]byte{byte(opGlobalGet)}, t.counter, 1)
	code = appendU32(append(code, byte(opLocalGet)), t.accumulator(), 1)
	code = appendU32(append(code, byte(opI64Add), byte(opGlobalSet)), t.counter, 1)
	return appendU32(append(code, byte(opI64Const), 0, byte(opLocalSet)), t.accumulator(), 1)
}

// bytes counts the bytes on top of the stack.
func (t *tally) bytes() []byte {
	each := t.Costs[classMemoryByte]
	if each == 0 {
		return nil
	}
	bytes := t.f.local(scratchBytes, typeI32)
	code := appendU32([]byte{byte(opLocalTee)}, bytes, 1)
	code = appendU32(append(code, byte(opLocalGet)), bytes, 1)
	code = appendS64(append(code, byte(opI64ExtendI32U), byte(opI64Const)), int64(each))
	code = appendU32(append(code, byte(opI64Mul), byte(opLocalGet)), t.accumulator(), 1)
	return appendU32(append(code, byte(opI64Add), byte(opLocalSet)), t.accumulator(), 1)
}

func (x *metering) limit() int64 { return int64(min(x.Limit, math.MaxInt64)) }

// Spent is what the counter holds when the host is asked because of the limit, and not for
// another turn.
const Spent = math.MaxUint64

// check asks the host if the call has cost more than the limit.
func (t *tally) check() []byte {
	code := appendU32([]byte{byte(opGlobalGet)}, t.counter, 1)
	code = appendU32(append(code, byte(opLocalGet)), t.accumulator(), 1)
	code = t.exceeds(append(code, byte(opI64Add)))
	return append(t.end(append(code, byte(opIf), blockEmpty), t.tick), byte(opEnd))
}

// exceeds appends to code that leaves a cost on the stack: whether it is more than the limit.
func (x *metering) exceeds(code []byte) []byte {
	return append(appendS64(append(code, byte(opI64Const)), x.limit()), byte(opI64GtU))
}

// end ends the call, which has cost more than the limit.
func (x *metering) end(code []byte, tick uint32) []byte {
	code = appendU32(append(code, byte(opI64Const), 0x7F, byte(opGlobalSet)), x.counter, 1)
	return appendU32(append(code, byte(opCall)), tick, 1)
}

// appendS64 appends a signed number.
func appendS64(to []byte, value int64) []byte {
	for {
		b := byte(value & 0x7F)
		if value >>= 7; value == 0 && b&0x40 == 0 || value == -1 && b&0x40 != 0 {
			return append(to, b)
		}
		to = append(to, b|0x80)
	}
}
