package wasm

import (
	"cmp"
	"fmt"
	"slices"

	"starloom/firmware/wasm/binary"
)

// resultTypes are the types that instructions of one result leave, each up to an opcode. Instructions of any
// type (select, local.get, global.get and calls) are not among them.
var resultTypes = []struct {
	last   binary.Opcode
	result byte
}{
	{binary.OpTableGet, binary.FuncRef}, {0x28, binary.I32}, {0x29, binary.I64}, {0x2A, binary.F32},
	{0x2B, binary.F64}, {0x2F, binary.I32}, {binary.OpLoadLast, binary.I64},
	{binary.OpI32Const, binary.I32}, {binary.OpI64Const, binary.I64}, {binary.OpF32Const, binary.F32}, {binary.OpF64Const, binary.F64},
	{0x78, binary.I32}, {0x8A, binary.I64}, {0x98, binary.F32}, {0xA6, binary.F64}, // comparisons and arithmetic
	{0xAB, binary.I32}, {0xB1, binary.I64}, {0xB6, binary.F32}, {0xBB, binary.F64}, // conversions
	{0xBC, binary.I32}, {0xBD, binary.I64}, {0xBE, binary.F32}, {0xBF, binary.F64}, {0xC1, binary.I32}, {0xC4, binary.I64},
	{binary.OpRefNull, binary.FuncRef}, {binary.OpRefIsNull, binary.I32}, {binary.OpRefFunc, binary.FuncRef},
	{bulk | 3, binary.I32}, {bulk | 7, binary.I64}, {binary.OpTableFill, binary.I32},
	{simd | 20, binary.V128}, {simd | 22, binary.I32}, {simd | 23, binary.V128}, {simd | 25, binary.I32}, {simd | 26, binary.V128}, // lanes
	{simd | 27, binary.I32}, {simd | 28, binary.V128}, {simd | 29, binary.I64}, {simd | 30, binary.V128}, {simd | 31, binary.F32},
	{simd | 32, binary.V128}, {simd | 33, binary.F64}, {simd | 82, binary.V128}, {simd | 83, binary.I32},
	{simd | 0x62, binary.V128}, {simd | 0x64, binary.I32}, {simd | 0x82, binary.V128}, {simd | 0x84, binary.I32}, // all_true, bitmask
	{simd | 0xA2, binary.V128}, {simd | 0xA4, binary.I32}, {simd | 0xC2, binary.V128}, {simd | 0xC4, binary.I32}, {simd | 0xFF, binary.V128},
}

