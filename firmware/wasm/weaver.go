package wasm

import (
	"starloom/firmware/wasm/binary"
)

type weaver struct {
	m       *module
	tick    uint32 // imported function that calls the host
	counter uint32 // global with the number of turns left; lap is the next global
	current uint64 // address of BankCurrent, 0 if unknown
	laps    bool   // some code stores to current
	turns   []turns
	order   []uint32       // functions, callees first
	called  []bool         // functions that other functions may call
	chosen  []map[int]byte // by function: types of selects by offset
	meter   *metering      // nil without costs
	cover   *cover         // nil without coverage
	choices *choosing      // nil unless the host chooses draws
	lines   lineTable      // lines of the image, for a profile
}

// choosing is how a copy asks for draws: see choices.go.
type choosing struct {
	function int    // number of ChoiceFunction in the module's bodies
	first    uint32 // index of the first of choiceGlobals globals
}

type woven struct {
	copier
	moved   []moved
	scratch [scratches]uint32 // index plus one, by use
	locals  []byte            // types of added locals
	first   uint32            // index of the first added local
}

const (
	scratchTurns = iota
	scratchF32
	scratchF64
	scratchV128
	scratchBytes
	scratchCost
	scratchZero // always zero
	scratchCondition
	scratchA32
	scratchB32
	scratchA64
	scratchB64
	scratches
)

func (f *woven) local(use int, valueType byte) uint32 {
	if f.scratch[use] == 0 {
		f.locals = append(f.locals, valueType)
		f.scratch[use] = f.first + uint32(len(f.locals))
	}
	return f.scratch[use] - 1
}

func (f *woven) addLocals(declared []byte) []byte {
	for _, valueType := range f.locals {
		declared = binary.AppendElements(declared, 1, []byte{1, valueType})
	}
	return declared
}

func emit(parts ...any) (code []byte) {
	for _, part := range parts {
		switch p := part.(type) {
		case int:
			code = append(code, byte(p))
		case binary.Opcode:
			code = append(code, byte(p))
		case uint32:
			code = binary.AppendU32(code, p, 1)
		case int64:
			code = binary.AppendSigned(code, p)
		case []byte:
			code = append(code, p...)
		}
	}
	return code
}

// copier copies parts of a module. It shifts function numbers by one because of tick, the last imported function.
type copier struct {
	imported uint32
	to       []byte
}

func (c *copier) function(index uint32) uint32 {
	if index >= c.imported {
		return index + 1
	}
	return index
}

func (c *copier) instruction(code []byte, i *binary.Instruction) {
	if i.Op == binary.OpCall || i.Op == binary.OpRefFunc {
		c.to = append(c.to, code[i.Start:i.At]...)
		c.to = binary.AppendU32(c.to, c.function(i.Index), i.End-i.At)
		return
	}
	c.to = append(c.to, code[i.Start:i.End]...)
}
