package wasm

import (
	"math"
	"slices"

	"starloom/firmware/wasm/binary"
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
	CounterName = binary.Reserved + "counter" // i64: what the call that runs has cost, set to 0 by the host before
	PlaceName   = binary.Reserved + "place"   // i32: place of the cell whose handler ran last
	LimitName   = binary.Reserved + "limit"   // i64, constant: Meter.Limit
	EachName    = binary.Reserved + "each."   // and an export: see entry
	AtName      = binary.Reserved + "at"      // i32, with Meter.Profile: offset in the image's code section
)

// The entry points with a list of cells, and how many parameters they have.
var listed = []struct {
	name   string
	params int
}{{"starloom_start", 1}, {"starloom_slot", 2}}

// takes reports whether a function with code takes so many i32 and returns nothing.
func (m *module) takes(k, params int) bool {
	t := m.Types[m.Body[k].Signature]
	return t.Results == "" && t.Params == string(slices.Repeat([]byte{binary.I32}, params))
}

// metering is a Meter in a module.
type metering struct {
	Meter
	counter, place uint32 // globals
}

// at is the global AtName; the limit is between.
func (x *metering) at() uint32 { return x.place + 2 }

func (x *metering) addMeter(parts binary.Parts) {
	parts.Global(CounterName, x.counter, emit(binary.I64, 1, binary.OpI64Const, 0, binary.OpEnd))
	parts.Global(PlaceName, x.place, emit(binary.I32, 1, binary.OpI32Const, 0, binary.OpEnd))
	parts.Global(LimitName, x.place+1, emit(binary.I64, 0, binary.OpI64Const, x.limit(), binary.OpEnd))
	if x.Profile {
		parts.Global(AtName, x.at(), emit(binary.I32, 1, binary.OpI32Const, 0, binary.OpEnd))
	}
}

// tally counts the costs of one function while it is copied.
type tally struct {
	*metering
	f       *woven
	pending uint64          // of instructions since the last addition
	open    []binary.Opcode // blocks, the function's own first
	tick    uint32          // the function that asks the host

	// With Profile.
	lines lineTable // of the image
	base  uint32    // offset of the function's instructions in the image's code section
	line  string    // of what is pending
	last  uint32    // offset of the last instruction that is
}

// before returns the code that must run before an instruction, after it was counted.
func (t *tally) before(i *binary.Instruction, imported int) (code []byte) {
	if t.Profile {
		line := t.lines.source(uint64(t.base) + uint64(i.Start))
		if line != t.line {
			code = t.add()
		}
		t.line, t.last = line, t.base+uint32(i.Start)
	}
	return append(code, t.count(i, imported)...)
}

// count counts an instruction, and returns the code that must run before it.
func (t *tally) count(i *binary.Instruction, imported int) (code []byte) {
	t.pending += t.Costs.of(i, imported)
	outmost := uint32(len(t.open) - 1)
	switch i.Op {
	case binary.OpMemoryCopy, binary.OpMemoryFill, binary.OpMemoryInit:
		if code = t.bytes(); t.Profile {
			code = slices.Concat(code, t.flush(), t.ask())
		}
		return code
	case binary.OpBlock:
		t.open = append(t.open, i.Op)
	case binary.OpLoop, binary.OpIf:
		code = t.add()
		t.open = append(t.open, i.Op)
	case binary.OpElse:
		code = t.add()
	case binary.OpEnd:
		if outmost == 0 {
			code = t.settle()
		} else if t.open[outmost] != binary.OpLoop { // no branch goes to the end of a loop
			code = t.add()
		}
		t.open = t.open[:outmost]
	case binary.OpBr, binary.OpBrIf, binary.OpBrTable:
		if i.Op != binary.OpBrTable && i.Index == outmost || slices.Contains(i.Targets, outmost) {
			code = t.settle()
		} else {
			code = t.add()
		}
	case binary.OpReturn, binary.OpCall, binary.OpCallIndirect:
		code = t.settle()
	}
	return code
}

func (t *tally) accumulator() uint32 { return t.f.local(scratchCost, binary.I64) }

// add moves what is pending to the accumulator; for a profile to the counter, and asks the host.
func (t *tally) add() []byte {
	switch {
	case t.pending == 0:
		return nil
	case t.Profile:
		return t.ask()
	}
	return t.move(t.accumulator(), binary.OpLocalGet, binary.OpLocalSet)
}

func (t *tally) move(to uint32, get, set binary.Opcode) []byte {
	code := emit(get, to, binary.OpI64Const, int64(t.pending), binary.OpI64Add, set, to)
	t.pending = 0
	return code
}

func (t *tally) ask() []byte {
	code := t.move(t.counter, binary.OpGlobalGet, binary.OpGlobalSet)
	return emit(code, binary.OpI32Const, int64(int32(t.last)), binary.OpGlobalSet, t.at(), binary.OpCall, t.tick)
}

func (t *tally) settle() []byte { return append(t.add(), t.flush()...) }

func (t *tally) flush() []byte {
	return emit(binary.OpGlobalGet, t.counter, binary.OpLocalGet, t.accumulator(), binary.OpI64Add,
		binary.OpGlobalSet, t.counter, binary.OpI64Const, 0, binary.OpLocalSet, t.accumulator())
}

// bytes counts the bytes on top of the stack.
func (t *tally) bytes() []byte {
	each := t.Costs[classMemoryByte]
	if each == 0 {
		return nil
	}
	bytes := t.f.local(scratchBytes, binary.I32)
	return emit(binary.OpLocalTee, bytes, binary.OpLocalGet, bytes, binary.OpI64ExtendI32U, binary.OpI64Const, int64(each),
		binary.OpI64Mul, binary.OpLocalGet, t.accumulator(), binary.OpI64Add, binary.OpLocalSet, t.accumulator())
}

func (x *metering) limit() int64 { return int64(min(x.Limit, math.MaxInt64)) }

// Spent is what the counter holds when the host is asked because of the limit, and not for
// another turn.
const Spent = math.MaxUint64

func (t *tally) check() []byte {
	code := t.exceeds(emit(binary.OpGlobalGet, t.counter, binary.OpLocalGet, t.accumulator(), binary.OpI64Add))
	return append(t.end(append(code, binary.OpIf, binary.BlockEmpty), t.tick), binary.OpEnd)
}

// exceeds appends to code that leaves a cost on the stack: whether it is more than the limit.
func (x *metering) exceeds(code []byte) []byte {
	return emit(code, binary.OpI64Const, x.limit(), binary.OpI64GtU)
}

func (x *metering) end(code []byte, tick uint32) []byte {
	return emit(code, binary.OpI64Const, int64(-1), binary.OpGlobalSet, x.counter, binary.OpCall, tick)
}
