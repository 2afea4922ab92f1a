package rv32

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	format "starloom/firmware/wasm/binary"
)

// TestLongQEMU: random programs leave the registers and the memory that they leave in qemu-riscv32.
func TestLongQEMU(t *testing.T) {
	qemu, err := exec.LookPath("qemu-riscv32")
	if err != nil {
		t.Skip("qemu-riscv32 is not installed: install the package qemu-user")
	}
	functions, want := 0, 300
	if *full {
		want = 10_000
	}
	for seed := uint64(1000); functions < want; seed++ {
		p := draw(seed, seed%4 != 0)
		reference := NewProcessor(p, Instructions(), noWindow{})
		reference.X[2], reference.X[3] = testRAM+2048, testRAM+16
		ends, trap := false, error(nil)
		for n := 0; n < 200_000 && !ends && trap == nil; n++ {
			ends, trap = reference.Step()
		}
		if !ends {
			continue // it destroyed its own stack
		}
		out, err := exec.Command(qemu, linuxProgram(t, p)).Output()
		require.NoError(t, err, "seed %d", seed)
		require.Len(t, out, 128+len(p.RAM.Bytes))
		for n := 2; n < 32; n++ {
			require.Equal(t, reference.X[n], binary.LittleEndian.Uint32(out[4*n:]), "seed %d, x%d", seed, n)
		}
		require.Equal(t, reference.RAM, out[128:], "seed %d", seed)
		functions += len(p.functions)
	}
}

// linuxProgram makes a program that writes its registers and its RAM to standard output.
func linuxProgram(t *testing.T, p *Program) string {
	var s strings.Builder
	const dump = testText + 0x10000
	code := append([]byte(nil), p.Shared.Bytes...)
	wait := p.functions[0].To - testText - 8 // the wfi before the last ret
	binary.LittleEndian.PutUint32(code[wait:], encodeJ(int32(dump-testText-wait), 0))
	s.WriteString(".option norelax\n.section .prog,\"ax\"\nprog:\n")
	for _, b := range code {
		fmt.Fprintf(&s, ".byte %d\n", b)
	}
	s.WriteString(".section .ram,\"aw\"\n")
	for _, b := range p.RAM.Bytes {
		fmt.Fprintf(&s, ".byte %d\n", b)
	}
	s.WriteString(".bss\n.p2align 4\nout: .space 128\n.text\nlui x1, %hi(out)\naddi x1, x1, %lo(out)\n")
	for n := range 32 {
		fmt.Fprintf(&s, "sw x%d, %d(x1)\n", n, 4*n)
	}
	fmt.Fprintf(&s, "mv a1, x1\nli a0, 1\nli a2, 128\nli a7, 64\necall\n"+
		"li a0, 1\nli a1, %d\nli a2, %d\necall\nli a0, 0\nli a7, 93\necall\n", testRAM, len(p.RAM.Bytes))
	s.WriteString(".globl _start\n_start:\n")
	for n := 1; n < 32; n++ {
		fmt.Fprintf(&s, "li x%d, 0\n", n)
	}
	fmt.Fprintf(&s, "li x2, %d\nli x3, %d\nj prog\n", testRAM+2048, testRAM+16)
	folder := t.TempDir()
	source, object, program := filepath.Join(folder, "a.s"), filepath.Join(folder, "a.o"), filepath.Join(folder, "a")
	require.NoError(t, os.WriteFile(source, []byte(s.String()), 0o644))
	out, err := exec.Command("clang", "--target=riscv32", "-march=rv32imc", "-mabi=ilp32", "-c", "-o", object,
		source).CombinedOutput()
	require.NoError(t, err, string(out))
	out, err = exec.Command("ld.lld", "-static", "-e", "_start", "--section-start=.prog=0x80000000",
		"--section-start=.text=0x80010000", "--section-start=.ram=0x20000000", "-o", program, object).CombinedOutput()
	require.NoError(t, err, string(out))
	return program
}

// TestLongMutants: the comparison of random programs finds planted errors of the translator.
func TestLongMutants(t *testing.T) {
	for name, plant := range map[string]func() (restore func()){
		"sub adds":               func() func() { return swap(operations, opSUB, format.OpI32Add) },
		"slt is unsigned":        func() func() { return swap(operations, opSLT, format.OpI32LtU) },
		"sra is logical":         func() func() { return swap(operations, opSRA, format.OpI32ShrU) },
		"bge excludes equal":     func() func() { return swap(comparisons, opBGE, format.OpI32GtS) },
		"bltu is signed":         func() func() { return swap(comparisons, opBLTU, format.OpI32LtS) },
		"lb extends with zeros":  func() func() { return swap(loadsOfWasm, opLB, opI32Load8U) },
		"lhu extends with signs": func() func() { return swap(loadsOfWasm, opLHU, opI32Load16S) },
	} {
		restore := plant()
		found := false
		for seed := uint64(0); seed < 200 && !found; seed++ {
			p := draw(seed, seed%2 != 0)
			reference := NewProcessor(p, Instructions(), noWindow{})
			reference.X[2], reference.X[3] = testRAM+2048, testRAM+16
			ends, trap := false, error(nil)
			for n := 0; n < 20_000 && !ends && trap == nil; n++ {
				ends, trap = reference.Step()
			}
			if !ends {
				continue
			}
			x := newMachine(t, &translator{Program: p, timing: timing{&Instructions().cost, p}})
			x.setRegister(2, testRAM+2048)
			x.setRegister(3, testRAM+16)
			cost, err := x.turn()
			found = err != nil || cost != reference.Cycles || x.registers() != reference.X ||
				string(x.memory()) != string(reference.RAM)
		}
		restore()
		require.True(t, found, name)
	}
}

func swap(table map[Op]int, op Op, other int) (restore func()) {
	right := table[op]
	table[op] = other
	return func() { table[op] = right }
}
