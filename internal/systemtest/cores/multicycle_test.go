package cores

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/firmware/rv32"
	"starloom/firmware/rv32/rv32test"
	"starloom/internal/systemtest"
)

// TestLint: Verilator has no warning about the core and its testbench.
func TestLint(t *testing.T) {
	arguments := append([]string{"--lint-only", "-Wall", "--top-module", "rv32_testbench"}, sources(coreFolder)...)
	out, err := exec.Command("verilator", arguments...).CombinedOutput()
	require.NoError(t, err, string(out))
	require.NotContains(t, string(out), "%", "5.032 reports its work, too")
}

// TestRandomPrograms: the core has the registers, memory, cycles and accesses of the interpreter at every instruction
// of random programs.
func TestRandomPrograms(t *testing.T) {
	b, core := openCore(t, coreFolder), multicycle(t)
	programs, instructions := uint64(100), 0
	if *systemtest.Full {
		programs = 10_000
	}
	for seed := range programs {
		n, err := b.compare(drawn(seed, seed%4 != 0), core, 1, uint32(seed)+1)
		require.NoError(t, err, "seed %d", seed)
		instructions += n
	}
	require.Greater(t, instructions, int(programs)*50)
}

// TestLateMemory: each cycle by which memory is late adds one, and nothing else changes.
func TestLateMemory(t *testing.T) {
	b, core := openCore(t, coreFolder), multicycle(t)
	for seed := range uint64(12) {
		b.late = 1 + int(seed%3)
		_, err := b.compare(drawn(seed, seed%4 != 0), core, 1, uint32(seed)+1)
		require.NoError(t, err, "seed %d", seed)
	}
}

func later(t *testing.T, core *rv32.Core, cycles int) *rv32.Core {
	core, err := core.Late(uint32(cycles))
	require.NoError(t, err)
	return core
}

// TestLateDataMemory: with data_wait the table of the core has its cycles if each word of a load or store arrives
// later, after every instruction.
func TestLateDataMemory(t *testing.T) {
	b := openCore(t, coreFolder)
	b.dataOnly = true
	for _, late := range []int{0, 1, 3} {
		b.late = late
		for seed := range uint64(12) {
			_, err := b.compare(drawn(seed, seed%4 != 0), later(t, multicycle(t), late), 1, uint32(seed)+1)
			require.NoError(t, err, "seed %d, %d cycles", seed, late)
		}
		_, err := b.compare(drawn(1, true), later(t, multicycle(t), late+1), 1, 1)
		require.ErrorContains(t, err, "the interpreter has", "a wrong number of cycles is found")
	}
}

const smallRAM = 256

// single compares a program of one instruction and wfi. The registers that it may read point into RAM.
func (b *bench) single(core *rv32.Core, word, ram uint32) error {
	var start []byte
	put := func(w uint32) {
		if start = binary.LittleEndian.AppendUint16(start, uint16(w)); w&3 == 3 {
			start = binary.LittleEndian.AppendUint16(start, uint16(w>>16))
		}
	}
	few := []uint32{2, 8 + word>>7&7, 8 + word>>2&7} // of compressed instructions
	for _, n := range append(few, word>>7&31, word>>2&31, word>>15&31, word>>20&31) {
		if b.register(int(max(n, 1)))-rv32test.RAMFrom < smallRAM {
			continue // since an earlier program
		}
		put(rv32test.RAMFrom | n<<7 | 0x37)
		put(rv32test.EncodeI(int32((n+1)*ram%smallRAM), n, 0, n, 0x13))
	}
	if ram&1 != 0 {
		put(1) // c.nop: the instruction is at an address that is not a multiple of 4
	}
	put(word)
	for range 3 {
		put(rv32test.WaitWord)
	}
	limit := b.limit
	b.limit = 100 // the instruction may jump to itself
	_, err := b.compare(assembled(true, start, make([]byte, smallRAM)), core, 1, 1)
	b.limit = limit
	if err != nil {
		return fmt.Errorf("%#x: %w", word, err)
	}
	return nil
}

// halfWords compares every step-th half word as a compressed instruction.
func (b *bench) halfWords(core *rv32.Core, step uint32) (words int, err error) {
	for w := uint32(0); w < 1<<16 && err == nil; w += step {
		if w&3 != 3 {
			err = b.single(core, w, w*7)
			words++
		}
	}
	return words, err
}

// words compares random words of 32 bits. Many are illegal. Instructions of the extension M trap.
func (b *bench) words(core *rv32.Core, count int) (multiplications int, err error) {
	random := rand.New(rand.NewPCG(1, 2))
	for k := 0; k < count && err == nil; k++ {
		w := random.Uint32() | 3
		if k%2 == 0 {
			w = w&^0x7C | [...]uint32{0x03, 0x23, 0x13, 0x33, 0x63, 0x67, 0x0F, 0x73}[k/2%8]
		}
		if w&0x7F == 0x33 && k%4 == 2 {
			w &^= 0xBC000000 // no extension, or M
		}
		err = b.single(core, w, random.Uint32())
		if w&0xFE00007F == 0x02000033 {
			if multiplications++; err == nil {
				return 0, fmt.Errorf("%#x: no trap", w)
			}
			err = nil
		}
	}
	return multiplications, err
}

// TestEveryHalfWord: every half word does as a compressed instruction what the interpreter does.
func TestEveryHalfWord(t *testing.T) {
	n, err := openCore(t, coreFolder).halfWords(multicycle(t), 1)
	require.NoError(t, err)
	require.Equal(t, 3<<14, n)
}

// TestAnyWord: words of 32 bits, mostly illegal, do what the interpreter does.
func TestAnyWord(t *testing.T) {
	n, err := openCore(t, coreFolder).words(multicycle(t), 4000)
	require.NoError(t, err)
	require.Greater(t, n, 50)
}
