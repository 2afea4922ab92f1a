package wasm

import "math"

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
func addresses(i *instruction, next reader) bool {
	if i.op != opI32Const || !next.more() {
		return false
	}
	var load instruction
	next.instruction(&load)
	return load.op >= opI32Load && load.op <= opLoadLast &&
		load.value >= 0 && load.value <= math.MaxUint32-int64(uint32(i.value))
}

// appendLoad appends a load whose offset is larger by a constant.
func appendLoad(to []byte, load *instruction, constant uint32) []byte {
	return appendU32(appendU32(append(to, byte(load.op)), load.index, 1), uint32(load.value)+constant, 1)
}
