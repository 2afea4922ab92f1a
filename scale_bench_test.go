package starloom

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkScale routes one random permutation on POPS(g,g), whole processes from
// start to verdict, beside a C++ simulator with one object per processor, coupler
// and message (fabric/benchmarks, g++ -O2, one thread). Every round runs all of
// them, so that a busy machine slows all; figures are medians:
//
//	wasm-s    `starloom run` on all cores, firmware in the sandbox
//	wasm-MB   its peak of memory
//	native-s  the same machine with the firmware in Go, in this process
//	c++-s     the yardstick, with a seed for which it takes as many slots
//	c++:wasm  how many times faster starloom is
func BenchmarkScale(b *testing.B) {
	folder := b.TempDir()
	starloom := filepath.Join(folder, "starloom")
	out, err := exec.Command("go", "build", "-o", starloom, "./cmd/starloom").CombinedOutput()
	require.NoError(b, err, string(out))
	baseline := filepath.Join(folder, "baseline")
	out, err = exec.Command("g++", "-O2", "-std=c++17", "-o", baseline, "fabric/benchmarks/pops_baseline.cc").CombinedOutput()
	require.NoError(b, err, string(out))
	for _, size := range [][2]int{{1024, 2}, {4096, 1}} {
		groups, seed := size[0], size[1]
		b.Run(fmt.Sprintf("n=%d", groups*groups), func(b *testing.B) {
			scenario := filepath.Join(b.TempDir(), "scale.yaml")
			require.NoError(b, os.WriteFile(scenario, fmt.Appendf(nil, `
starloom: 1
fabric: {pops: {groups: %d, group_size: %d}}
nic: {payload_bytes: 8, rx_frames: 1, tx_frames: 1}
firmware: {program: pops/random}
`, groups, groups), 0o644))
			var wasm, native, plain, ratio, megabytes []float64
			for b.Loop() {
				seconds, _ := timeProcess(b, "slots=40 ", baseline, fmt.Sprint(groups), fmt.Sprint(seed))
				plain = append(plain, seconds)
				seconds, peak := timeProcess(b, "slots                      40\n", starloom, "run", scenario)
				wasm, megabytes = append(wasm, seconds), append(megabytes, peak)
				ratio = append(ratio, plain[len(plain)-1]/seconds)

				start := time.Now()
				m, err := NewMachine(context.Background(), routerScenario("pops/random", groups, groups), MachineOptions{Engine: EngineSlot, Runtime: "native"})
				require.NoError(b, err)
				require.NoError(b, m.Run(context.Background(), nil))
				require.Equal(b, VerdictPass, m.Report().Verdict)
				native = append(native, time.Since(start).Seconds())
				require.NoError(b, m.Close())
			}
			b.ReportMetric(median(wasm), "wasm-s")
			b.ReportMetric(median(megabytes), "wasm-MB")
			b.ReportMetric(median(native), "native-s")
			b.ReportMetric(median(plain), "c++-s")
			b.ReportMetric(median(ratio), "c++:wasm")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// timeProcess runs a program that must say something and returns its wall time and
// its peak of memory.
func timeProcess(b *testing.B, says, path string, args ...string) (seconds, megabytes float64) {
	command := exec.Command(path, args...)
	start := time.Now()
	out, err := command.CombinedOutput()
	seconds = time.Since(start).Seconds()
	require.NoError(b, err, strings.TrimSpace(string(out)))
	require.Contains(b, string(out), says)
	usage := command.ProcessState.SysUsage().(*syscall.Rusage)
	return seconds, float64(usage.Maxrss) / 1024 // kilobytes on Linux
}
