package wasm

import (
	"fmt"
	"slices"
)

// Selects returns the module with every select of floats or vectors as one of integers of the same bits:
// the compiler of wazero 1.12.0 loses the second value where registers are short (amd64). A module
// without such selects is returned as it is. Nothing else is changed, and no size is refused:
// it serves other modules than images, which get the same from Rewrite.
func Selects(binary []byte) ([]byte, error) {
	m, err := parseModule(binary, true)
	if err != nil {
		return nil, err
	}
	chosen := make([]map[int]byte, len(m.body))
	found := false
	for k := range m.body {
		f := &m.body[k]
		if chosen[k], err = m.selects(f); err != nil {
			return nil, fmt.Errorf("%s: %w", m.functionName(len(m.imported)+k), err)
		}
		for _, valueType := range chosen[k] {
			found = found || choosesFloats(valueType)
		}
	}
	if !found {
		return binary, nil
	}
	code := appendU32(nil, uint32(len(m.body)), 1)
	for k := range m.body {
		body := m.body[k].choose(m, chosen[k])
		code = append(appendU32(code, uint32(len(body)), m.body[k].width), body...)
	}
	at := slices.IndexFunc(m.sections, func(s section) bool { return s.id == sectionCode })
	s := &m.sections[at]
	out := appendSection(slices.Clone(binary[:s.offset-s.width-1]), sectionCode, s.width, code)
	return append(out, binary[s.offset+len(s.content):]...), nil
}

// choose copies a function, its selects of floats as those of integers.
func (f *function) choose(m *module, chosen map[int]byte) []byte {
	out := &woven{copier: copier{imported: uint32(len(m.imported) + len(m.body))}, first: uint32(len(m.types[f.signature].params)) + uint32(f.extra)}
	r := &reader{data: f.code}
	var i instruction
	for r.more() {
		r.instruction(&i)
		if valueType := chosen[i.start]; choosesFloats(valueType) {
			out.to = append(out.to, choice(out, valueType)...)
		} else {
			out.instruction(f.code, &i)
		}
	}
	return slices.Concat(out.addLocals(f.locals), out.to)
}

// choosesFloats reports whether a select of this type must choose among integers.
func choosesFloats(valueType byte) bool {
	return valueType == typeF32 || valueType == typeF64 || valueType == typeV128
}

// asInteger are the integers of a float's bits: their type, the uses of locals for them, and the
// instructions that reinterpret a float and that go back.
var asInteger = map[byte]struct {
	integer   byte
	use       int
	from, way opcode
}{
	typeF32: {typeI32, scratchB32, opI32ReinterpretF32, opF32ReinterpretI32},
	typeF64: {typeI64, scratchB64, opI64ReinterpretF64, opF64ReinterpretI64},
}

// choice is a select of floats or vectors without the select of such a type: of their bits, or by a mask.
func choice(f *woven, valueType byte) []byte {
	if valueType == typeV128 { // mask: (condition == 0) - 1 in all lanes
		return []byte{
			byte(opI32Eqz), byte(opI32Const), 1, byte(opI32Sub),
			simd >> 16, byte(opI32x4Splat & 0xFF), simd >> 16, byte(opV128Bitselect & 0xFF),
		}
	}
	bits := asInteger[valueType]
	condition, second := f.local(scratchCondition, typeI32), f.local(bits.use, bits.integer)
	code := append(appendU32([]byte{byte(opLocalSet)}, condition, 1), byte(bits.from))
	code = append(appendU32(append(code, byte(opLocalSet)), second, 1), byte(bits.from))
	code = appendU32(append(code, byte(opLocalGet)), second, 1)
	code = appendU32(append(code, byte(opLocalGet)), condition, 1)
	return append(code, byte(opSelect), byte(bits.way))
}
