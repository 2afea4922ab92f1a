//go:build unix

package sweep_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/internal/sweep"
)

// processorTime returns the processor time of this process on all cores.
func processorTime(b *testing.B) time.Duration {
	var use syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &use))
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

// waitingTime returns the time that threads of this process have waited for busy cores, if the system reports it.
func waitingTime() (wait time.Duration) {
	tasks, _ := filepath.Glob("/proc/self/task/*/schedstat") // empty except on Linux
	for _, task := range tasks {
		data, _ := os.ReadFile(task) // nil for a thread that has ended
		if fields := strings.Fields(string(data)); len(fields) > 1 {
			ns, _ := strconv.ParseInt(fields[1], 10, 64)
			wait += time.Duration(ns)
		}
	}
	return wait
}

// BenchmarkSweepBusy reports the share of two cores that a sweep keeps busy, from the file to the tables, with 40
// points of at least 50 ms. On a busy machine it is lower; a second figure includes the time in which threads wait
// for a core.
func BenchmarkSweepBusy(b *testing.B) {
	path := filepath.Join(b.TempDir(), "busy.yaml")
	text := strings.NewReplacer("100, 1]", "20, 1]", "seeds: 1..30", "seeds: 1..400").Replace(points200)
	require.NoError(b, os.WriteFile(path, []byte(text), 0o666))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	var busy, waits, wall time.Duration
	for b.Loop() {
		begun, before, waited := time.Now(), processorTime(b), waitingTime()
		_, err := starloom.Sweep(context.Background(), path, sweep.Options{Out: b.TempDir(), Workers: 2})
		require.NoError(b, err)
		busy, waits, wall = busy+processorTime(b)-before, waits+waitingTime()-waited, wall+time.Since(begun)
	}
	b.ReportMetric(100*busy.Seconds()/(2*wall.Seconds()), "%-busy")
	b.ReportMetric(100*(busy+waits).Seconds()/(2*wall.Seconds()), "%-busy-or-waiting")
	b.ReportMetric(1000*busy.Seconds()/float64(40*b.N), "ms/point")
}

// BenchmarkSweepOverSeeds compares the processor time of a sweep with that of the same runs by RunSeeds, point by
// point: gossip and scattering, N = 2, 4 ... 64, three orders each. The ratio approaches one for larger networks.
func BenchmarkSweepOverSeeds(b *testing.B) {
	data, err := os.ReadFile("../../examples/sweeps/gossip.yaml")
	require.NoError(b, err)
	path := filepath.Join(b.TempDir(), "gossip.yaml")
	require.NoError(b, os.WriteFile(path, []byte(strings.Replace(string(data), "to: 512", "to: 64", 1)), 0o666))
	settings := [][]starloom.Assignment{}
	for _, orders := range []string{"identity", "pipelined", "shared-random"} {
		settings = append(settings, []starloom.Assignment{{Key: "workload.gossip.orders", Value: orders}})
	}
	for _, order := range []string{"0", "1", "2"} {
		settings = append(settings, []starloom.Assignment{{Key: "firmware.program", Value: "scatter/async"}, {Key: "firmware.params.order", Value: order},
			{Key: "workload.scatter.origin", Value: "0"}})
	}
	var swept, started time.Duration
	for b.Loop() {
		before := processorTime(b)
		_, err := starloom.Sweep(context.Background(), path, sweep.Options{Out: b.TempDir()})
		require.NoError(b, err)
		between := processorTime(b)
		for _, ports := range []string{"2", "4", "8", "16", "32", "64"} {
			for _, set := range settings {
				set := append([]starloom.Assignment{{Key: "fabric.crossbar.ports", Value: ports}}, set...)
				s, err := starloom.ParseScenario("", []byte("starloom: 1\nfabric: {crossbar: {ports: 2}}\nfirmware: {program: gossip/fsa}\n"), set...)
				require.NoError(b, err)
				o := starloom.RunOptions{Reports: starloom.ReportFiles{CSV: starloom.File(filepath.Join(b.TempDir(), "runs.csv"))}}
				_, err = starloom.RunSeeds(context.Background(), s, starloom.Seeds{First: 1, Last: 200}, o)
				require.NoError(b, err)
			}
		}
		swept, started = swept+between-before, started+processorTime(b)-between
	}
	b.ReportMetric(swept.Seconds()/started.Seconds(), "sweep/seeds")
}
