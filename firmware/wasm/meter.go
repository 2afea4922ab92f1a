package wasm

import (
	"math"
	"slices"

	"starloom/firmware/wasm/binary"
)

// Meter requests a copy that counts the cost of each call of an export.
//
//	block of instructions     accumulator += cost of the block     before the instruction that ends it
//	call, return, end         counter += accumulator
//	head of a loop, entry of a recursive function
//	                          counter + accumulator > Limit: the host ends the call
//	return of a handler       counter > Limit: the same, before the next handler
//
// When an export returns, the counter is the sum of the costs of all executed instructions. A call ends at a place
// that depends only on image and limit. Exactly the handlers with a cost above Limit are ended; beyond the limit a
// handler runs at most to its next loop head or its end.
type Meter struct {
	Costs Costs
	Limit uint64 // a call with a higher cost is ended; for handlers at most 2^32-1

	// Key is the scenario key of Limit; "" for the default, beyond which a call counts as endless.
	Key string

	// Profile calls the host after each source line, or after each block without lines. AtName is the offset of the
	// last instruction. In a checked build, code without a line belongs to the preceding line of its function.
	Profile bool

	// Core is the core of a program for RISC-V, with parameters of its RTL (package rv32); "" for WebAssembly. With a
	// core, Costs is the zero table.
	Core       string
	Parameters map[string]int64

	// DataWait is the number of cycles by which the core's memory answers a load or store later. StackBytesMax is the
	// size of a processor's stack, 0 for no limit.
	DataWait, StackBytesMax uint32

	// Window is the cost of a slot's turn on a core. A handler that needs more is interrupted between two instructions
	// and resumed in the next slot. 0: a turn ends with its handler.
	Window uint64
}

// Exports of a metered copy.
const (
	CounterName = binary.Reserved + "counter" // i64: cost of the current call; the host clears it before the call
	PlaceName   = binary.Reserved + "place"   // i32: place of the last called cell
	LimitName   = binary.Reserved + "limit"   // i64, constant: Meter.Limit
	EachName    = binary.Reserved + "each."   // plus an export: see entry
	AtName      = binary.Reserved + "at"      // i32, with Meter.Profile: offset in the image's code section
)

// entry points with a list of cells, with their numbers of parameters
var listed = []struct {
	name   string
	params int
}{{"starloom_start", 1}, {"starloom_slot", 2}}

func (m *module) takes(k, params int) bool {
	t := m.Types[m.Body[k].Signature]
	return t.Results == "" && t.Params == string(slices.Repeat([]byte{binary.I32}, params))
}

type metering struct {
	Meter
	counter, place uint32 // globals
	checked        bool   // checked build
}

func (x *metering) at() uint32 { return x.place + 2 }

func (x *metering) addMeter(parts binary.Parts) {
	parts.Global(CounterName, x.counter, emit(binary.I64, 1, binary.OpI64Const, 0, binary.OpEnd))
	parts.Global(PlaceName, x.place, emit(binary.I32, 1, binary.OpI32Const, 0, binary.OpEnd))
	parts.Global(LimitName, x.place+1, emit(binary.I64, 0, binary.OpI64Const, x.limit(), binary.OpEnd))
	if x.Profile {
		parts.Global(AtName, x.at(), emit(binary.I32, 1, binary.OpI32Const, 0, binary.OpEnd))
	}
}

type tally struct {
	*metering
	f       *woven
	pending uint64          // cost since the last addition
	open    []binary.Opcode // open blocks, first the function's own
	tick    uint32          // function that calls the host

	// With Profile:
	lines lineTable // lines of the image
	base  uint32    // offset of the function's instructions in the image's code section
	line  string    // line of pending
	last  uint32    // offset of pending's last instruction
}

// before counts an instruction with its cost, and returns the code to insert before it.
func (t *tally) before(i *binary.Instruction, cost uint64) (code []byte) {
	if t.Profile {
		line, at := t.lines.source(uint64(t.base)+uint64(i.Start)), t.base+uint32(i.Start)
		if t.checked && line == "" && t.line != "" { // a check without a line, as written by clang 19
			line, at = t.line, t.last
		}
		if line != t.line {
			code = t.add()
		}
		t.line, t.last = line, at
	}
	return append(code, t.count(i, cost)...)
}

func (t *tally) count(i *binary.Instruction, cost uint64) (code []byte) {
	t.pending += cost
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
		} else if t.open[outmost] != binary.OpLoop { // no branch targets the end of a loop
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

// add adds pending to the accumulator. With Profile, it adds pending to the counter and calls the host instead.
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

// Spent is the counter's value when the limit causes a call of the host.
const Spent = math.MaxUint64

func (t *tally) check() []byte {
	code := t.exceeds(emit(binary.OpGlobalGet, t.counter, binary.OpLocalGet, t.accumulator(), binary.OpI64Add))
	return append(t.end(append(code, binary.OpIf, binary.BlockEmpty), t.tick), binary.OpEnd)
}

func (x *metering) exceeds(code []byte) []byte {
	return emit(code, binary.OpI64Const, x.limit(), binary.OpI64GtU)
}

func (x *metering) end(code []byte, tick uint32) []byte {
	return emit(code, binary.OpI64Const, int64(-1), binary.OpGlobalSet, x.counter, binary.OpCall, tick)
}
