package rv32

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

const small = ".text\n.globl _start\n.type _start,@function\n_start:\nnop\nwfi\n"

// TestLoadRefuses names what is wrong with a file, and the remedy.
func TestLoadRefuses(t *testing.T) {
	elf := link(t, "a.s", small, "rv32i")
	changed := func(at int, value byte) []byte {
		other := append([]byte(nil), elf...)
		other[at] = value
		return other
	}
	for want, file := range map[string][]byte{
		"broken ELF":                        elf[:20],
		"EM_X86_64":                         changed(18, 62),
		"not an executable":                 changed(16, 1),
		"floating-point calling convention": changed(36, 2),
	} {
		_, err := Load(file)
		require.ErrorContains(t, err, want)
	}
	_, err := Load(link(t, "a.s", small+".data\n.space 2000000\n", "rv32i"))
	require.ErrorContains(t, err, "takes 2000")
	require.ErrorContains(t, err, ".data 2000000")
	_, err = Load(link(t, "a.s", small+".space 1100000\n", "rv32i"))
	require.ErrorContains(t, err, "bytes of text; at most 1048576 are allowed")
}

// TestLoadAnything: no file makes Load, or the translation of what it accepts, panic.
func TestLoadAnything(t *testing.T) {
	elf := link(t, "a.c", "int a = 7; int _start(void) { return a++; }", "rv32imc")
	random := rand.New(rand.NewPCG(1, 1))
	accepted := 0
	for range 3000 {
		file := append([]byte(nil), elf...)
		for range 1 + random.IntN(4) {
			file[random.IntN(len(file))] = byte(random.Uint32())
		}
		p, err := Load(file[:len(file)-random.IntN(2)*random.IntN(len(file))])
		if err != nil {
			continue
		}
		if accepted++; accepted%50 == 0 {
			_, err := Translate(p, Instructions(), uint64(accepted)%100)
			require.NoError(t, err)
		}
	}
	require.Greater(t, accepted, 100)
}
