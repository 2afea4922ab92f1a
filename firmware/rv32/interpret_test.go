package rv32

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const minimum = 1 << 31

// results are those of the specification for operands at the edges of their ranges.
var results = []struct {
	op         Op
	a, b, want uint32
}{
	{opADD, 0xFFFFFFFF, 1, 0},
	{opSUB, 0, 1, 0xFFFFFFFF}, {opSLL, 1, 33, 2}, {opSLT, minimum, 0, 1}, {opSLT, 0, minimum, 0},
	{opSLTU, minimum, 0, 0}, {opSLTU, 0, minimum, 1}, {opXOR, 0xFF00FF00, 0x0FF00FF0, 0xF0F0F0F0}, {opSRL, minimum, 31, 1},
	{opSRA, minimum, 31, 0xFFFFFFFF}, {opSRA, minimum, 32, minimum}, {opOR, 0xF0, 0x0F, 0xFF}, {opAND, 0xF0, 0x3C, 0x30},
	{opMUL, 0x10001, 0x10001, 0x20001}, {opMULH, minimum, minimum, 0x40000000}, {opMULH, 0xFFFFFFFF, 1, 0xFFFFFFFF},
	{opMULHU, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFE}, {opMULHSU, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF},
	{opMULHSU, minimum, 0xFFFFFFFF, minimum}, {opMULHSU, 2, minimum, 1},
	{opDIV, 7, 0, 0xFFFFFFFF}, {opDIVU, 7, 0, 0xFFFFFFFF}, {opREM, 7, 0, 7}, {opREMU, 7, 0, 7},
	{opDIV, minimum, 0xFFFFFFFF, minimum}, {opREM, minimum, 0xFFFFFFFF, 0}, {opDIVU, minimum, 0xFFFFFFFF, 0},
	{opREMU, minimum, 0xFFFFFFFF, minimum}, {opDIV, 0xFFFFFFF9, 2, 0xFFFFFFFD}, {opREM, 0xFFFFFFF9, 2, 0xFFFFFFFF},
	{opREM, 7, 0xFFFFFFFE, 1}, {opDIVU, 0xFFFFFFF9, 2, 0x7FFFFFFC},
}

// TestResults computes in interpreter and translation.
func TestResults(t *testing.T) {
	var text []uint32
	for k, r := range results {
		at := int32(12 * k)
		text = append(text, encodeI(at, 3, 2, 5, 0x03), encodeI(at+4, 3, 2, 6, 0x03),
			operation(r.op), encodeS(at+8, 7, 3, 2))
	}
	text = append(text, wfiWord)
	p := &Program{Entry: testText, Text: Range{testText, testText + 4*uint32(len(text))}, symbols: map[string]uint32{},
		Shared: Memory{testText, littleEndian(text...)}, RAM: Memory{testRAM, make([]byte, 512)}}
	p.functions = []function{{p.Text, "results"}}
	for k, r := range results {
		copy(p.RAM.Bytes[12*k:], littleEndian(r.a, r.b))
	}
	reference := NewProcessor(p, Instructions(), noWindow{})
	reference.X[3] = testRAM
	for waits := false; !waits; {
		var err error
		waits, err = reference.Step()
		require.NoError(t, err)
	}
	x := newMachine(t, &translator{Program: p, timing: timing{&Instructions().cost, p}})
	x.setRegister(3, testRAM)
	_, err := x.turn()
	require.NoError(t, err)
	for k, r := range results {
		want := littleEndian(r.want)
		require.Equal(t, want, reference.RAM[12*k+8:][:4], "%+v", r)
		require.Equal(t, want, x.memory()[12*k+8:][:4], "%+v in the translation", r)
	}
}

// operation encodes x7 = x5 op x6.
func operation(op Op) uint32 {
	for funct7, row := range registers {
		for funct3, one := range row {
			if one == op {
				return encodeR(funct7, 6, 5, uint32(funct3), 7, 0x33)
			}
		}
	}
	panic("no instruction on registers")
}
