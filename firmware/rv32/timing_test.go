package rv32

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// frozen are cycles by the rules that were fitted to the cores' RTL, written down by hand. No RTL runs here. ibex2 and
// ibex3 are Ibex with two and three stages.
var frozen = []struct {
	name              string
	text              []uint32
	ibex2, ibex3, pic int
}{
	{"add", []uint32{encodeR(0, 5, 5, 0, 6, 0x33)}, 1, 1, 3},
	{"mul", []uint32{encodeR(1, 5, 5, 0, 6, 0x33)}, 3, 1, 40},
	{"mulh", []uint32{encodeR(1, 5, 5, 1, 6, 0x33)}, 4, 2, 72},
	{"div by 7", []uint32{encodeR(1, 7, 5, 4, 6, 0x33)}, 37, 37, 40},
	{"div by 0", []uint32{encodeR(1, 0, 5, 4, 6, 0x33)}, 2, 2, 40},
	{"aligned load", []uint32{encodeI(4, 3, 2, 6, 0x03)}, 2, 1, 5},
	{"load across words", []uint32{encodeI(6, 3, 2, 6, 0x03)}, 3, 2, 5},
	{"half word within a word", []uint32{encodeI(5, 3, 1, 6, 0x03)}, 2, 1, 5},
	{"half word across words", []uint32{encodeI(7, 3, 1, 6, 0x03)}, 3, 2, 5},
	{"load and use", []uint32{encodeI(4, 3, 2, 6, 0x03), encodeR(0, 6, 5, 0, 8, 0x33)}, 3, 3, 8},
	{"store", []uint32{encodeS(4, 5, 3, 2)}, 2, 1, 5},
	{"shift by 7 by an immediate", []uint32{encodeI(7, 5, 1, 6, 0x13)}, 1, 1, 8},
	{"shift by 7 by a register", []uint32{encodeR(0, 7, 5, 1, 6, 0x33)}, 1, 1, 8},
	{"branch that is not taken", []uint32{encodeB(8, 0, 0, 1)}, 1, 1, 3},
	{"taken branch", []uint32{encodeB(4, 0, 0, 0)}, 3, 2, 5},
	{"jump", []uint32{encodeJ(4, 0)}, 2, 2, 3},
	{"jump by a register", []uint32{0x17 | 9<<7, encodeI(8, 9, 0, 0, 0x67)}, 3, 3, 9},
	// c.nop, then a 32-bit instruction in two words
	{"instruction in two words", []uint32{0x0001, encodeR(0, 5, 5, 0, 6, 0x33)}, 2, 2, 7},
	{"taken branch to an instruction in two words",
		[]uint32{encodeB(6, 0, 0, 0), 0x0001, encodeR(0, 5, 5, 0, 6, 0x33)}, 5, 4, 9},
	// c.beqz x8 at 0 past an instruction in two words
	{"taken branch before an instruction in two words",
		[]uint32{0xC019, encodeR(0, 5, 5, 0, 6, 0x33), encodeR(0, 5, 5, 0, 6, 0x33)}, 5, 4, 10},
}

// TestFrozenTiming compares the rules of the cores with the figures, in interpreter and translation.
func TestFrozenTiming(t *testing.T) {
	for _, f := range frozen {
		for core, want := range map[*Core]int{&cores[1]: f.ibex2, &cores[2]: f.ibex3, &cores[3]: f.pic} {
			var text []byte
			for _, w := range append(slices.Clone(f.text), wfiWord) {
				text = append(text, littleEndian(w)[:2+2*btoi(w&3 == 3)]...)
			}
			p := &Program{Entry: testText, Text: Range{testText, testText + uint32(len(text))}, Compressed: true,
				symbols: map[string]uint32{}, Shared: Memory{testText, text}, RAM: Memory{testRAM, make([]byte, 64)}}
			p.functions = []function{{p.Text, f.name}}
			wait := int(core.cost.plain) // of wfi, and of its place
			reference := NewProcessor(p, core, noWindow{})
			x := newMachine(t, &translator{Program: p, timing: timing{&core.cost, p}})
			for register, value := range map[int]uint32{3: testRAM, 7: 7} {
				reference.X[register] = value
				x.setRegister(register, value)
			}
			for waits := false; !waits; {
				last := p.instruction(reference.PC)
				var err error
				waits, err = reference.Step()
				require.NoError(t, err)
				if waits && last.PC&2 != 0 {
					wait += core.cost.wide
				}
			}
			place := f.name + " on " + core.Model + " " + core.parameters()
			require.Equal(t, want, int(reference.Cycles)-wait, place)
			cost, err := x.turn()
			require.NoError(t, err, place)
			require.Equal(t, reference.Cycles, cost, place)
		}
	}
}

// TestCoresHaveSources: every rule names its source, and parameters without measured timing are refused.
func TestCoresHaveSources(t *testing.T) {
	for _, c := range Cores() {
		require.NotEmpty(t, c.Rules)
		for _, r := range c.Rules {
			require.NotEmpty(t, r.Source, "%s: %s", c.Model, r.Instructions)
		}
	}
	_, err := NewCore("ibex", map[string]int64{"WritebackStage": 1})
	require.EqualError(t, err, "the timing of the core ibex was not measured with these parameters; measured: "+
		"{BranchTargetALU: 0, RV32M: 2, WritebackStage: 0}, or {BranchTargetALU: 1, RV32M: 3, WritebackStage: 1}")
	_, err = NewCore("picorv32", map[string]int64{"BARREL": 1})
	require.ErrorContains(t, err, "no parameter BARREL")
	_, err = NewCore("rocket", nil)
	require.EqualError(t, err, `there is no core "rocket"; use instructions, ibex, picorv32, rv32-multicycle`)
	c, err := NewCore("ibex", map[string]int64{"WritebackStage": 1, "BranchTargetALU": 1, "RV32M": 3})
	require.NoError(t, err)
	require.Equal(t, 1, c.cost.loadUse)
}
