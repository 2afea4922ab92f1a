package cores

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/firmware"
	"starloom/firmware/rv32"
)

// built compiles a handler with clang, and with GCC for RISC-V if it is installed.
func built(t *testing.T, source, target, level string) map[string]string {
	folder := t.TempDir()
	elves := map[string]string{"clang": filepath.Join(folder, "clang.elf")}
	require.NoError(t, firmware.Build(context.Background(), firmware.BuildOptions{Source: source, Output: elves["clang"],
		Target: target, Level: level, Verify: func([]byte) error { return nil }}))
	if gcc, err := exec.LookPath("riscv64-unknown-elf-gcc"); err == nil {
		elves["gcc"] = filepath.Join(folder, "gcc.elf")
		out, err := exec.Command(gcc, "-march="+target, "-mabi=ilp32", "-O"+level, "-g", "-ffreestanding", "-nostdlib",
			"-I", "firmware/sdk", "-include", "starloom_rv32.h", "-T", "firmware/sdk/starloom_rv32.ld", "-o", elves["gcc"],
			source, "firmware/sdk/starloom_rv32_runtime.c").CombinedOutput()
		require.NoError(t, err, string(out))
	}
	return elves
}

// TestCompiledPrograms: the core executes what compilers emit as the interpreter does, with the same cycles at every
// instruction and every access to the window.
func TestCompiledPrograms(t *testing.T) {
	b, core := openCore(t, coreFolder), multicycle(t)
	instructions := 0
	for _, source := range []string{"internal/systemtest/cores/testdata/kernels.c", "examples/languages/c/router.c"} {
		for _, way := range [][2]string{{"rv32i", "2"}, {"rv32ic", "2"}, {"rv32ic", "s"}} {
			for compiler, path := range built(t, source, way[0], way[1]) {
				file, err := os.ReadFile(path)
				require.NoError(t, err)
				p, err := rv32.Load(file)
				require.NoError(t, err)
				_, err = rv32.Translate(p, core, 0)
				require.NoError(t, err)
				for _, seed := range []uint32{0, 7} { // a plausible NIC, and any values
					b.limit = 20_000
					n, err := b.compare(p, core, 9, seed)
					require.NoError(t, err, "%s with %s -O%s by %s", source, way[0], way[1], compiler)
					instructions += n
				}
			}
		}
	}
	require.Greater(t, instructions, 80_000)
}

// TestCoreLacksM: programs with instructions of the extension M are refused for the core, with their place.
func TestCoreLacksM(t *testing.T) {
	file, err := os.ReadFile(built(t, "internal/systemtest/cores/testdata/kernels.c", "rv32imc", "2")["clang"])
	require.NoError(t, err)
	p, err := rv32.Load(file)
	require.NoError(t, err)
	_, err = rv32.Translate(p, multicycle(t), 0)
	require.ErrorContains(t, err, "has an instruction of the extension M in ")
	require.ErrorContains(t, err, " at sdk/starloom_rv32.h:")
	require.ErrorContains(t, err, ", which the core rv32-multicycle lacks; compile for rv32i or rv32ic")
}
