package estimate_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"starloom"
	"starloom/internal/estimate"
)

// runEnvironment makes the child process of BenchmarkEstimates run a scenario. Its value: engine, whether to write a
// waveform, and file.
const runEnvironment = "STARLOOM_TEST_ESTIMATE"

// estimated lists scenarios of all fabrics with all ways to run: engine, whether a waveform is written, scenario.
var estimated = map[string][3]string{
	"pops random":           {"slot", "", "fabric: {pops: {groups: 1024, group_size: 1024}}\nfirmware: {program: pops/random}"},
	"pops sort, metered":    {"slot", "", "fabric: {pops: {groups: 256, group_size: 512}}\nfirmware: {program: pops/sort, cpu: {model: rv32-inorder, budget_cycles: 600}}"},
	"pops random, isolated": {"slot", "", "fabric: {pops: {groups: 128, group_size: 128}}\nfirmware: {program: pops/random, mode: isolated, cpu: {model: rv32-inorder, budget_cycles: 600}}"},
	"pops corrected, cycle": {"cycle", "", "fabric: {pops: {groups: 512, group_size: 512}}\nfirmware: {program: pops/random-corrected}"},
	"gossip pipelined":      {"slot", "", "fabric: {crossbar: {ports: 4000}}\nfirmware: {program: gossip/fsa}\nworkload: {gossip: {orders: pipelined}}"},
	"gossip random":         {"slot", "", "fabric: {crossbar: {ports: 3000}}\nfirmware: {program: gossip/fsa}\nworkload: {gossip: {orders: shared-random}}"},
	"gossip, waveform":      {"auto", "vcd", "fabric: {crossbar: {ports: 1000}}\nfirmware: {program: gossip/fsa}\nworkload: {gossip: {orders: pipelined}}"},
	"scatter":               {"slot", "", "fabric: {crossbar: {ports: 30000}}\nfirmware: {program: scatter/async, params: {order: 2}}\nworkload: {scatter: {origin: 0}}"},
	"ej broadcast":          {"slot", "", "fabric: {ej: {a: 2, b: 3, dimensions: 5}}\nfirmware: {program: ej/improved}\nworkload: {one_to_all: {source: 0}}"},
	"ej all-to-all":         {"slot", "", "fabric: {ej: {a: 2, b: 3, dimensions: 3}}\nfirmware: {program: ej/all-to-all-c2}\nworkload: {all_to_all: {}}"},
	"bus gossip":            {"slot", "", "fabric: {bus: {vertices: 40000, length: 4}}\nfirmware: {program: bus/improved}"},
	"bus sensors, cycle": {"cycle", "", "fabric: {bus: {vertices: 8, arbiter: fixed, buses: [[0, 1, 2, 3, 4, 5, 6, 7]]}}\nfirmware: {program: bus/sensors, params: {period: 20, readings: 30000}}\n" +
		"stop: {slots: 1000000}"},
}

// BenchmarkEstimates compares estimated with actual processor time and memory, as ratios. Runs of more than four
// seconds are estimated from a part. The ratio of times must be within 1.5, except that estimates by the limit of
// slots need only be not below; that of memory must be within 1.25.
func BenchmarkEstimates(b *testing.B) {
	if run := os.Getenv(runEnvironment); run != "" {
		child(b, run)
		return
	}
	for name, c := range estimated {
		b.Run(name, func(b *testing.B) {
			dir := b.TempDir()
			file := filepath.Join(dir, "s.yaml")
			require.NoError(b, os.WriteFile(file, []byte("starloom: 1\n"+c[2]+"\n"), 0o644))
			var told, took, toldBytes, tookBytes float64
			var basis string
			for range b.N {
				s, err := starloom.LoadScenario(file)
				require.NoError(b, err)
				e, err := s.Estimate(context.Background(),
					starloom.EstimateOptions{Run: options(c[0], c[1], dir), Longest: 4 * time.Second})
				require.NoError(b, err)
				runtime.GC()
				command := exec.Command(os.Args[0], "-test.run=^$", "-test.bench=^BenchmarkEstimates$", "-test.benchtime=1x")
				command.Env = append(os.Environ(), runEnvironment+"="+strings.Join([]string{c[0], c[1], file}, "|"))
				out, err := command.CombinedOutput()
				require.NoError(b, err, string(out))
				_, line, _ := strings.Cut(string(out), "took ")
				var seconds, kilobytes float64
				_, err = fmt.Sscan(line, &seconds, &kilobytes)
				require.NoError(b, err, string(out))
				basis = e.Time.Basis
				told, took = told+e.Time.Processor, took+seconds
				toldBytes, tookBytes = toldBytes+float64(e.MemoryBytes), tookBytes+kilobytes*1024
				b.Logf("%.2f s are said, by %s %s, and %.2f s taken; %.0f and %.0f MiB", e.Time.Processor, e.Time.Basis, e.Time.From, seconds,
					float64(e.MemoryBytes)/(1<<20), kilobytes/1024)
			}
			b.ReportMetric(told/took, "time-ratio")
			b.ReportMetric(toldBytes/tookBytes, "memory-ratio")
			b.ReportMetric(0, "ns/op")
			if r := told / took; r > 1.5 && basis != estimate.BasisLimit || r < 1/1.5 {
				b.Errorf("the time is said to be %.2f times of what it is", r)
			}
			if r := toldBytes / tookBytes; r > 1.25 || r < 1/1.25 {
				b.Errorf("the memory is said to be %.2f times of what it is", r)
			}
		})
	}
}

func options(engine, vcd, dir string) (o starloom.RunOptions) {
	o.Engine = engine
	if vcd != "" {
		o.Record.VCD = starloom.File(filepath.Join(dir, "run.vcd"))
	}
	return o
}

// child runs a scenario and prints its cost.
func child(b *testing.B, run string) {
	words := strings.SplitN(run, "|", 3)
	s, err := starloom.LoadScenario(words[2])
	require.NoError(b, err)
	before := processorSeconds(b)
	_, err = starloom.Run(context.Background(), s, options(words[0], words[1], filepath.Dir(words[2])))
	require.NoError(b, err)
	took := processorSeconds(b) - before
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(b, err)
	_, line, _ := strings.Cut(string(status), "VmHWM:")
	fmt.Printf("\ntook %f %s\n", took, strings.Fields(line)[0])
}

func processorSeconds(b *testing.B) float64 {
	var u unix.Rusage
	require.NoError(b, unix.Getrusage(unix.RUSAGE_SELF, &u))
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