func resultType(op binary.Opcode) byte {
	k, _ := slices.BinarySearchFunc(resultTypes, op, func(run struct {
		last   binary.Opcode
		result byte
	}, op binary.Opcode) int {
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

type typedFrame struct {
	op     binary.Opcode
	height int
	binary.FuncType
}

// selects finds the type of every select in a function that can be reached, by its place.
func (m *module) selects(f *binary.Function) (chosen map[int]byte, err error) {
	if !f.Has(binary.OpSelect, binary.OpSelectTyped) {
		return nil, nil
	}
	if f.Extra > localsMax {
		return nil, fmt.Errorf("it has %d locals, allowed are %d; split the function", f.Extra, localsMax)
	}
	own := m.Types[f.Signature]
	t := &typing{m: m, locals: []byte(own.Params), frames: []typedFrame{{op: binary.OpBlock, FuncType: binary.FuncType{Results: own.Results}}}}
	r := &binary.Reader{Data: f.Locals}
	for n := r.Count(); n > 0; n-- {
		same := r.U32()
		t.locals = append(t.locals, slices.Repeat([]byte{r.Byte()}, int(same))...)
	}
	chosen = map[int]byte{}
	r = &binary.Reader{Data: f.Code, Base: f.Offset + len(f.Locals)}
	var i binary.Instruction
	for len(t.frames) > 0 && r.More() && !t.failed {
		if r.Instruction(&i); r.Err != nil {
			break
		}
		if err := m.InRange(&i, uint64(len(t.locals))); err != nil {
			return nil, err
		}
		if i.Op == binary.OpSelect || i.Op == binary.OpSelectTyped {
			t.replace(1, 0)
			chosen[i.Start] = t.pop()
			continue // the other value is of the same type
		}
		t.follow(&i, r)
	}
	if t.failed && r.Err == nil {
		r.At = i.Start
		r.Broken("operands that are missing")
	}
	return chosen, r.Err
}

func (t *typing) follow(i *binary.Instruction, r *binary.Reader) {
	switch i.Op {
	case binary.OpBlock, binary.OpLoop, binary.OpIf:
		if i.Op == binary.OpIf {
			t.pop()
		}
		frame := typedFrame{op: i.Op, FuncType: t.m.blockTypes(i)}
		frame.height = len(t.stack) - len(frame.Params)
		t.failed = t.failed || frame.height < 0
		t.frames = append(t.frames, frame)
	case binary.OpElse, binary.OpEnd:
		t.leave(i.Op)
	case binary.OpBr, binary.OpBrTable, binary.OpReturn, binary.OpUnreachable:
		next := r.SkipUnreachable()
		t.leave(next.Op)
	case binary.OpLocalGet:
		t.push(t.locals[i.Index])
	case binary.OpGlobalGet:
		t.push(t.m.Globals[i.Index].ValueType)
	case binary.OpBrIf, binary.OpLocalSet, binary.OpGlobalSet:
		t.pop()
	case binary.OpLocalTee:
	case binary.OpCall:
		t.call(t.m.Types[t.m.Signature(int(i.Index))])
	case binary.OpCallIndirect:
		t.pop()
		t.call(t.m.Types[i.Index])
	default:
		pops, pushes := effect(i.Op)
		if t.replace(pops, 0); pushes > 0 {
			t.push(resultType(i.Op))
		}
	}
}

// leave goes to the other half of an if, or ends a block.
func (t *typing) leave(op binary.Opcode) {
	frame := &t.frames[len(t.frames)-1]
	t.cut(frame.height, 0)
	if op == binary.OpElse && frame.op == binary.OpIf {
		frame.op = binary.OpElse
		t.push([]byte(frame.Params)...)
		return
	}
	t.failed = t.failed || op != binary.OpEnd
	t.push([]byte(frame.Results)...)
	t.frames = t.frames[:len(t.frames)-1]
}

func (t *typing) call(of binary.FuncType) {
	t.replace(len(of.Params), 0)
	t.push([]byte(of.Results)...)
}

// nanType is the type of what an instruction leaves whose NaN may have any bits by
// the specification, 0 for all others: abs, neg, copysign, pmin, pmax, loads and
// reinterpretations say every bit.
func nanType(op binary.Opcode) byte {
	switch {
	case op >= 0x8D && op <= 0x97, op == 0xB6: // f32.ceil to f32.max, f32.demote_f64
		return binary.F32
	case op >= 0x9B && op <= 0xA5, op == 0xBB: // f64.ceil to f64.max, f64.promote_f32
		return binary.F64
	}
	switch op {
	case simd | 0x67, simd | 0x68, simd | 0x69, simd | 0x6A, // f32x4.ceil to nearest
		simd | 0xE3, simd | 0xE4, simd | 0xE5, simd | 0xE6, simd | 0xE7, simd | 0xE8, simd | 0xE9, // sqrt to max
		simd | 0x5E: // f32x4.demote_f64x2_zero
		return nanF32x4
	case simd | 0x74, simd | 0x75, simd | 0x7A, simd | 0x94, // f64x2.ceil to nearest
		simd | 0xEF, simd | 0xF0, simd | 0xF1, simd | 0xF2, simd | 0xF3, simd | 0xF4, simd | 0xF5, // sqrt to max
		simd | 0x5F: // f64x2.promote_low_f32x4
		return nanF64x2
	}
	return 0
}

// The shapes of vectors that nanType tells apart; they are not types of the format.
const (
	nanF32x4 = 1
	nanF64x2 = 2
)
