package engines

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"starloom"
	"starloom/internal/systemtest"

	"github.com/stretchr/testify/require"
)

// scaleNICs are the NICs of BenchmarkScale: buffers as they are if a scenario says
// nothing, and the smallest that pops/random works with, of one frame of 8 bytes.
var scaleNICs = []struct {
	name, nic string
	mark      float64 // with 16,777,216 processors
}{
	{"default", "", 1 / 0.38},
	{"smallest", "nic: {payload_bytes: 8, rx_frames: 1, tx_frames: 1}", 1 / 0.35},
}

// BenchmarkScale routes one random permutation on POPS(g,g), whole processes from
// start to verdict, beside a C++ simulator with one object per processor, coupler
// and message (fabric/pops/benchmarks/pops_objects.cpp, g++ -O2, one thread), with seeds
// for which both take 40 slots. Every round runs all of them, one after the other, so
// that a busy machine slows all, and every other round in the opposite order: on a virtual
// machine that gives free memory back to its host, a process pays for what it touches first,
// unless the one before it has just left memory of the same kind. Figures are medians:
//
//	c++-s, c++-MB  the yardstick: wall time, and peak of memory
//	NIC-s, NIC-MB  `starloom run` on all cores, firmware in the sandbox, with the
//	               default and with the smallest buffers
//	NIC-cpu-s      its processor time
//	c++:NIC        how many times faster starloom is; below 1 it is slower
//	NIC-mark       the smallest c++:NIC that is a goal
//	native-s       the machine with default buffers and firmware in Go, in this process
func BenchmarkScale(b *testing.B) {
	folder := b.TempDir()
	program := buildProgram(b, folder)
	baseline := filepath.Join(folder, "baseline")
	out, err := exec.Command("g++", "-O2", "-std=c++17", "-o", baseline, "fabric/pops/benchmarks/pops_objects.cpp").CombinedOutput()
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
			runs := []func() systemtest.Process{func() systemtest.Process {
				return systemtest.TimeProcess(b, `"slots":40,"ok":true`, baseline, fmt.Sprint(n), "1")
			}}
			for _, scenario := range scenarios {
				runs = append(runs, func() systemtest.Process {
					return systemtest.TimeProcess(b, "slots                      40\n", program, "run", scenario)
				})
			}
			for round := 0; b.Loop(); round++ {
				took := make([]systemtest.Process, len(runs))
				for i := range runs {
					if round%2 == 1 {
						i = len(runs) - 1 - i
					}
					took[i] = runs[i]()
				}
				plain := took[0]
				note("c++-s", plain.Seconds)
				note("c++-MB", plain.Megabytes)
				for i, nic := range scaleNICs {
					p := took[1+i]
					note(nic.name+"-s", p.Seconds)
					note(nic.name+"-cpu-s", p.CpuSeconds)
					note(nic.name+"-MB", p.Megabytes)
					note("c++:"+nic.name, plain.Seconds/p.Seconds)
					if groups == 4096 {
						note(nic.name+"-mark", nic.mark)
					}
				}

				start := time.Now()
				m, err := starloom.NewMachine(context.Background(), systemtest.RouterScenario("pops/random", groups, groups),
					starloom.MachineOptions{Engine: starloom.EngineSlot, Runtime: "native"})
				require.NoError(b, err)
				require.NoError(b, m.Run(context.Background(), nil))
				require.Equal(b, starloom.VerdictPass, m.Report().Verdict)
				note("native-s", time.Since(start).Seconds())
				require.NoError(b, m.Close())
			}
			for name, values := range figures {
				b.ReportMetric(systemtest.Median(values), name)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

func buildProgram(b *testing.B, folder string) (program string) {
	program = filepath.Join(folder, "starloom")
	out, err := exec.Command("go", "build", "-o", program, "./cmd/starloom").CombinedOutput()
	require.NoError(b, err, string(out))
	return program
}

// BenchmarkStart reports the processor time of `starloom version`, beside the mark.
func BenchmarkStart(b *testing.B) {
	program := buildProgram(b, b.TempDir())
	var spent []float64
	for b.Loop() {
		spent = append(spent, 1e3*systemtest.TimeProcess(b, "starloom", program, "version").CpuSeconds)
	}
	b.ReportMetric(systemtest.Median(spent), "cpu-ms")
	b.ReportMetric(8, "cpu-ms-mark")
	b.ReportMetric(0, "ns/op")
}
