package programs

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"starloom/internal/systemtest"

	"github.com/stretchr/testify/require"
)

// tenKernels are the functions of testdata/ten_kernels.c, one a program.
var tenKernels = []string{"fibonacci", "crc_bitwise", "crc_by_table", "hash", "sort", "matrix", "machine", "list", "copy",
	"divide"}

// BenchmarkTranslated sets ten programs for RISC-V, translated and with the cycles of an Ibex, beside the same C as
// WebAssembly without a model of time: user times of whole processes of `starloom run`, which must have one digest.
// Figures of each program are medians:
//
//	wasm-s, riscv-s  user times
//	ratio, mark      the median of their ratios; the mark is 3, for the median of the ten programs
func BenchmarkTranslated(b *testing.B) {
	folder := b.TempDir()
	starloom := filepath.Join(folder, "starloom")
	out, err := exec.Command("go", "build", "-o", starloom, "./cmd/starloom").CombinedOutput()
	require.NoError(b, err, string(out))
	text, err := os.ReadFile("internal/systemtest/programs/testdata/ten_kernels.c")
	require.NoError(b, err)
	var ratios []float64
	report := func(b *testing.B, ratio float64) {
		b.ReportMetric(ratio, "ratio")
		b.ReportMetric(3, "mark")
		b.ReportMetric(0, "ns/op")
	}
	for _, kernel := range tenKernels {
		b.Run(kernel, func(b *testing.B) {
			source := filepath.Join(folder, kernel+".c")
			require.NoError(b, os.WriteFile(source,
				append(fmt.Appendf(nil, "#define KERNEL %s\n#define REPEATS 10\n", kernel), text...), 0o644))
			image, elf := filepath.Join(folder, kernel+".wasm"), filepath.Join(folder, kernel+".elf")
			for _, build := range [][]string{{"-o", image, source}, {"--target", "rv32imc", "-o", elf, source}} {
				out, err := exec.Command(starloom, append([]string{"firmware", "build"}, build...)...).CombinedOutput()
				require.NoError(b, err, string(out))
			}
			var wasm, riscv, each []float64
			for b.Loop() {
				first, want := userTime(b, starloom, image, "")
				second, got := userTime(b, starloom, elf, "model: ibex")
				require.Equal(b, want, got)
				wasm, riscv, each = append(wasm, first), append(riscv, second), append(each, second/first)
			}
			b.ReportMetric(systemtest.Median(wasm), "wasm-s")
			b.ReportMetric(systemtest.Median(riscv), "riscv-s")
			report(b, systemtest.Median(each))
			ratios = append(ratios, systemtest.Median(each))
		})
	}
	if len(ratios) == len(tenKernels) {
		b.Run("median", func(b *testing.B) {
			for b.Loop() {
			}
			report(b, systemtest.Median(ratios))
		})
	}
}

// userTime runs an image on POPS(4,4), with keys of firmware.cpu.
func userTime(b *testing.B, starloom, image, cpu string) (seconds float64, digest string) {
	scenario := image + ".yaml"
	require.NoError(b, os.WriteFile(scenario, fmt.Appendf(nil, `starloom: 1
fabric: {pops: {groups: 4, group_size: 4}}
firmware: {image: %s, cpu: {%s}}
stop: {slots: 2000}
`, filepath.Base(image), cpu), 0o644))
	command := exec.Command(starloom, "run", "--json", "-", scenario)
	out, err := command.Output()
	require.NoError(b, err, string(out))
	var r struct{ Verdict, Digest string }
	require.NoError(b, json.Unmarshal(out, &r))
	require.Equal(b, "pass", r.Verdict)
	return float64(command.ProcessState.SysUsage().(*syscall.Rusage).Utime.Nano()) / 1e9, r.Digest
}
