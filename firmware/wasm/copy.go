package wasm

import (
	"math"

	"starloom/firmware/wasm/binary"
)

// The names that the host and the copy of an image agree on. No image may use them.
const (
	TickModule = binary.Reserved + "host" // the module of TickName
	TickName   = "tick"                   // the function that is asked after TickTurns turns
	startName  = binary.Reserved + "start"
	TurnsName  = binary.Reserved + "turns" // i32: turns until the host is asked, which sets it again
	LapName    = binary.Reserved + "lap"   // i32: what TurnsName was when a cell's turn began, as far as the copy knows
)

// BankCurrent is where the descriptor of a bank has the place of the cell whose turn it is.
const BankCurrent = 8

// Copy is a rewritten image. It computes what the image computes.
type Copy struct {
	Binary  []byte
	Start   string   // export that runs the image's start function, "" for none
	Globals []Global // the mutable globals, in the order of the image
	Laps    bool     // the copy knows when a cell's turn begins: see bank_turns.go

	// Recursive names the functions within reach of the exports that may call themselves.
	// At what depth a runtime ends them differs between runtimes.
	Recursive []string

	Covered Covered // of a copy that notes its way: see cover.go

	functions []string          // names of those with code, for messages
	original  map[string][]byte // DWARF by name
	codeStart int               // offset of the code section in the image

	// SourceMap names the file with the source map of an image without DWARF, as the image does; "" for none.
	SourceMap string

	moved []moved
}

// Global is a mutable global of the image, which the copy exports.
type Global struct {
	Name   string // that the image gives it
	Export string
	// GivenBack says that every function leaves the global as it was when it was
	// called: it is a stack pointer, or constant. After a trap it must be set back,
	// all others keep their values.
	GivenBack bool
	Proved    bool // GivenBack is proved, not believed for the global's name

	// Of a global that is not Proved: a function that need not give it back, and the offset in
	// the image's code section of where it changes it.
	Breaks string
	at     uint64
}

// Covered says what a copy notes of its way, and what it may be asked.
type Covered struct {
	Branches    int // bits
	Comparisons int

	// Constants are those that the image's own code compares with or takes from what it compares,
	// in ascending order: inputs with them get further than others.
	Constants []uint64
}

// moved is the origin of code in the copy, as offsets from the start of the code section, as in DWARF.
type moved struct {
	to, from uint32
	inserted bool // all up to the next entry is about the instruction at from
}

// Loads from constant addresses, as those of static variables and of the bank's descriptor are,
// have one base in the copy:
//
//	image    i32.const C    load offset=O
//	copy     local.get 0    load offset=C+O    of a local that is 0
//
// The address is the same. wazero compares a base with the size of the memory once, and again for
// a larger offset only; each constant would be another base, with a comparison and a trap of its
// own. An entry point begins with some twenty such loads.

// addresses reports whether a constant is the address of the next load with a legal sum as its offset.
func addresses(i *binary.Instruction, next binary.Reader) bool {
	if i.Op != binary.OpI32Const || !next.More() {
		return false
	}
	var load binary.Instruction
	next.Instruction(&load)
	return load.Op >= binary.OpI32Load && load.Op <= binary.OpLoadLast &&
		load.Value >= 0 && load.Value <= math.MaxUint32-int64(uint32(i.Value))
}
