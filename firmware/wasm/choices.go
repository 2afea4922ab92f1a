package wasm

import (
	"slices"

	"starloom/firmware/wasm/binary"
)

// A copy may let its host choose the outcomes of draws. Every draw of starloom.h calls the function ChoiceFunction,
// which returns its first argument. In the copy, it asks the host first:
//
//	drawn = argument 0, outcomes = argument 1, asked = 1; tick; argument 0 = drawn
const (
	// ChoiceFunction is the name of the function.
	ChoiceFunction = "starloom_choice"

	DrawnName    = binary.Reserved + "drawn"    // i32: the outcome by the seed, then the host's
	OutcomesName = binary.Reserved + "outcomes" // i32: number of outcomes, 0 for all numbers of 32 bits
	AskedName    = binary.Reserved + "asked"    // i32: 1 if the host is asked; the host sets it to 0
)

// choices returns how a copy asks for draws, nil for an image without ChoiceFunction.
func (m *module) choices(first uint32) *choosing {
	k := slices.Index(m.FunctionNames(), ChoiceFunction) - len(m.Imported)
	if k < 0 || len(m.Types[m.Signature(len(m.Imported)+k)].Params) != 2 {
		return nil
	}
	return &choosing{k, first}
}

// ask returns the code at the start of a function.
func (c *choosing) ask(k int, tick uint32) []byte {
	if c == nil || k != c.function {
		return nil
	}
	return emit(
		binary.OpLocalGet, uint32(0), binary.OpGlobalSet, c.first,
		binary.OpLocalGet, uint32(1), binary.OpGlobalSet, c.first+1,
		binary.OpI32Const, 1, binary.OpGlobalSet, c.first+2,
		binary.OpCall, tick,
		binary.OpGlobalGet, c.first, binary.OpLocalSet, uint32(0))
}

func (c *choosing) add(parts binary.Parts) {
	if c == nil {
		return
	}
	for k, name := range []string{DrawnName, OutcomesName, AskedName} {
		parts.Global(name, c.first+uint32(k), emit(binary.I32, 1, binary.OpI32Const, 0, binary.OpEnd))
	}
}
