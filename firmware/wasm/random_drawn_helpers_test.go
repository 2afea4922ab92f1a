package wasm

import (
	endian "encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"starloom/firmware/wasm/binary"
)

const (
	f32  = string(rune(binary.F32))
	f64  = string(rune(binary.F64))
	v128 = "\x7B"
)

// drawn draws the functions of one random image: parameters and locals of all types, more floats than there are
// registers, and code that keeps them alive. A function calls those before it only, and a loop has a counter, so
// that every call ends. No bits of a NaN are seen: they are the compiler's choice.
type drawn struct {
	*rand.Rand
	*assembly
	style
	locals  string // types of the parameters and locals of the function
	counter uint32 // the local that counts turns, after them
	leaves  int    // functions that may be called: the first ones
	code    []byte
}

// style is what an image may have.
type style struct {
	vectors bool
	noNaNs  bool // Binaryen replaces all NaNs, and ends a call after ten turns or calls
}

// The functions that every drawn image begins with: the bits of a float, one pattern for all NaNs.
const (
	bitsOfF32 = iota
	bitsOfF64
	drawnFirst // then random ones
)

// drawImage draws an image.
func drawImage(seed uint64, style style) []byte {
	random := rand.New(rand.NewPCG(seed, 0x5741534D))
	d := &drawn{Rand: random, assembly: &assembly{}, style: style}
	for kind, valueType := range []string{f32, f64} {
		integer, bits, nan := i32, byte(0xBC), number(-1)
		equal := binary.OpF32Eq
		if kind == bitsOfF64 {
			integer, bits, nan, equal = i64, 0xBD, []byte{binary.OpI64Const, 0x7F}, binary.OpF64Eq
		}
		d.add("", valueType, integer, "", slices.Concat([]byte{binary.OpLocalGet, 0, bits}, nan,
			[]byte{binary.OpLocalGet, 0, binary.OpLocalGet, 0, byte(equal), binary.OpSelect})...)
	}
	const leaves = 2
	others := 2
	if style.noNaNs {
		others = 3
	}
	for k := range leaves + others {
		if k == leaves {
			d.leaves = leaves
		}
		d.function(4 + 4*(k/leaves))
	}
	for k := range leaves {
		d.elements = append(d.elements, byte(drawnFirst+k))
	}
	return d.bytes()
}

// types draws value types: mostly floats of one width.
func (d *drawn) types(most int) string {
	main := []string{f64, f64, f32}[d.IntN(3)]
	var of strings.Builder
	for range 1 + d.IntN(most) {
		kind := main
		switch n := d.IntN(12); {
		case n == 0:
			kind = i32
		case n == 1:
			kind = i64
		case n == 2:
			kind = []string{f32, f64}[d.IntN(2)]
		}
		of.WriteString(kind)
	}
	return of.String()
}

// function draws a function of at most so many statements, and adds it.
func (d *drawn) function(most int) {
	parameters := d.types(8)
	locals := d.types(36)
	if d.vectors {
		locals += strings.Repeat(v128, d.IntN(12))
	}
	d.locals, d.code, d.counter = parameters+locals, nil, uint32(len(parameters)+len(locals))
	for k := len(parameters); k < len(d.locals); k++ { // all are different
		d.expression(d.locals[k], 2)
		d.op(binary.OpLocalSet, uint32(k))
	}
	for range most/2 + d.IntN(most) {
		d.statement(2)
	}
	d.code = append(d.code, binary.OpI64Const, 7)
	for k := range d.locals { // and all are in the result
		d.code = append(d.code, binary.OpI64Const, 31, binary.OpI64Mul)
		d.op(binary.OpLocalGet, uint32(k))
		d.bits(d.locals[k])
		d.code = append(d.code, binary.OpI64Xor)
	}
	name := string(rune('a' + len(d.functions)))
	d.add(name, parameters, i64, locals+i32, d.code...)
}

// op appends an instruction with an index.
func (d *drawn) op(op binary.Opcode, index uint32) {
	d.code = binary.AppendU32(append(d.code, byte(op)), index, 1)
}

