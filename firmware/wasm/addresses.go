package wasm

import (
	"math"

	"starloom/firmware/wasm/binary"
)

// Loads from constant addresses, as those of static variables and of the bank's descriptor are,
// have one base in the copy:
//
//	image    i32.const C    load offset=O
//	copy     local.get 0    load offset=C+O    of a local that is 0
//
// The address is the same. wazero compares a base with the size of the memory once, and again for
// a larger offset only; each constant would be another base, with a comparison and a trap of its
// own. An entry point begins with some twenty such loads.

// addresses reports whether a constant is the address of a load that comes next, and their sum
// can be its offset.
func addresses(i *binary.Instruction, next binary.Reader) bool {
	if i.Op != binary.OpI32Const || !next.More() {
		return false
	}
	var load binary.Instruction
	next.Instruction(&load)
	return load.Op >= binary.OpI32Load && load.Op <= binary.OpLoadLast &&
		load.Value >= 0 && load.Value <= math.MaxUint32-int64(uint32(i.Value))
}
