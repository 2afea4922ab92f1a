package wasm

import "starloom/firmware/wasm/binary"

const bulk, simd = binary.Bulk, binary.SIMD

type module struct {
	*binary.Module
	choice int // index of ChoiceFunction, -1 without it
}

// operands is the operand stack of a function. The zero value of V means unknown.
type operands[V any] struct {
	stack  []V
	failed bool // the code pops from an empty stack
}

func (o *operands[V]) pop() (v V) {
	if len(o.stack) == 0 {
		o.failed = true
		return v
	}
	v = o.stack[len(o.stack)-1]
	o.stack = o.stack[:len(o.stack)-1]
	return v
}

func (o *operands[V]) push(values ...V) { o.stack = append(o.stack, values...) }

func (o *operands[V]) replace(pops, pushes int) {
	for range pops {
		o.pop()
	}
	var unknown V
	for range pushes {
		o.push(unknown)
	}
}

func (o *operands[V]) cut(height, unknown int) {
	if height > len(o.stack) {
		o.failed = true
		return
	}
	o.stack = o.stack[:height]
	o.replace(0, unknown)
}

func (m *module) block(i *binary.Instruction) (params, results int) {
	t := m.blockTypes(i)
	return len(t.Params), len(t.Results)
}

func (m *module) blockTypes(i *binary.Instruction) binary.FuncType {
	switch {
	case i.Value >= 0:
		return m.Types[i.Value]
	case i.Value == binary.BlockEmpty-0x80:
		return binary.FuncType{}
	}
	return binary.FuncType{Results: string([]byte{byte(i.Value + 0x80)})}
}

// effect returns the stack effect of instructions without special treatment.
func effect(op binary.Opcode) (pops, pushes int) {
	switch {
	case op == 0x01: // nop
		return 0, 0
	case op == binary.OpDrop:
		return 1, 0
	case op >= 0x28 && op <= 0x35, op == binary.OpMemoryGrow, op == binary.OpTableGet, op == 0xD1: // loads
		return 1, 1
	case op >= 0x36 && op <= 0x3E: // stores
		return 2, 0
	case op == 0x3F, op >= binary.OpI32Const && op <= binary.OpF64Const, op == binary.OpRefNull, op == binary.OpRefFunc:
		return 0, 1
	case op == 0x45, op == 0x50, op >= 0x67 && op <= 0x69, op >= 0x79 && op <= 0x7B,
		op >= 0x8B && op <= 0x91, op >= 0x99 && op <= 0x9F, op >= 0xA7 && op <= 0xC4: // one operand
		return 1, 1
	case op>>16 == 0xFC && op < binary.OpMemoryInit:
		return 1, 1
	case op == binary.OpMemoryInit, op == binary.OpMemoryCopy, op == binary.OpMemoryFill:
		return 3, 0
	case op>>16 == 0xFC: // table.size; other instructions are refused
		return 0, 1
	case op>>16 == 0xFD:
		return effectVector(op & 0xFFFF)
	}
	return 2, 1
}

func effectVector(op binary.Opcode) (pops, pushes int) {
	switch {
	case op == 12: // const
		return 0, 1
	case op == 11, op >= 88 && op <= 91: // stores
		return 2, 0
	case op == 82: // bitselect
		return 3, 1
	// loads, splats, lanes
	case op <= 10, op >= 15 && op <= 22, op == 24, op == 25, op == 27, op == 29, op == 31, op == 33,
		op == 77, op == 83, op >= 92 && op <= 100, op >= 0x67 && op <= 0x6A, op == 0x74, op == 0x75, op == 0x7A,
		op >= 0x7C && op <= 0x81, op == 0x83, op == 0x84, op >= 0x87 && op <= 0x8A, op == 0x94,
		op == 0xA0, op == 0xA1, op == 0xA3, op == 0xA4, op >= 0xA7 && op <= 0xAA,
		op == 0xC0, op == 0xC1, op == 0xC3, op == 0xC4, op >= 0xC7 && op <= 0xCA,
		op == 0xE0, op == 0xE1, op == 0xE3, op == 0xEC, op == 0xED, op == 0xEF, op >= 0xF8: // one operand
		return 1, 1
	}
	return 2, 1
}
