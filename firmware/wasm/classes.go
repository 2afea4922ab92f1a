package wasm

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"starloom/firmware/wasm/binary"
)

type class uint8

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

// Class is a class of instructions, with its cost in each of Presets.
type Class struct {
	Name  string
	Means string // description of the instructions
	costs [3]uint32
}

// Preset is a named cost table, with the source of its costs.
type Preset struct{ Name, Source string }

// Presets are the named cost tables, in the order of the columns of classes.
var Presets = [...]Preset{
	{"unit", "1 for each instruction, so that a cost is a number of instructions; the bytes of copies and fills are free"},
	{"rv32-inorder", "the image compiled ahead of time for a small RISC-V core (RV32IMC) of two stages, with a " +
		"multiplier of several cycles " +
		"and no floating-point unit; locals are registers, and cost nothing. Cycles per instruction are taken from the " +
		"reference guide of lowRISC's Ibex, " +
		"\"Pipeline Details\": load and store 2, mul 3, div 37, branch taken 3, jump 2. Operations without an RV32IMC " +
		"instruction " +
		"(64 bits, clz, floats, SIMD) cost the length of their sequence or, rounded, of their library routine"},
	{"microcoded", "a sequencer that runs WebAssembly directly. It is not a real part: a cycle each for fetch, decode, " +
		"every operand from the stack and the result to the stack; " +
		"a memory access takes one more; bit-serial multiplication and division take a cycle per bit; floats are routines"},
}

var classes = [classCount]Class{
	classNop:        {"nop", "`nop`, `unreachable`, and the starts of blocks: `block`, `loop`", [3]uint32{1, 0, 2}},
	classConst:      {"const", "constants, of any type but SIMD", [3]uint32{1, 1, 3}},
	classLocal:      {"local", "`local.get`, `local.set`, `local.tee`", [3]uint32{1, 0, 4}},
	classGlobal:     {"global", "`global.get`, `global.set`, references", [3]uint32{1, 2, 4}},
	classSelect:     {"select", "`select`, `drop`", [3]uint32{1, 2, 4}},
	classInteger:    {"integer", "32-bit addition, subtraction, logic, shifts, rotations, comparisons, sign extensions; `i32.wrap_i64`", [3]uint32{1, 1, 4}},
	classInteger64:  {"integer64", "the same with 64 bits; extensions to 64 bits", [3]uint32{1, 3, 6}},
	classBits:       {"bits", "bit counts of 32 or 64 bits: `clz`, `ctz`, `popcnt`", [3]uint32{1, 12, 36}},
	classMultiply:   {"multiply", "`i32.mul`", [3]uint32{1, 3, 36}},
	classMultiply64: {"multiply64", "`i64.mul`", [3]uint32{1, 14, 132}},
	classDivide:     {"divide", "`i32.div` and `i32.rem`, signed and unsigned", [3]uint32{1, 37, 36}},
	classDivide64:   {"divide64", "`i64.div` and `i64.rem`, signed and unsigned", [3]uint32{1, 250, 132}},
	classFloat: {"float", "floating point, including comparisons and conversions, but not division and square root",
		[3]uint32{1, 60, 100}},
	classFloatDivide: {"float_divide", "division and square root of floats", [3]uint32{1, 200, 300}},
	classVector:      {"vector", "SIMD, including its loads, stores and constants", [3]uint32{1, 16, 24}},
	classLoad:        {"load", "loads of `i32` (of 8, 16 or 32 bits) and `f32`", [3]uint32{1, 2, 5}},
	classLoad64:      {"load64", "loads of `i64` (of 8 to 64 bits) and `f64`", [3]uint32{1, 4, 6}},
	classStore:       {"store", "stores of `i32` (of 8, 16 or 32 bits) and `f32`", [3]uint32{1, 2, 5}},
	classStore64:     {"store64", "stores of `i64` (of 8 to 64 bits) and `f64`", [3]uint32{1, 4, 6}},
	classMemory:      {"memory", "`memory.size` and `memory.grow`; the part of `memory.copy`, `memory.fill` and `memory.init` that does not depend on the length", [3]uint32{1, 10, 6}},
	classMemoryByte: {"memory_byte", "for each byte that `memory.copy`, `memory.fill` or `memory.init` writes",
		[3]uint32{0, 1, 2}},
	classBranch:       {"branch", "`br`", [3]uint32{1, 2, 4}},
	classBranchIf:     {"branch_if", "`br_if` and `if`, taken or not", [3]uint32{1, 3, 5}},
	classBranchTable:  {"branch_table", "`br_table`, for example of a `switch`", [3]uint32{1, 6, 7}},
	classCall:         {"call", "`call` of a function of the image", [3]uint32{1, 3, 10}},
	classCallIndirect: {"call_indirect", "`call_indirect`, by a function pointer", [3]uint32{1, 7, 14}},
	classCallHost: {"call_host", "`call` of an import, such as `log` or `probe`; the host's work is free",
		[3]uint32{1, 3, 10}},
	classReturn: {"return", "`return`; the end of a function is free", [3]uint32{1, 2, 8}},
}

