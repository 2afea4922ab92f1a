package programs

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"starloom"
	"starloom/internal/systemtest"

	"github.com/stretchr/testify/require"
)

// BenchmarkGossip gossips, firmware in the sandbox:
//
//	slot/N=4095   pipelined, 16.8 million frames, whole processes: `starloom run` beside a
//	              lean C++ program that only fills the run-table
//	              (fabric/crossbar/benchmarks/gossip_table.cpp, -O2)
//	slot/N=2047   Algorithm 2 on identity, 4.2 million frames, whole processes
//	cycle/N=255   pipelined, and Algorithm 2 on identity, in the cycle engine
//
// Seconds are processor time; figures are medians.
func BenchmarkGossip(b *testing.B) {
	b.Run("slot/N=4095", benchGossipProcess)
	b.Run("slot/N=2047/identity/scheduling=2", benchAlgorithm2)
	for _, c := range []struct {
		orders     string
		scheduling int
	}{{"pipelined", 0}, {"identity", 2}} {
		b.Run(fmt.Sprintf("cycle/N=255/%s/scheduling=%d", c.orders, c.scheduling), func(b *testing.B) {
			m := systemtest.Machine(b, systemtest.GossipScenario(255, c.scheduling, starloom.Gossip{Orders: c.orders}),
				starloom.MachineOptions{Engine: starloom.EngineCycle, Workers: 1})
			var seconds []float64
			for b.Loop() {
				require.NoError(b, m.Reset(1))
				start := systemtest.CpuTime(b)
				require.NoError(b, m.Run(context.Background(), nil))
				seconds = append(seconds, (systemtest.CpuTime(b) - start).Seconds())
				require.Equal(b, starloom.VerdictPass, m.Report().Verdict)
			}
			b.ReportMetric(systemtest.Median(seconds), "s")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func benchGossipProcess(b *testing.B) {
	const N, steps = 4095, 3 * 4095
	starloom, table := filepath.Join(b.TempDir(), "starloom"), filepath.Join(b.TempDir(), "table")
	built(b, "go", "build", "-o", starloom, "./cmd/starloom")
	built(b, "g++", "-O2", "-std=c++17", "-o", table, "fabric/crossbar/benchmarks/gossip_table.cpp")
	scenario := gossipFile(b, N, "", "{program: gossip/fsa}", "pipelined", steps)
	var plain, seconds, megabytes, ratios []float64
	for b.Loop() {
		least := systemtest.TimeProcess(b, fmt.Sprintf(`"lambda":%d`, steps), table, fmt.Sprint(N))
		run := systemtest.TimeProcess(b, fmt.Sprintf("lambda       %d\n", steps), starloom, "run", scenario)
		plain, seconds = append(plain, least.CpuSeconds), append(seconds, run.CpuSeconds)
		megabytes, ratios = append(megabytes, run.Megabytes), append(ratios, run.CpuSeconds/least.CpuSeconds)
	}
	b.ReportMetric(systemtest.Median(plain), "c++-s")
	b.ReportMetric(systemtest.Median(seconds), "s")
	b.ReportMetric(systemtest.Median(seconds)*1e6/(N*(N+1)), "us/frame")
	b.ReportMetric(systemtest.Median(megabytes), "MB")
	b.ReportMetric(systemtest.Median(ratios), "s:c++")
	b.ReportMetric(0, "ns/op")
}

func benchAlgorithm2(b *testing.B) {
	const N, steps = 2047, 6266
	starloom := filepath.Join(b.TempDir(), "starloom")
	built(b, "go", "build", "-o", starloom, "./cmd/starloom")
	scenario := gossipFile(b, N, ", matching: list", "{program: gossip/fsa, params: {scheduling: 2}}", "identity", steps)
	var seconds []float64
	for b.Loop() {
		run := systemtest.TimeProcess(b, fmt.Sprintf("lambda       %d\n", steps), starloom, "run", scenario)
		seconds = append(seconds, run.CpuSeconds)
	}
	b.ReportMetric(systemtest.Median(seconds), "s")
	b.ReportMetric(systemtest.Median(seconds)*1e6/(N*(N+1)), "us/frame")
	b.ReportMetric(0, "ns/op")
}

// gossipFile writes a scenario of gossip among N+1 processors with the smallest NICs.
func gossipFile(b *testing.B, N int, crossbar, firmware, orders string, steps int) string {
	scenario := filepath.Join(b.TempDir(), "gossip.yaml")
	require.NoError(b, os.WriteFile(scenario, fmt.Appendf(nil, `
starloom: 1
fabric: {crossbar: {ports: %d%s}}
firmware: %s
nic: {payload_bytes: 8, rx_frames: 1, tx_frames: 1}
workload: {gossip: {orders: %s}}
stop: {slots: %d}
`, N+1, crossbar, firmware, orders, steps+1), 0o644))
	return scenario
}

// built builds a program of a benchmark.
func built(b *testing.B, command ...string) {
	out, err := exec.Command(command[0], command[1:]...).CombinedOutput()
	require.NoError(b, err, string(out))
}
