package wasm

import (
	"fmt"
	"slices"

	"starloom/firmware/wasm/binary"
)

// Selects returns the module with every select of floats or vectors as one of integers of the same bits:
// the compiler of wazero 1.12.0 loses the second value where registers are short (amd64). A module
// without such selects is returned as it is. Nothing else is changed, and no size is refused:
// it serves other modules than images, which get the same from Rewrite.
func Selects(image []byte) ([]byte, error) {
	parsed, err := binary.Parse(image, true)
	if err != nil {
		return nil, err
	}
	m := &module{parsed}
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

// choose copies a function, its selects of floats as those of integers.
func (m *module) choose(f *binary.Function, chosen map[int]byte) []byte {
	out := &woven{copier: copier{imported: uint32(len(m.Imported) + len(m.Body))}, first: uint32(len(m.Types[f.Signature].Params)) + uint32(f.Extra)}
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

// choosesFloats reports whether a select of this type must choose among integers.
func choosesFloats(valueType byte) bool {
	return valueType == binary.F32 || valueType == binary.F64 || valueType == binary.V128
}

// asInteger are the integers of a float's bits: their type, the uses of locals for them, and the
// instructions that reinterpret a float and that go back.
var asInteger = map[byte]struct {
	integer   byte
	use       int
	from, way binary.Opcode
}{
	binary.F32: {binary.I32, scratchB32, binary.OpI32ReinterpretF32, binary.OpF32ReinterpretI32},
	binary.F64: {binary.I64, scratchB64, binary.OpI64ReinterpretF64, binary.OpF64ReinterpretI64},
}

// choice is a select of floats or vectors without the select of such a type: of their bits, or by a mask.
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
