package wasm

import (
	"fmt"
	"slices"
)

// class says what a processor does with an instruction, as far as its time depends on it.
type class uint8

// The classes, in the order of Classes.
const (
	classNop class = iota
	classConst
	classLocal
	classGlobal
	classSelect
	classInteger
	classInteger64
	classBits
	classMultiply
	classMultiply64
	classDivide
	classDivide64
	classFloat
	classFloatDivide
	classVector
	classLoad
	classLoad64
	classStore
	classStore64
	classMemory
	classMemoryByte
	classBranch
	classBranchIf
	classBranchTable
	classCall
	classCallIndirect
	classCallHost
	classReturn
	classCount
	classFree // delimiters: else, end
)

// Classes are the names of the classes of instructions, as cost tables have them.
//
//	nop            nop, block, loop, unreachable
//	const          constants
//	local, global  get, set, tee
//	select         select, drop
//	integer        32-bit arithmetic but those below, logic, shifts, comparisons, conversions between integers
//	integer64      the same on 64 bits
//	bits           clz, ctz, popcnt
//	multiply, divide (and remainder), multiply64, divide64
//	float          floating point but division and square root, which are float_divide
//	vector         SIMD, its loads and stores too
//	load, store    of 32 bits and less; load64, store64 of i64 and f64
//	memory         memory.size, grow, and of copy, fill and init what does not depend on the length
//	memory_byte    of copy, fill and init for each byte
//	branch         br; branch_if: br_if and if, whichever way they go; branch_table
//	call, call_indirect, call_host (of an import), return
//
// else and end are not instructions and cost nothing.
var Classes = []string{
	"nop", "const", "local", "global", "select", "integer", "integer64", "bits", "multiply", "multiply64", "divide", "divide64",
	"float", "float_divide", "vector", "load", "load64", "store", "store64", "memory", "memory_byte",
	"branch", "branch_if", "branch_table", "call", "call_indirect", "call_host", "return",
}

// Costs is what an instruction of each class costs.
type Costs [classCount]uint32

// CostMax is the largest cost of an instruction.
const CostMax = 1_000_000

// Models are the cost tables that have names.
var Models = []string{"unit", "rv32-inorder", "microcoded"}

// Model returns a cost table by its name.
//
//	unit          1 for each instruction
//	rv32-inorder  the image compiled ahead of time for a small core of two stages with a
//	              multiplier of several cycles and no floating-point unit. Locals are registers.
//	              Cycles of an instruction as in the reference guide of lowRISC's Ibex, "Pipeline
//	              Details": load and store 2, mul 3, div 37, branch taken 3, jump 2. What RV32IMC has
//	              no instruction for (64 bits, clz, floats, SIMD) is the length of its sequence or,
//	              rounded, of its library routine.
//	microcoded    a sequencer that runs WebAssembly itself: fetch, decode, operands from the
//	              stack, result to the stack, a cycle each; memory takes one more; bit-serial
//	              multiplication and division take a cycle for each bit; no floats in hardware
func Model(name string) (Costs, bool) {
	switch name {
	case "unit":
		c := Costs{}
		for k := range c {
			c[k] = 1
		}
		c[classMemoryByte] = 0
		return c, true
	case "rv32-inorder":
		return Costs{
			classConst: 1, classGlobal: 2, classSelect: 2, classInteger: 1, classInteger64: 3, classBits: 12,
			classMultiply: 3, classMultiply64: 14, classDivide: 37, classDivide64: 250,
			classFloat: 60, classFloatDivide: 200, classVector: 16,
			classLoad: 2, classLoad64: 4, classStore: 2, classStore64: 4, classMemory: 10, classMemoryByte: 1,
			classBranch: 2, classBranchIf: 3, classBranchTable: 6, classCall: 3, classCallIndirect: 7, classCallHost: 3, classReturn: 2,
		}, true
	case "microcoded":
		return Costs{
			classNop: 2, classConst: 3, classLocal: 4, classGlobal: 4, classSelect: 4, classInteger: 4, classInteger64: 6, classBits: 36,
			classMultiply: 36, classMultiply64: 132, classDivide: 36, classDivide64: 132,
			classFloat: 100, classFloatDivide: 300, classVector: 24,
			classLoad: 5, classLoad64: 6, classStore: 5, classStore64: 6, classMemory: 6, classMemoryByte: 2,
			classBranch: 4, classBranchIf: 5, classBranchTable: 7, classCall: 10, classCallIndirect: 14, classCallHost: 10, classReturn: 8,
		}, true
	}
	return Costs{}, false
}