// Classes returns the instruction classes in the order of cost tables. else and end are free.
func Classes() []Class { return classes[:] }

// ClassNames returns the names of Classes.
func ClassNames() (names []string) {
	for _, c := range classes {
		names = append(names, c.Name)
	}
	return names
}

// Costs is the cost per instruction of each class.
//
// The zero table is for an image that states its own costs, such as a translated program (package rv32): an f32.const
// costs its bits, and all other instructions are free. Other tables have costs of 1 or more for branches and calls.
type Costs [classCount]uint32

func (c *Costs) stated() bool { return *c == Costs{} }

// CostMax is the maximum cost of an instruction.
const CostMax = 1_000_000

// Models returns the names of Presets.
func Models() (names []string) {
	for _, p := range Presets {
		names = append(names, p.Name)
	}
	return names
}

// Model returns a cost table by name.
func Model(name string) (costs Costs, ok bool) {
	column := slices.IndexFunc(Presets[:], func(p Preset) bool { return p.Name == name })
	if column < 0 {
		return Costs{}, false
	}
	for k, c := range classes {
		costs[k] = c.costs[column]
	}
	return costs, true
}

// ModelCustom is the name of a user's table: the costs of unit with changes for some classes.
const ModelCustom = "custom"

// Table returns the cost table of a model or of ModelCustom, with changed costs for some classes.
func Table(model string, changed map[string]int64) (Costs, error) {
	name := model
	if model == ModelCustom {
		if name = Presets[0].Name; len(changed) == 0 {
			return Costs{}, errors.New("the model custom without costs")
		}
	}
	costs, ok := Model(name)
	if !ok {
		return Costs{}, fmt.Errorf("unknown cost model %q; use %s or %s", model,
			strings.Join(Models(), ", "), ModelCustom)
	}
	for _, class := range slices.Sorted(maps.Keys(changed)) { // sorted, so that errors are deterministic
		if err := costs.Set(class, changed[class]); err != nil {
			return Costs{}, err
		}
	}
	return costs, nil
}

// ByName returns the costs by class name.
func (c *Costs) ByName() map[string]uint32 {
	table := map[string]uint32{}
	for k, cost := range c {
		table[classes[k].Name] = cost
	}
	return table
}

// CostMin is 1 for branches and calls, so that an endless call reaches any limit, and 0 for other classes.
func CostMin(name string) uint32 {
	if k := class(slices.IndexFunc(classes[:], func(c Class) bool { return c.Name == name })); k >= classBranch &&
		k <= classCallIndirect {
		return 1
	}
	return 0
}

// Set sets the cost of a class, from CostMin to CostMax.
func (c *Costs) Set(name string, cost int64) error {
	k := slices.IndexFunc(classes[:], func(c Class) bool { return c.Name == name })
	if k < 0 {
		return fmt.Errorf("there is no class of instructions %q", name)
	}
	if least := CostMin(name); cost < int64(least) || cost > CostMax {
		return fmt.Errorf("the cost %d of %s; allowed: %d to %d", cost, name, least, CostMax)
	}
	c[k] = uint32(cost)
	return nil
}

