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

// scaleNICs are the NICs of BenchmarkScale: buffers as they are if a scenario says
// nothing, and the smallest that pops/random works with, of one frame of 8 bytes.
var scaleNICs = []struct{ name, nic string }{
	{"default", ""},
	{"smallest", "nic: {payload_bytes: 8, rx_frames: 1, tx_frames: 1}"},
}

// BenchmarkScale routes one random permutation on POPS(g,g), whole processes from
// start to verdict, beside a C++ simulator with one object per processor, coupler
// and message (fabric/pops/benchmarks/pops_objects.cpp, g++ -O2, one thread), with seeds
// for which both take 40 slots. Every round runs all of them, one after the other, so
// that a busy machine slows all; figures are medians:
//
//	c++-s, c++-MB  the yardstick: wall time, and peak of memory
//	NIC-s, NIC-MB  `starloom run` on all cores, firmware in the sandbox, with the
//	               default and with the smallest buffers
//	c++:NIC        how many times faster starloom is; below 1 it is slower
//	native-s       the machine with default buffers and firmware in Go, in this process
func BenchmarkScale(b *testing.B) {
	folder := b.TempDir()
	starloom := filepath.Join(folder, "starloom")
	out, err := exec.Command("go", "build", "-o", starloom, "./cmd/starloom").CombinedOutput()
	require.NoError(b, err, string(out))
	baseline := filepath.Join(folder, "baseline")
	out, err = exec.Command("g++", "-O2", "-std=c++17", "-o", baseline, "fabric/pops/benchmarks/pops_objects.cpp").CombinedOutput()
	require.NoError(b, err, string(out))
	for _, groups := range []int{1024, 4096} {
		n := groups * groups
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			scenarios := make([]string, len(scaleNICs))
			for i, nic := range scaleNICs {
				scenarios[i] = filepath.Join(b.TempDir(), nic.name+".yaml")
				require.NoError(b, os.WriteFile(scenarios[i], fmt.Appendf(nil, `
starloom: 1
fabric: {pops: {groups: %d, group_size: %d}}
firmware: {program: pops/random}
%s
`, groups, groups, nic.nic), 0o644))
			}
			figures := map[string][]float64{}
			note := func(name string, value float64) { figures[name] = append(figures[name], value) }
			for b.Loop() {
				plain, peak := timeProcess(b, `"slots":40,"ok":true`, baseline, fmt.Sprint(n), "1")
				note("c++-s", plain)
				note("c++-MB", peak)
				for i, nic := range scaleNICs {
					seconds, peak := timeProcess(b, "slots                      40\n", starloom, "run", scenarios[i])
					note(nic.name+"-s", seconds)
					note(nic.name+"-MB", peak)
					note("c++:"+nic.name, plain/seconds)
				}

				start := time.Now()
				m, err := NewMachine(context.Background(), routerScenario("pops/random", groups, groups), MachineOptions{Engine: EngineSlot, Runtime: "native"})
				require.NoError(b, err)
				require.NoError(b, m.Run(context.Background(), nil))
				require.Equal(b, VerdictPass, m.Report().Verdict)
				note("native-s", time.Since(start).Seconds())
				require.NoError(b, m.Close())
			}
			for name, values := range figures {
				b.ReportMetric(median(values), name)
			}
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
