package wasm

import (
	"cmp"
	"fmt"
	"slices"
)

// resultTypes are the types that instructions of one result leave, each up to an opcode. Instructions of any
// type (select, local.get, global.get and calls) are not among them.
var resultTypes = []struct {
	last   opcode
	result byte
}{
	{opTableGet, typeFunction}, {0x28, typeI32}, {0x29, typeI64}, {0x2A, typeF32}, {0x2B, typeF64}, {0x2F, typeI32}, {opLoadLast, typeI64},
	{opI32Const, typeI32}, {opI64Const, typeI64}, {opF32Const, typeF32}, {opF64Const, typeF64},
	{0x78, typeI32}, {0x8A, typeI64}, {0x98, typeF32}, {0xA6, typeF64}, // comparisons and arithmetic
	{0xAB, typeI32}, {0xB1, typeI64}, {0xB6, typeF32}, {0xBB, typeF64}, // conversions
	{0xBC, typeI32}, {0xBD, typeI64}, {0xBE, typeF32}, {0xBF, typeF64}, {0xC1, typeI32}, {0xC4, typeI64},
	{opRefNull, typeFunction}, {opRefIsNull, typeI32}, {opRefFunc, typeFunction},
	{bulk | 3, typeI32}, {bulk | 7, typeI64}, {opTableFill, typeI32},
	{simd | 20, typeV128}, {simd | 22, typeI32}, {simd | 23, typeV128}, {simd | 25, typeI32}, {simd | 26, typeV128}, // lanes
	{simd | 27, typeI32}, {simd | 28, typeV128}, {simd | 29, typeI64}, {simd | 30, typeV128}, {simd | 31, typeF32},
	{simd | 32, typeV128}, {simd | 33, typeF64}, {simd | 82, typeV128}, {simd | 83, typeI32},
	{simd | 0x62, typeV128}, {simd | 0x64, typeI32}, {simd | 0x82, typeV128}, {simd | 0x84, typeI32}, // all_true, bitmask
	{simd | 0xA2, typeV128}, {simd | 0xA4, typeI32}, {simd | 0xC2, typeV128}, {simd | 0xC4, typeI32}, {simd | 0xFF, typeV128},
}

// resultType is the type that an instruction of resultTypes leaves.
func resultType(op opcode) byte {
	k, _ := slices.BinarySearchFunc(resultTypes, op, func(run struct {
		last   opcode
		result byte
	}, op opcode) int {
		return cmp.Compare(run.last, op)
	})
	return resultTypes[k].result
}

// typing follows the types of the operands through a function.
type typing struct {
	operands[byte]
	m      *module
	locals []byte
	frames []typedFrame // open blocks, the function's own first
}

// typedFrame is an open block.
type typedFrame struct {
	op     opcode
	height int
	funcType
}

// selects finds the type of every select in a function that can be reached, by its place.
func (m *module) selects(f *function) (chosen map[int]byte, err error) {
	if !f.has(opSelect, opSelectTyped) {
		return nil, nil
	}
	if f.extra > localsMax {
		return nil, fmt.Errorf("it has %d locals, allowed are %d; split the function", f.extra, localsMax)
	}
	own := m.types[f.signature]
	t := &typing{m: m, locals: []byte(own.params), frames: []typedFrame{{op: opBlock, funcType: funcType{results: own.results}}}}
	r := &reader{data: f.locals}
	for n := r.count(); n > 0; n-- {
		same := r.u32()
		t.locals = append(t.locals, slices.Repeat([]byte{r.byte()}, int(same))...)
	}
	chosen = map[int]byte{}
	r = &reader{data: f.code, base: f.offset + len(f.locals)}
	var i instruction
	for len(t.frames) > 0 && r.more() && !t.failed {
		if r.instruction(&i); r.err != nil {
			break
		}
		if err := m.inRange(&i, uint64(len(t.locals))); err != nil {
			return nil, err
		}
		if i.op == opSelect || i.op == opSelectTyped {
			t.replace(1, 0)
			chosen[i.start] = t.pop()
			continue // the other value is of the same type
		}
		t.follow(&i, r)
	}
	if t.failed && r.err == nil {
		r.at = i.start
		r.broken("operands that are missing")
	}
	return chosen, r.err
}

// has reports whether a function has one of some instructions.
func (f *function) has(ops ...opcode) bool {
	r := &reader{data: f.code}
	var i instruction
	for r.more() {
		if r.instruction(&i); slices.Contains(ops, i.op) {
			return r.err == nil
		}
	}
	return false
}

// follow follows an instruction that is no select.
func (t *typing) follow(i *instruction, r *reader) {
	switch i.op {
	case opBlock, opLoop, opIf:
		if i.op == opIf {
			t.pop()
		}
		frame := typedFrame{op: i.op, funcType: t.m.blockTypes(i)}
		frame.height = len(t.stack) - len(frame.params)
		t.failed = t.failed || frame.height < 0
		t.frames = append(t.frames, frame)
	case opElse, opEnd:
		t.leave(i.op)
	case opBr, opBrTable, opReturn, opUnreachable:
		next := r.skipUnreachable()
		t.leave(next.op)
	case opLocalGet:
		t.push(t.locals[i.index])
	case opGlobalGet:
		t.push(t.m.globals[i.index].valueType)
	case opBrIf, opLocalSet, opGlobalSet:
		t.pop()
	case opLocalTee:
	case opCall:
		t.call(t.m.types[t.m.signature(int(i.index))])
	case opCallIndirect:
		t.pop()
		t.call(t.m.types[i.index])
	default:
		pops, pushes := effect(i.op)
		if t.replace(pops, 0); pushes > 0 {
			t.push(resultType(i.op))
		}
	}
}

// leave goes to the other half of an if, or ends a block.
func (t *typing) leave(op opcode) {
	frame := &t.frames[len(t.frames)-1]
	t.cut(frame.height, 0)
	if op == opElse && frame.op == opIf {
		frame.op = opElse
		t.push([]byte(frame.params)...)
		return
	}
	t.failed = t.failed || op != opEnd
	t.push([]byte(frame.results)...)
	t.frames = t.frames[:len(t.frames)-1]
}

func (t *typing) call(of funcType) {
	t.replace(len(of.params), 0)
	t.push([]byte(of.results)...)
}
