package programs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"starloom/internal/systemtest"

	"github.com/stretchr/testify/require"
)

// BenchmarkEJ broadcasts from one node on EJ_{3+4rho}^(n), whole processes: `starloom run` on
// all cores with firmware in the sandbox, beside a C++ program that goes step by step through a
// byte for each node, without firmware and frames (fabric/ej/benchmarks/ej_broadcast.cpp, -O2,
// one thread). Figures are medians:
//
//	c++-s, c++-MB  the yardstick: wall time, and peak of memory
//	s, cpu-s, MB   starloom
//	s:c++          wall times
func BenchmarkEJ(b *testing.B) {
	folder := b.TempDir()
	starloom, plain := filepath.Join(folder, "starloom"), filepath.Join(folder, "broadcast")
	for _, build := range [][]string{
		{"go", "build", "-o", starloom, "./cmd/starloom"},
		{"g++", "-O2", "-std=c++17", "-o", plain, "fabric/ej/benchmarks/ej_broadcast.cpp"},
	} {
		out, err := exec.Command(build[0], build[1:]...).CombinedOutput()
		require.NoError(b, err, string(out))
	}
	for _, dimensions := range []int{4, 5} {
		b.Run(fmt.Sprintf("dimensions=%d", dimensions), func(b *testing.B) {
			scenario := filepath.Join(b.TempDir(), "ej.yaml")
			require.NoError(b, os.WriteFile(scenario, fmt.Appendf(nil, `
starloom: 1
fabric: {ej: {a: 3, b: 4, dimensions: %d}}
firmware: {program: ej/improved}
workload: {one_to_all: {source: 0}}
`, dimensions), 0o644))
			figures := map[string][]float64{}
			note := func(name string, value float64) { figures[name] = append(figures[name], value) }
			for b.Loop() {
				least := systemtest.TimeProcess(b, `"ok":true`, plain, "3", fmt.Sprint(dimensions))
				run := systemtest.TimeProcess(b, "missing               0\nduplicates            0\n", starloom, "run", scenario)
				note("c++-s", least.Seconds)
				note("c++-MB", least.Megabytes)
				note("s", run.Seconds)
				note("cpu-s", run.CpuSeconds)
				note("MB", run.Megabytes)
				note("s:c++", run.Seconds/least.Seconds)
			}
			for name, values := range figures {
				b.ReportMetric(systemtest.Median(values), name)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}
