package vcd

import (
	"slices"
	"strconv"
)

// Kind is the kind of a Value.
type Kind uint8

// Kinds of values.
const (
	KindBits  Kind = iota // 0, 1, x and z
	KindReal              // a 64-bit float
	KindText              // a string
	KindEvent             // occurs at a time, without a value
)

func (k Kind) String() string { return [...]string{"bits", "real", "text", "event"}[k] }

// Value is the value of one signal. Bits are four-state, in two planes of 64-bit words, least significant word first:
//
//	Value Unknown
//	  0      0     0
//	  1      0     1
//	  1      1     x, unknown
//	  0      1     z, floating
//
// Bits at and above Bits are 0 in both planes. The planes are views: they change with the reader's next step.
type Value struct {
	Kind    Kind
	Bits    int
	Value   []uint64
	Unknown []uint64
	Real    float64
	Text    string
}

// BitsValue returns a value of bits. It keeps the planes without copying.
func BitsValue(bitCount int, value, unknown []uint64) Value {
	return Value{Kind: KindBits, Bits: bitCount, Value: value, Unknown: unknown}
}

// Known reports whether no bit is x or z.
func (v Value) Known() bool {
	return !slices.ContainsFunc(v.Unknown, func(word uint64) bool { return word != 0 })
}

// Bit returns 0, 1, x or z.
func (v Value) Bit(index int) byte {
	word, shift := index>>6, index&63
	return "01zx"[v.Unknown[word]>>shift&1<<1|v.Value[word]>>shift&1]
}

// Label returns the shortest text. One bit is 0, 1, x or z; more bits are hexadecimal. A digit is x or z if all its
// bits are, and X or Z if some of them are.
func (v Value) Label() string {
	switch v.Kind {
	case KindReal:
		return strconv.FormatFloat(v.Real, 'g', -1, 64)
	case KindText:
		return v.Text
	case KindEvent:
		return "event"
	}
	if v.Bits == 1 {
		return string(v.Bit(0))
	}
	digits := make([]byte, 0, v.Bits/4+1)
	for low := (v.Bits - 1) &^ 3; low >= 0; low -= 4 {
		digits = append(digits, v.digit(low))
	}
	return string(digits)
}

func (v Value) digit(low int) byte {
	all := uint64(1)<<min(4, v.Bits-low) - 1
	value, unknown := v.Value[low>>6]>>(low&63)&all, v.Unknown[low>>6]>>(low&63)&all
	switch {
	case unknown == 0:
		return "0123456789abcdef"[value]
	case unknown == all && value == all:
		return 'x'
	case unknown == all && value == 0:
		return 'z'
	case value&unknown == 0:
		return 'Z'
	}
	return 'X'
}

// String formats the value: 1, 0x3f, 0b10xx (if hexadecimal would hide the unknown bits), 1.25, "idle".
func (v Value) String() string {
	switch {
	case v.Kind == KindText:
		return strconv.Quote(v.Text)
	case v.Kind != KindBits || v.Bits == 1:
		return v.Label()
	case v.Known():
		return "0x" + v.Label()
	}
	return "0b" + v.digits()
}

func (v Value) digits() string {
	digits := make([]byte, v.Bits)
	for i := range digits {
		digits[i] = v.Bit(v.Bits - 1 - i)
	}
	return string(digits)
}
