package rv32

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTranslationSteps: interpreter and translation have the same registers, memory, address and cycles after every
// instruction of random programs, on every core.
func TestTranslationSteps(t *testing.T)     { translationSteps(t, 8, 250) }
func TestLongTranslationSteps(t *testing.T) { translationSteps(t, 40, 2000) }

func translationSteps(t *testing.T, programs uint64, least int) {
	steps := 0
	for seed := range programs {
		core := drawCore(seed)
		p := draw(seed, seed%4 != 0)
		reference := NewProcessor(p, core, noWindow{})
		x := newMachine(t, &translator{Program: p, timing: timing{&core.cost, p}, stepping: true})
		for n := 0; n < 2000; n++ {
			at := reference.PC
			if n == 0 {
				reference.X[2], reference.X[3] = testRAM+2048, testRAM+16
				x.setRegister(2, testRAM+2048)
				x.setRegister(3, testRAM+16)
			}
			before := reference.Cycles
			waits, err := reference.Step()
			require.NoError(t, err)
			cost, err := x.turn()
			require.NoError(t, err, "seed %d, step %d", seed, n)
			place := fmt.Sprintf("seed %d, %s, step %d, %+v", seed, core.parameters(), n, p.instruction(at))
			require.Equal(t, reference.Cycles-before, cost, place)
			require.Equal(t, reference.X, x.registers(), place)
			require.Equal(t, reference.PC, x.pc(), place)
			require.Equal(t, reference.deepest(), x.stack(), place)
			if steps++; waits {
				break
			}
		}
		require.Equal(t, reference.RAM, x.memory(), "seed %d", seed)
	}
	require.Greater(t, steps, least)
}

// TestTranslationRuns: the quick translation of random programs ends in the state of the interpreter, after the same
// number of cycles, on every core.
func TestTranslationRuns(t *testing.T)     { translationRuns(t, 20) }
func TestLongTranslationRuns(t *testing.T) { translationRuns(t, 100) }

func translationRuns(t *testing.T, programs uint64) {
	turns, deep := uint64(0), uint32(0)
	for seed := range programs {
		core := drawCore(seed)
		p := draw(seed, seed%4 != 0)
		p.StackBytesMax = []uint32{0, 2048 + 40, 2048 + 24}[seed%3]
		reference := NewProcessor(p, core, noWindow{})
		reference.X[2], reference.X[3] = testRAM+2048, testRAM+16
		ends, trap := false, error(nil)
		for n := 0; n < 200_000 && !ends && trap == nil; n++ {
			ends, trap = reference.Step()
		}
		if !ends && trap == nil {
			continue
		}
		x := newMachine(t, &translator{Program: p, timing: timing{&core.cost, p}})
		x.setRegister(2, testRAM+2048)
		x.setRegister(3, testRAM+16)
		cost, err := x.turn()
		require.Equal(t, trap != nil, err != nil, "seed %d: %v, %v", seed, trap, err)
		require.Equal(t, reference.deepest(), x.stack(), "seed %d", seed)
		if turns++; trap != nil {
			deep += btoi(p.StackBytesMax > 0 && reference.deepest() > p.StackBytesMax)
			continue
		}
		require.Equal(t, reference.X, x.registers(), "seed %d", seed)
		require.Equal(t, reference.RAM, x.memory(), "seed %d", seed)
		require.Equal(t, reference.PC, x.pc(), "seed %d", seed)
		require.Equal(t, reference.Cycles, cost, "seed %d, %s", seed, core.parameters())
	}
	require.Greater(t, turns, programs*4/5)
	require.NotZero(t, deep, "stacks below the limit")
}

// TestConstantLoads loads around the first and the last byte of text and constants, with every width: interpreter and
// translation have the same value and cycles, and both trap beyond the bounds.
func TestConstantLoads(t *testing.T) {
	for _, op := range []Op{opLB, opLH, opLW, opLBU, opLHU} {
		load := encodeI(-3, 3, uint32(op-opLB)+uint32(btoi(op > opLW)), 10, 0x03)
		text := littleEndian(load, wfiWord, 0x8081F2C3, 0xFEDCBA98, 0x81F1C284)
		p := &Program{Entry: testText, Text: Range{testText, testText + 8}, symbols: map[string]uint32{},
			Shared: Memory{testText, text}, RAM: Memory{testRAM, make([]byte, 64)}}
		p.functions = []function{{p.Text, "loads"}}
		for _, stepping := range []bool{false, true} {
			x := newMachine(t, &translator{Program: p, timing: timing{&cores[0].cost, p}, stepping: stepping})
			loaded, trapped := 0, 0
			for at := range uint32(len(text) + 10) {
				address := testText - 5 + at
				reference := NewProcessor(p, &cores[0], noWindow{})
				reference.X[3] = address + 3
				_, want := reference.Step()
				x.setRegister(3, address+3)
				if at > 0 {
					x.put(x.record+statePC, testText)
				}
				cost, err := x.turn()
				place := fmt.Sprintf("load %#x at %#x, stepping %t", load, address, stepping)
				if require.Equal(t, want != nil, err != nil, place); err != nil {
					trapped++
					continue
				}
				if !stepping {
					_, _ = reference.Step()
				}
				loaded++
				require.Equal(t, reference.X[10], x.registers()[10], place)
				require.Equal(t, reference.Cycles, cost, place)
			}
			require.EqualValues(t, uint32(len(text))-op.bytes()+1, loaded)
			require.EqualValues(t, 9+op.bytes(), trapped)
		}
	}
}