// bits makes an i64 of the value on the stack.
func (d *drawn) bits(valueType byte) {
	switch {
	case valueType == binary.I32:
		d.code = append(d.code, binary.OpI64ExtendI32U)
	case d.noNaNs && valueType == binary.F32:
		d.code = append(d.code, 0xBC, binary.OpI64ExtendI32U)
	case d.noNaNs && valueType == binary.F64:
		d.code = append(d.code, 0xBD)
	case valueType == binary.F32:
		d.op(binary.OpCall, bitsOfF32)
		d.code = append(d.code, binary.OpI64ExtendI32U)
	case valueType == binary.F64:
		d.op(binary.OpCall, bitsOfF64)
	case valueType == binary.V128:
		d.code = append(d.code, 0xFD, 29, byte(d.IntN(2)))
	}
}

// any returns a local of a type, and whether there is one.
func (d *drawn) any(valueType byte) (uint32, bool) {
	first := d.IntN(len(d.locals))
	for k := range len(d.locals) {
		if at := (first + k) % len(d.locals); d.locals[at] == valueType {
			return uint32(at), true
		}
	}
	return 0, false
}

// statement draws what sets a local or the memory, or a block of such.
func (d *drawn) statement(depth int) {
	switch n := d.IntN(14); {
	case n < 7 || depth == 0:
		k := d.IntN(len(d.locals))
		d.expression(d.locals[k], 3)
		d.op(binary.OpLocalSet, uint32(k))
	case n < 9:
		d.address()
		d.expression(binary.F64, 3)
		d.bits(binary.F64)
		d.code = append(d.code, 0x37, 0, 0)
	case n < 10:
		d.expression(binary.I32, 2)
		d.code = append(d.code, binary.OpIf, binary.BlockEmpty)
		d.statement(depth - 1)
		d.code = append(d.code, binary.OpElse)
		d.statement(depth - 1)
		d.code = append(d.code, binary.OpEnd)
	case n < 12 || d.noNaNs: // three cases that fall through
		d.code = append(d.code, binary.OpBlock, binary.BlockEmpty, binary.OpBlock, binary.BlockEmpty,
			binary.OpBlock, binary.BlockEmpty)
		d.expression(binary.I32, 2)
		d.code = append(d.code, binary.OpI32Const, 3, 0x71, binary.OpBrTable, 2, 0, 1, 2, binary.OpEnd)
		d.statement(depth - 1)
		d.code = append(d.code, binary.OpEnd)
		d.statement(depth - 1)
		d.code = append(d.code, binary.OpEnd)
	default:
		d.code = append(d.code, number(int32(1+d.IntN(4)))...)
		d.op(binary.OpLocalSet, d.counter)
		d.code = append(d.code, binary.OpLoop, binary.BlockEmpty)
		d.statement(0)
		d.statement(0)
		d.op(binary.OpLocalGet, d.counter)
		d.code = append(d.code, binary.OpI32Const, 1, binary.OpI32Sub)
		d.op(binary.OpLocalTee, d.counter)
		d.code = append(d.code, binary.OpBrIf, 0, binary.OpEnd)
	}
}

// address draws one of 512 words.
func (d *drawn) address() {
	d.expression(binary.I32, 1)
	d.code = append(append(append(d.code, number(511)...), 0x71), binary.OpI32Const, 3, binary.OpI32Shl)
}

// expression draws a value of a type.
func (d *drawn) expression(valueType byte, depth int) {
	n := d.IntN(10)
	switch {
	case depth == 0 || n < 2:
		if k, ok := d.any(valueType); ok && n < 9 {
			d.op(binary.OpLocalGet, k)
			return
		}
		d.constant(valueType)
	case n < 6 && valueType != binary.I32:
		d.expression(valueType, depth-1)
		d.expression(valueType, depth-1)
		d.expression(binary.I32, depth-1)
		d.code = append(d.code, binary.OpSelect)
	case n < 8 && d.leaves > 0 && valueType != binary.V128:
		d.call(depth)
		d.convert(binary.I64, valueType)
	default:
		d.compute(valueType, depth)
	}
}

// call calls a function before this one, by its number or through the table.
func (d *drawn) call(depth int) {
	k := drawnFirst + d.IntN(d.leaves)
	for _, parameter := range []byte(d.functions[k].params) {
		d.expression(parameter, min(1, depth-1))
	}
	if d.IntN(3) > 0 {
		d.op(binary.OpCall, uint32(k))
		return
	}
	d.code = append(d.code, binary.OpI32Const, byte(k-drawnFirst), binary.OpCallIndirect,
		d.signature(d.functions[k].params, i64), 0)
}

