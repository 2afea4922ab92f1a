package wasm

import (
	"math"

	"starloom/firmware/wasm/binary"
)

// names shared by the host and the copy of an image; images must not use them
const (
	TickModule = binary.Reserved + "host" // the module of TickName
	TickName   = "tick"                   // function called after TickTurns turns
	startName  = binary.Reserved + "start"
	TurnsName  = binary.Reserved + "turns" // i32: number of turns until tick, which resets the number
	LapName    = binary.Reserved + "lap"   // i32: TurnsName at the start of a lap, if the copy can detect laps
)

// BankCurrent is the offset, in a bank descriptor, of the current cell's place.
const BankCurrent = 8

// Copy is a rewritten image that yields the same results.
type Copy struct {
	Binary  []byte
	Start   string   // export of the image's start function, "" for none
	Globals []Global // mutable globals, in the order of the image
	Laps    bool     // the copy detects laps: see bank_turns.go

	// Recursive names the reachable functions that may be recursive. The maximum depth depends on the runtime.
	Recursive []string

	Covered Covered // coverage, with Additions.Covers: see cover.go

	functions []string          // names of defined functions, for messages
	original  map[string][]byte // DWARF sections by name
	codeStart int               // offset of the code section in the image

	// SourceMap is the name of the source map for an image without DWARF, "" for none.
	SourceMap string

	moved []moved
}

// Global is a mutable global of the image, exported by the copy.
type Global struct {
	Name   string // name in the image
	Export string
	// GivenBack means that every function restores the global's value on return: the global is a stack pointer, or
	// constant. After a trap the host must restore the value; other globals keep their values.
	GivenBack bool
	Proved    bool // GivenBack is proved rather than inferred from the name

	// if not Proved: a function that may not restore the global, and the offset of the change in the image's code
	// section
	Breaks string
	at     uint64
}

// Covered describes the coverage that a copy records.
type Covered struct {
	Branches    int      // number of branch bits
	Offsets     []uint32 // by bit: offset of the instruction in the image's code section; see Places.FramesAt
	Comparisons int

	// Constants are the constants in or before comparisons, ascending. Inputs with these values reach more code.
	Constants []uint64
}

// moved is the origin of code in the copy. As in DWARF, offsets count from the start of the code section.
type moved struct {
	to, from uint32
	inserted bool // code up to the next entry was inserted for the instruction at from
}

// Loads from constant addresses (static variables, the bank's descriptor) share one base in the copy:
//
//	image    i32.const C    load offset=O
//	copy     local.get 0    load offset=C+O    with a local that is 0
//
// The address is unchanged. wazero checks each base against the memory size once, and again only for larger offsets;
// every constant would be a base with its own comparison and trap. An entry point begins with about twenty such
// loads.

// addresses reports whether constant i is the address of the next load, and the combined offset is in range.
func addresses(i *binary.Instruction, next binary.Reader) bool {
	if i.Op != binary.OpI32Const || !next.More() {
		return false
	}
	var load binary.Instruction
	next.Instruction(&load)
	return load.Op >= binary.OpI32Load && load.Op <= binary.OpLoadLast &&
		load.Value >= 0 && load.Value <= math.MaxUint32-int64(uint32(i.Value))
}
