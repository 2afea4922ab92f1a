package wasm

import (
	"cmp"
	"fmt"
	"slices"

	"starloom/firmware/wasm/binary"
)

// resultTypes are the types of instructions with one result; each range ends with last. Polymorphic instructions are
// not included.
var resultTypes = []struct {
	last   binary.Opcode
	result byte
}{
	{binary.OpTableGet, binary.FuncRef}, {0x28, binary.I32}, {0x29, binary.I64}, {0x2A, binary.F32},
	{0x2B, binary.F64}, {0x2F, binary.I32}, {binary.OpLoadLast, binary.I64},
	{binary.OpI32Const, binary.I32}, {binary.OpI64Const, binary.I64}, {binary.OpF32Const, binary.F32},
	{binary.OpF64Const, binary.F64},
	{0x78, binary.I32}, {0x8A, binary.I64}, {0x98, binary.F32}, {0xA6, binary.F64}, // comparisons and arithmetic
	{0xAB, binary.I32}, {0xB1, binary.I64}, {0xB6, binary.F32}, {0xBB, binary.F64}, // conversions
	{0xBC, binary.I32}, {0xBD, binary.I64}, {0xBE, binary.F32}, {0xBF, binary.F64}, {0xC1, binary.I32}, {0xC4, binary.I64},
	{binary.OpRefNull, binary.FuncRef}, {binary.OpRefIsNull, binary.I32}, {binary.OpRefFunc, binary.FuncRef},
	{bulk | 3, binary.I32}, {bulk | 7, binary.I64}, {binary.OpTableFill, binary.I32},
	// lanes
	{simd | 20, binary.V128}, {simd | 22, binary.I32}, {simd | 23, binary.V128}, {simd | 25, binary.I32},
	{simd | 26, binary.V128},
	{simd | 27, binary.I32}, {simd | 28, binary.V128}, {simd | 29, binary.I64},
	{simd | 30, binary.V128}, {simd | 31, binary.F32},
	{simd | 32, binary.V128}, {simd | 33, binary.F64}, {simd | 82, binary.V128}, {simd | 83, binary.I32},
	// all_true, bitmask
	{simd | 0x62, binary.V128}, {simd | 0x64, binary.I32}, {simd | 0x82, binary.V128}, {simd | 0x84, binary.I32},
	{simd | 0xA2, binary.V128}, {simd | 0xA4, binary.I32}, {simd | 0xC2, binary.V128}, {simd | 0xC4, binary.I32},
	{simd | 0xFF, binary.V128},
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

type typing struct {
	operands[byte]
	m      *module
	locals []byte
	frames []typedFrame // open blocks, first the function's own
}

type typedFrame struct {
	op     binary.Opcode
	height int
	binary.FuncType
}

func (m *module) selects(f *binary.Function) (chosen map[int]byte, err error) {
	if !f.Has(binary.OpSelect, binary.OpSelectTyped) {
		return nil, nil
	}
	if f.Extra > localsMax {
		return nil, fmt.Errorf("it has %d locals; at most %d are allowed; split the function", f.Extra, localsMax)
	}
	own := m.Types[f.Signature]
	t := &typing{m: m, locals: []byte(own.Params),
		frames: []typedFrame{{op: binary.OpBlock, FuncType: binary.FuncType{Results: own.Results}}}}
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
			continue // the other value has the same type
		}
		t.follow(&i, r)
	}
	if t.failed && r.Err == nil {
		r.At = i.Start
		r.Broken("missing operands")
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

// nanType returns the result type of an instruction with unspecified NaN bits, 0 for other instructions. abs, neg,
// copysign, pmin, pmax, loads and reinterpretations define every bit.
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

// vector shapes of nanType; they are not types of the format
const (
	nanF32x4 = 1
	nanF64x2 = 2
)

// Selects returns the module with every select of floats or vectors replaced by an integer select of the same bits.
// The compiler of wazero 1.12.0 loses the second value under register pressure (amd64). Other code is unchanged, and
// sizes are unlimited. Selects is for modules other than images; for images, Rewrite does the same.
func Selects(image []byte) ([]byte, error) {
	parsed, err := binary.Parse(image, true)
	if err != nil {
		return nil, err
	}
	m := &module{Module: parsed}
	chosen := make([]map[int]byte, len(m.Body))
	found := false
	for k := range m.Body {
		f := &m.Body[k]
		if chosen[k], err = m.selects(f); err != nil {
			return nil, fmt.Errorf("%s: %w", m.FunctionName(len(m.Imported)+k), err)
		}
		for _, valueType := range chosen[k] {
			found = found || choosesFloats(valueType)
		}
	}
	if !found {
		return image, nil
	}
	code := binary.AppendU32(nil, uint32(len(m.Body)), 1)
	for k := range m.Body {
		body := m.choose(&m.Body[k], chosen[k])
		code = append(binary.AppendU32(code, uint32(len(body)), m.Body[k].Width), body...)
	}
	at := slices.IndexFunc(m.Sections, func(s binary.Section) bool { return s.ID == binary.SectionCode })
	s := &m.Sections[at]
	out := binary.AppendSection(slices.Clone(image[:s.Offset-s.Width-1]), binary.SectionCode, s.Width, code)
	return append(out, image[s.Offset+len(s.Content):]...), nil
}

func (m *module) choose(f *binary.Function, chosen map[int]byte) []byte {
	out := &woven{copier: copier{imported: uint32(len(m.Imported) + len(m.Body))},
		first: uint32(len(m.Types[f.Signature].Params)) + uint32(f.Extra)}
	r := &binary.Reader{Data: f.Code}
	var i binary.Instruction
	for r.More() {
		r.Instruction(&i)
		if valueType := chosen[i.Start]; choosesFloats(valueType) {
			out.to = append(out.to, choice(out, valueType)...)
		} else {
			out.instruction(f.Code, &i)
		}
	}
	return slices.Concat(out.addLocals(f.Locals), out.to)
}

func choosesFloats(valueType byte) bool {
	return valueType == binary.F32 || valueType == binary.F64 || valueType == binary.V128
}

// asInteger describes the integer form of a float: type, scratch local, and the two reinterpreting instructions.
var asInteger = map[byte]struct {
	integer   byte
	use       int
	from, way binary.Opcode
}{
	binary.F32: {binary.I32, scratchB32, binary.OpI32ReinterpretF32, binary.OpF32ReinterpretI32},
	binary.F64: {binary.I64, scratchB64, binary.OpI64ReinterpretF64, binary.OpF64ReinterpretI64},
}

func choice(f *woven, valueType byte) []byte {
	if valueType == binary.V128 { // mask: (condition == 0) - 1 in all lanes
		return []byte{
			binary.OpI32Eqz, binary.OpI32Const, 1, binary.OpI32Sub,
			simd >> 16, binary.OpI32x4Splat & 0xFF, simd >> 16, binary.OpV128Bitselect & 0xFF,
		}
	}
	bits := asInteger[valueType]
	condition, second := f.local(scratchCondition, binary.I32), f.local(bits.use, bits.integer)
	return emit(binary.OpLocalSet, condition, bits.from, binary.OpLocalSet, second, bits.from,
		binary.OpLocalGet, second, binary.OpLocalGet, condition, binary.OpSelect, bits.way)
}
