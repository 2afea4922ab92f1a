package wasm

import (
	"slices"
)

// weaver rewrites the functions of a module.
type weaver struct {
	m       *module
	tick    uint32 // the imported function that asks the host
	counter uint32 // the global that holds the turns left; lap is the next
	current uint64 // address of BankCurrent; 0: not known
	laps    bool   // some code stores there
	turns   []turns
	order   []uint32       // of the functions, callees first
	called  []bool         // functions that others may call
	chosen  []map[int]byte // types of the selects of every function, by their places
	meter   *metering      // nil if costs are not asked for
	cover   *cover         // nil if the way is not asked for
	lines   lineTable      // of the image, for a profile
}

// woven is one rewritten body.
type woven struct {
	copier
	moved   []moved
	scratch [scratches]uint32 // locals by use, plus one
	locals  []byte            // types of the locals that were added
	first   uint32            // local
}

// The uses of added locals.
const (
	scratchTurns = iota
	scratchF32
	scratchF64
	scratchV128
	scratchBytes
	scratchCost
	scratchZero // whose value is never changed
	scratchCondition
	scratchA32
	scratchB32
	scratchA64
	scratchB64
	scratches
)

// local returns a local of the copy's own.
func (f *woven) local(use int, valueType byte) uint32 {
	if f.scratch[use] == 0 {
		f.locals = append(f.locals, valueType)
		f.scratch[use] = f.first + uint32(len(f.locals))
	}
	return f.scratch[use] - 1
}

// addLocals adds the copy's own locals to the declarations of the image's, which they follow.
func (f *woven) addLocals(declared []byte) []byte {
	for _, valueType := range f.locals {
		declared = appendElement(declared, []byte{1, valueType})
	}
	return declared
}

// appendElement appends an element to a section that is a vector.
func appendElement(section, element []byte) []byte { return appendElements(section, 1, element) }

// appendElements appends so many elements.
func appendElements(section []byte, count int, elements []byte) []byte {
	r := &reader{data: section}
	before := uint32(0)
	if len(section) > 0 {
		before = r.u32()
	}
	return slices.Concat(appendU32(nil, before+uint32(count), r.at), section[r.at:], elements)
}