func (d *drawn) constant(valueType byte) {
	value := float64(d.IntN(4096)-2048) / 16
	switch valueType {
	case binary.I32:
		d.code = append(d.code, number(int32(d.Uint32()))...)
	case binary.I64:
		d.code = binary.AppendSigned(append(d.code, binary.OpI64Const), int64(d.Uint64()))
	case binary.F32:
		d.code = endian.LittleEndian.AppendUint32(append(d.code, binary.OpF32Const), math.Float32bits(float32(value)))
	case binary.F64:
		d.code = endian.LittleEndian.AppendUint64(append(d.code, binary.OpF64Const), math.Float64bits(value))
	case binary.V128:
		d.code = append(d.code, 0xFD, 12)
		d.code = endian.LittleEndian.AppendUint64(endian.LittleEndian.AppendUint64(d.code, d.Uint64()), d.Uint64())
	}
}

// conversions from one type to another; none shows the bits of a NaN.
var conversions = map[[2]byte][]string{
	{binary.I32, binary.I64}: {"\xAC", "\xAD"}, {binary.I32, binary.F32}: {"\xB2", "\xB3"}, {binary.I32, binary.F64}: {"\xB7", "\xB8"},
	{binary.I64, binary.I32}: {"\xA7", "\x50"}, {binary.I64, binary.F32}: {"\xB4", "\xB5"}, {binary.I64, binary.F64}: {"\xB9", "\xBA", "\xBF"},
	{binary.F32, binary.I32}: {"\xFC\x00", "\xFC\x01"}, {binary.F32, binary.I64}: {"\xFC\x04", "\xFC\x05"}, {binary.F32, binary.F64}: {"\xBB"},
	{binary.F64, binary.I32}: {"\xFC\x02", "\xFC\x03"}, {binary.F64, binary.I64}: {"\xFC\x06", "\xFC\x07"}, {binary.F64, binary.F32}: {"\xB6"},
	{binary.I32, binary.V128}: {"\xFD\x11", "\xFD\x10"}, {binary.I64, binary.V128}: {"\xFD\x12"},
}

func (d *drawn) convert(from, to byte) {
	if from != to {
		ways := conversions[[2]byte{from, to}]
		d.code = append(d.code, ways[d.IntN(len(ways))]...)
	}
}

// binaries are instructions of two operands and a result of one type, whose operands do not show.
var binaries = map[byte][]string{
	binary.I32: {"\x6A", "\x6B", "\x6C", "\x71", "\x72", "\x73", "\x74", "\x75", "\x76", "\x77", "\x78"},
	binary.I64: {"\x7C", "\x7D", "\x7E", "\x83", "\x84", "\x85", "\x86", "\x87", "\x88", "\x89", "\x8A"},
	binary.F32: {"\x92", "\x93", "\x94", "\x95", "\x96", "\x97"}, binary.F64: {"\xA0", "\xA1", "\xA2", "\xA3", "\xA4", "\xA5"},
	binary.V128: {"\xFD\x4E", "\xFD\x50", "\xFD\x51", "\xFD\xAE\x01", "\xFD\xCE\x01"},
}

// compute draws a conversion, a load, a comparison, or an instruction of one or two operands.
func (d *drawn) compute(valueType byte, depth int) {
	switch n := d.IntN(6); {
	case valueType == binary.I32 && n < 3:
		of := []byte{binary.F32, binary.F64}[d.IntN(2)]
		d.expression(of, depth-1)
		d.expression(of, depth-1)
		d.code = append(d.code, map[byte]byte{binary.F32: 0x5B, binary.F64: 0x61}[of]+byte(d.IntN(6)))
	case n == 0:
		from := []byte{binary.I32, binary.I64, binary.F32, binary.F64}[d.IntN(4)]
		if valueType == binary.V128 {
			from = []byte{binary.I32, binary.I64}[d.IntN(2)]
		}
		d.expression(from, depth-1)
		d.convert(from, valueType)
	case n == 1:
		d.address()
		d.code = append(append(d.code, loadOf[valueType]...), 0, byte(d.IntN(64)))
	case n == 2 && valueType != binary.V128:
		d.expression(valueType, depth-1)
		d.code = append(d.code, map[byte]string{binary.I32: "\x67", binary.I64: "\x7A", binary.F32: "\x8C", binary.F64: "\x9F"}[valueType]...)
	default:
		d.expression(valueType, depth-1)
		d.expression(valueType, depth-1)
		ways := binaries[valueType]
		d.code = append(d.code, ways[d.IntN(len(ways))]...)
	}
}
