package wasm

import (
	"math"
	"slices"

	"starloom/firmware/wasm/binary"
)

// A copy may let its host choose the outcomes of draws. Every draw of starloom.h calls the function ChoiceFunction,
// which returns its first argument. In the copy, it asks the host first:
//
//	drawn = argument 0, outcomes = argument 1, below = argument 2, asked = 1; tick; argument 0 = drawn
//
// In other copies, the call is
//
//	drop, drop
//
// Neither costs anything, so a handler has the same cost whether its draws are chosen or not.
const (
	// ChoiceFunction is the name of the function.
	ChoiceFunction = "starloom_choice"

	DrawnName    = binary.Reserved + "drawn"    // i64: the number drawn by the seed, then the host's
	OutcomesName = binary.Reserved + "outcomes" // i64: the number modulo this counts; 0 for all numbers of 32 bits
	BelowName    = binary.Reserved + "below"    // i64: if not BelowAny, counts only whether the number is below this one
	AskedName    = binary.Reserved + "asked"    // i32: 1 if the host is asked; the host sets it to 0

	choiceGlobals = 4

	// BelowAny is the value of BelowName for draws whose numbers all count.
	BelowAny = math.MaxUint64
)

// choiceOf returns the index of ChoiceFunction, -1 without it.
func choiceOf(m *binary.Module) int {
	k := slices.Index(m.FunctionNames(), ChoiceFunction)
	if k < len(m.Imported) || m.Types[m.Signature(k)] != (binary.FuncType{
		Params: string([]byte{binary.I64, binary.I64, binary.I64}), Results: string([]byte{binary.I64})}) {
		return -1
	}
	return k
}

// chooses reports whether an instruction calls ChoiceFunction.
func (m *module) chooses(i *binary.Instruction) bool {
	return i.Op == binary.OpCall && int(i.Index) == m.choice
}

// cost returns the cost of an instruction. A call of ChoiceFunction and the code of its last two arguments are free, if
// that code only copies constants and locals.
func (m *module) cost(costs *Costs, i *binary.Instruction, next binary.Reader) uint64 {
	arguments, op := 0, *i
	for m.choice >= 0 && next.Err == nil && arguments <= 2 {
		switch {
		case m.chooses(&op):
			return 0
		case op.Op == binary.OpLocalGet, op.Op == binary.OpI64Const:
			arguments++
		case op.Op != binary.OpI64ExtendI32U:
			return costs.of(i, len(m.Imported))
		case op.Start == i.Start:
			arguments++ // of this argument, or of the number drawn
		}
		if !next.More() {
			break
		}
		next.Instruction(&op)
	}
	return costs.of(i, len(m.Imported))
}

// choices returns how a copy asks for draws, nil for an image without ChoiceFunction.
func (m *module) choices(first uint32) *choosing {
	if m.choice < 0 {
		return nil
	}
	return &choosing{m.choice - len(m.Imported), first}
}

// ask returns the code at the start of a function.
func (c *choosing) ask(k int, tick uint32) []byte {
	if c == nil || k != c.function {
		return nil
	}
	return emit(
		binary.OpLocalGet, uint32(0), binary.OpGlobalSet, c.first,
		binary.OpLocalGet, uint32(1), binary.OpGlobalSet, c.first+1,
		binary.OpLocalGet, uint32(2), binary.OpGlobalSet, c.first+2,
		binary.OpI32Const, 1, binary.OpGlobalSet, c.first+3,
		binary.OpCall, tick,
		binary.OpGlobalGet, c.first, binary.OpLocalSet, uint32(0))
}

func (c *choosing) add(parts binary.Parts) {
	if c == nil {
		return
	}
	for k, name := range []string{DrawnName, OutcomesName, BelowName} {
		parts.Global(name, c.first+uint32(k), emit(binary.I64, 1, binary.OpI64Const, 0, binary.OpEnd))
	}
	parts.Global(AskedName, c.first+choiceGlobals-1, emit(binary.I32, 1, binary.OpI32Const, 0, binary.OpEnd))
}
