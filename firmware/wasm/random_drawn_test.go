package wasm

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

const (
	f32  = string(rune(typeF32))
	f64  = string(rune(typeF64))
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
	drawnFirst // then those that are drawn
)

// drawImage draws an image.
func drawImage(seed uint64, style style) []byte {
	random := rand.New(rand.NewPCG(seed, 0x5741534D))
	d := &drawn{Rand: random, assembly: &assembly{}, style: style}
	for kind, valueType := range []string{f32, f64} {
		integer, bits, nan := i32, byte(0xBC), number(-1)
		equal := opF32Eq
		if kind == bitsOfF64 {
			integer, bits, nan, equal = i64, 0xBD, []byte{byte(opI64Const), 0x7F}, opF64Eq
		}
		d.add("", valueType, integer, "", slices.Concat([]byte{byte(opLocalGet), 0, bits}, nan,
			[]byte{byte(opLocalGet), 0, byte(opLocalGet), 0, byte(equal), byte(opSelect)})...)
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
		d.op(opLocalSet, uint32(k))
	}
	for range most/2 + d.IntN(most) {
		d.statement(2)
	}
	d.code = append(d.code, byte(opI64Const), 7)
	for k := range d.locals { // and all are in the result
		d.code = append(d.code, byte(opI64Const), 31, byte(opI64Mul))
		d.op(opLocalGet, uint32(k))
		d.bits(d.locals[k])
		d.code = append(d.code, byte(opI64Xor))
	}
	name := string(rune('a' + len(d.functions)))
	d.add(name, parameters, i64, locals+i32, d.code...)
}

// op appends an instruction with an index.
func (d *drawn) op(op opcode, index uint32) { d.code = appendU32(append(d.code, byte(op)), index, 1) }

// bits makes an i64 of the value on the stack.
func (d *drawn) bits(valueType byte) {
	switch {
	case valueType == typeI32:
		d.code = append(d.code, byte(opI64ExtendI32U))
	case d.noNaNs && valueType == typeF32:
		d.code = append(d.code, 0xBC, byte(opI64ExtendI32U))
	case d.noNaNs && valueType == typeF64:
		d.code = append(d.code, 0xBD)
	case valueType == typeF32:
		d.op(opCall, bitsOfF32)
		d.code = append(d.code, byte(opI64ExtendI32U))
	case valueType == typeF64:
		d.op(opCall, bitsOfF64)
	case valueType == typeV128:
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
		d.op(opLocalSet, uint32(k))
	case n < 9:
		d.address()
		d.expression(typeF64, 3)
		d.bits(typeF64)
		d.code = append(d.code, 0x37, 0, 0)
	case n < 10:
		d.expression(typeI32, 2)
		d.code = append(d.code, byte(opIf), blockEmpty)
		d.statement(depth - 1)
		d.code = append(d.code, byte(opElse))
		d.statement(depth - 1)
		d.code = append(d.code, byte(opEnd))
	case n < 12 || d.noNaNs: // three cases that fall through
		d.code = append(d.code, byte(opBlock), blockEmpty, byte(opBlock), blockEmpty, byte(opBlock), blockEmpty)
		d.expression(typeI32, 2)
		d.code = append(d.code, byte(opI32Const), 3, 0x71, byte(opBrTable), 2, 0, 1, 2, byte(opEnd))
		d.statement(depth - 1)
		d.code = append(d.code, byte(opEnd))
		d.statement(depth - 1)
		d.code = append(d.code, byte(opEnd))
	default:
		d.code = append(d.code, number(int32(1+d.IntN(4)))...)
		d.op(opLocalSet, d.counter)
		d.code = append(d.code, byte(opLoop), blockEmpty)
		d.statement(0)
		d.statement(0)
		d.op(opLocalGet, d.counter)
		d.code = append(d.code, byte(opI32Const), 1, byte(opI32Sub))
		d.op(opLocalTee, d.counter)
		d.code = append(d.code, byte(opBrIf), 0, byte(opEnd))
	}
}

// address draws one of 512 words.
func (d *drawn) address() {
	d.expression(typeI32, 1)
	d.code = append(append(append(d.code, number(511)...), 0x71), byte(opI32Const), 3, byte(opI32Shl))
}

// expression draws a value of a type.
func (d *drawn) expression(valueType byte, depth int) {
	n := d.IntN(10)
	switch {
	case depth == 0 || n < 2:
		if k, ok := d.any(valueType); ok && n < 9 {
			d.op(opLocalGet, k)
			return
		}
		d.constant(valueType)
	case n < 6 && valueType != typeI32:
		d.expression(valueType, depth-1)
		d.expression(valueType, depth-1)
		d.expression(typeI32, depth-1)
		d.code = append(d.code, byte(opSelect))
	case n < 8 && d.leaves > 0 && valueType != typeV128:
		d.call(depth)
		d.convert(typeI64, valueType)
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
		d.op(opCall, uint32(k))
		return
	}
	d.code = append(d.code, byte(opI32Const), byte(k-drawnFirst), byte(opCallIndirect), d.signature(d.functions[k].params, i64), 0)
}

