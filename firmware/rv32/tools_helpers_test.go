package rv32

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var full = flag.Bool("full", false, "run the long tests")

// link compiles and links a source for an architecture, such as rv32imc, with clang and lld.
func link(t *testing.T, name, source, march string, flags ...string) []byte {
	folder := t.TempDir()
	path, object, program := filepath.Join(folder, name), filepath.Join(folder, "a.o"), filepath.Join(folder, "a.elf")
	require.NoError(t, os.WriteFile(path, []byte(source), 0o644))
	arguments := append([]string{"--target=riscv32", "-march=" + march, "-mabi=ilp32", "-mno-relax", "-O2", "-g",
		"-ffreestanding", "-nostdlib", "-c", "-o", object, path}, flags...)
	out, err := exec.Command("clang", arguments...).CombinedOutput()
	require.NoError(t, err, "%s; install the packages clang and lld", out)
	out, err = exec.Command("ld.lld", "-static", "-e", "_start", "-o", program, object).CombinedOutput()
	require.NoError(t, err, string(out))
	elf, err := os.ReadFile(program)
	require.NoError(t, err)
	return elf
}