// CostMin is the smallest cost of a class. Branches and calls cost at least 1: so whatever runs for
// ever comes to any limit.
func CostMin(name string) uint32 {
	if k := class(slices.Index(Classes, name)); k >= classBranch && k <= classCallIndirect {
		return 1
	}
	return 0
}

// Set changes the cost of a class, from CostMin to CostMax.
func (c *Costs) Set(name string, cost uint32) error {
	k := slices.Index(Classes, name)
	if k < 0 {
		return fmt.Errorf("there is no class of instructions %q", name)
	}
	if least := CostMin(name); cost < least || cost > CostMax {
		return fmt.Errorf("the cost %d of %s; allowed are %d to %d", cost, name, least, CostMax)
	}
	c[k] = cost
	return nil
}

// of returns what an instruction costs each time that it runs, but for the bytes of copy,
// fill and init.
func (c *Costs) of(i *instruction, imported int) uint64 {
	k := classOf(i, imported)
	if k == classFree {
		return 0
	}
	return uint64(c[k])
}

func classOf(i *instruction, imported int) class {
	switch op := i.op; {
	case op == opElse, op == opEnd:
		return classFree
	case op <= opLoop:
		return classNop
	case op == opIf, op == opBrIf:
		return classBranchIf
	case op == opBr:
		return classBranch
	case op == opBrTable:
		return classBranchTable
	case op == opReturn:
		return classReturn
	case op == opCall && int(i.index) < imported:
		return classCallHost
	case op == opCall:
		return classCall
	case op == opCallIndirect:
		return classCallIndirect
	case op >= opDrop && op <= opSelectTyped:
		return classSelect
	case op >= opLocalGet && op <= opLocalTee:
		return classLocal
	case op >= opGlobalGet && op <= opTableSet, op >= opRefNull && op <= opRefFunc:
		return classGlobal
	case op == 0x29, op == 0x2B, op >= 0x30 && op <= 0x35:
		return classLoad64
	case op >= 0x28 && op <= 0x2F:
		return classLoad
	case op == 0x37, op == 0x39, op >= 0x3C && op <= 0x3E:
		return classStore64
	case op >= 0x36 && op <= 0x3B:
		return classStore
	case op == 0x3F, op == opMemoryGrow, op >= opMemoryInit && op <= bulk|0xFFFF:
		return classMemory
	case op >= opI32Const && op <= opF64Const:
		return classConst
	case op >= simd:
		return classVector
	case op >= 0x67 && op <= 0x69, op >= 0x79 && op <= 0x7B:
		return classBits
	case op == 0x6C:
		return classMultiply
	case op >= 0x6D && op <= 0x70:
		return classDivide
	case op == 0x7E:
		return classMultiply64
	case op >= 0x7F && op <= 0x82:
		return classDivide64
	case op == 0x91, op == 0x95, op == 0x9F, op == 0xA3:
		return classFloatDivide
	case op >= 0x5B && op <= 0x66, op >= 0x8B && op <= 0xA6, op >= 0xA8 && op <= 0xAB, op >= 0xAE && op <= 0xBF, op >= bulk:
		return classFloat
	case op >= 0x50 && op <= 0x5A, op >= 0x7C && op <= 0x8A, op == 0xAC, op == 0xAD, op >= 0xC2 && op <= 0xC4:
		return classInteger64
	}
	return classInteger // i32 comparisons, arithmetic, logic, shifts, wrap, sign extension
}