func (d *drawn) constant(valueType byte) {
	value := float64(d.IntN(4096)-2048) / 16
	switch valueType {
	case typeI32:
		d.code = append(d.code, number(int32(d.Uint32()))...)
	case typeI64:
		d.code = appendS64(append(d.code, byte(opI64Const)), int64(d.Uint64()))
	case typeF32:
		d.code = binary.LittleEndian.AppendUint32(append(d.code, byte(opF32Const)), math.Float32bits(float32(value)))
	case typeF64:
		d.code = binary.LittleEndian.AppendUint64(append(d.code, byte(opF64Const)), math.Float64bits(value))
	case typeV128:
		d.code = append(d.code, 0xFD, 12)
		d.code = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(d.code, d.Uint64()), d.Uint64())
	}
}

// conversions from one type to another; none shows the bits of a NaN.
var conversions = map[[2]byte][]string{
	{typeI32, typeI64}: {"\xAC", "\xAD"}, {typeI32, typeF32}: {"\xB2", "\xB3"}, {typeI32, typeF64}: {"\xB7", "\xB8"},
	{typeI64, typeI32}: {"\xA7", "\x50"}, {typeI64, typeF32}: {"\xB4", "\xB5"}, {typeI64, typeF64}: {"\xB9", "\xBA", "\xBF"},
	{typeF32, typeI32}: {"\xFC\x00", "\xFC\x01"}, {typeF32, typeI64}: {"\xFC\x04", "\xFC\x05"}, {typeF32, typeF64}: {"\xBB"},
	{typeF64, typeI32}: {"\xFC\x02", "\xFC\x03"}, {typeF64, typeI64}: {"\xFC\x06", "\xFC\x07"}, {typeF64, typeF32}: {"\xB6"},
	{typeI32, typeV128}: {"\xFD\x11", "\xFD\x10"}, {typeI64, typeV128}: {"\xFD\x12"},
}

func (d *drawn) convert(from, to byte) {
	if from != to {
		ways := conversions[[2]byte{from, to}]
		d.code = append(d.code, ways[d.IntN(len(ways))]...)
	}
}

// binaries are instructions of two operands and a result of one type, whose operands do not show.
var binaries = map[byte][]string{
	typeI32: {"\x6A", "\x6B", "\x6C", "\x71", "\x72", "\x73", "\x74", "\x75", "\x76", "\x77", "\x78"},
	typeI64: {"\x7C", "\x7D", "\x7E", "\x83", "\x84", "\x85", "\x86", "\x87", "\x88", "\x89", "\x8A"},
	typeF32: {"\x92", "\x93", "\x94", "\x95", "\x96", "\x97"}, typeF64: {"\xA0", "\xA1", "\xA2", "\xA3", "\xA4", "\xA5"},
	typeV128: {"\xFD\x4E", "\xFD\x50", "\xFD\x51", "\xFD\xAE\x01", "\xFD\xCE\x01"},
}

// compute draws a conversion, a load, a comparison, or an instruction of one or two operands.
func (d *drawn) compute(valueType byte, depth int) {
	switch n := d.IntN(6); {
	case valueType == typeI32 && n < 3:
		of := []byte{typeF32, typeF64}[d.IntN(2)]
		d.expression(of, depth-1)
		d.expression(of, depth-1)
		d.code = append(d.code, map[byte]byte{typeF32: 0x5B, typeF64: 0x61}[of]+byte(d.IntN(6)))
	case n == 0:
		from := []byte{typeI32, typeI64, typeF32, typeF64}[d.IntN(4)]
		if valueType == typeV128 {
			from = []byte{typeI32, typeI64}[d.IntN(2)]
		}
		d.expression(from, depth-1)
		d.convert(from, valueType)
	case n == 1:
		d.address()
		d.code = append(append(d.code, loadOf[valueType]...), 0, byte(d.IntN(64)))
	case n == 2 && valueType != typeV128:
		d.expression(valueType, depth-1)
		d.code = append(d.code, map[byte]string{typeI32: "\x67", typeI64: "\x7A", typeF32: "\x8C", typeF64: "\x9F"}[valueType]...)
	default:
		d.expression(valueType, depth-1)
		d.expression(valueType, depth-1)
		ways := binaries[valueType]
		d.code = append(d.code, ways[d.IntN(len(ways))]...)
	}
}