// of returns the cost of an instruction, without the bytes of copy, fill and init.
func (c *Costs) of(i *binary.Instruction, imported int) uint64 {
	k := classOf(i, imported)
	switch {
	case k == classFree:
		return 0
	case i.Op == binary.OpF32Const && c.stated():
		return uint64(i.Value)
	}
	return uint64(c[k])
}

func classOf(i *binary.Instruction, imported int) class {
	if i.Op == binary.OpCall && int(i.Index) < imported {
		return classCallHost
	}
	for k := range classRanges {
		if r := &classRanges[k]; i.Op <= r.last {
			return r.class
		}
	}
	return classVector
}

// classRanges maps opcodes to classes; each range ends with last. SIMD follows.
var classRanges = [...]struct {
	last  binary.Opcode
	class class
}{
	{binary.OpLoop, classNop},
	{binary.OpIf, classBranchIf},
	{binary.OpElse, classFree},
	{binary.OpEnd - 1, classInteger},
	{binary.OpEnd, classFree},
	{binary.OpBr, classBranch},
	{binary.OpBrIf, classBranchIf},
	{binary.OpBrTable, classBranchTable},
	{binary.OpReturn, classReturn},
	{binary.OpCall, classCall},
	{binary.OpCallIndirect, classCallIndirect},
	{binary.OpDrop - 1, classInteger},
	{binary.OpSelectTyped, classSelect},
	{binary.OpLocalGet - 1, classInteger},
	{binary.OpLocalTee, classLocal},
	{binary.OpTableSet, classGlobal},
	{0x27, classInteger},
	{binary.OpI32Load, classLoad},
	{0x29, classLoad64}, // i64.load
	{0x2A, classLoad},   // f32.load
	{0x2B, classLoad64}, // f64.load
	{0x2F, classLoad},   // i32.load8_s to i32.load16_u
	{binary.OpLoadLast, classLoad64},
	{binary.OpI32Store, classStore},
	{0x37, classStore64}, // i64.store
	{0x38, classStore},   // f32.store
	{0x39, classStore64}, // f64.store
	{0x3B, classStore},   // i32.store8, i32.store16
	{binary.OpStoreLast, classStore64},
	{binary.OpMemoryGrow, classMemory},
	{binary.OpF64Const, classConst},
	{binary.OpI32GeU, classInteger},
	{binary.OpI64GeU, classInteger64},
	{0x66, classFloat}, // comparisons
	{0x69, classBits},  // i32.clz to i32.popcnt
	{binary.OpI32Sub, classInteger},
	{0x6C, classMultiply},
	{0x70, classDivide},  // i32.div_s to i32.rem_u
	{0x78, classInteger}, // up to i32.rotr
	{0x7B, classBits},    // i64.clz to i64.popcnt
	{binary.OpI64Sub, classInteger64},
	{binary.OpI64Mul, classMultiply64},
	{0x82, classDivide64},  // i64.div_s to i64.rem_u
	{0x8A, classInteger64}, // up to i64.rotr
	{0x90, classFloat},
	{0x91, classFloatDivide}, // f32.sqrt
	{0x94, classFloat},
	{0x95, classFloatDivide}, // f32.div
	{0x9E, classFloat},
	{0x9F, classFloatDivide}, // f64.sqrt
	{0xA2, classFloat},
	{0xA3, classFloatDivide}, // f64.div
	{0xA6, classFloat},
	{binary.OpI32WrapI64, classInteger},
	{0xAB, classFloat}, // i32.trunc_...
	{binary.OpI64ExtendI32U, classInteger64},
	{0xBF, classFloat},     // conversions
	{0xC1, classInteger},   // i32.extend8_s, i32.extend16_s
	{0xC4, classInteger64}, // i64.extend8_s to i64.extend32_s
	{binary.OpRefNull - 1, classInteger},
	{binary.OpRefFunc, classGlobal},
	{bulk - 1, classInteger},
	{binary.OpMemoryInit - 1, classFloat}, // saturating conversions
	{simd - 1, classMemory},
}
