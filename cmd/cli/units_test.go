package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSweepUnits: a sweep over networks has the units of figures that differ between these, and plots draw latencies together, and loads not.
func TestSweepUnits(t *testing.T) {
	dir := folder(t, map[string]string{"sweep.yaml": `scenario: {starloom: 1, name: units, fabric: {crossbar: {ports: 4}},
  workload: {traffic: {rate: 0.1, warm_up: 100 cycles, measure: 2000 cycles, drain: 5000 cycles}}}
axes:
  load: {key: workload.traffic.rate, values: [0.05, 0.1]}
  network:
    settings:
      crossbar: {fabric: {crossbar: {ports: 4}}, firmware: {program: crossbar/traffic}}
      mesh: {fabric: {netlist: {mesh: {k: [2, 2]}, router: {}}}}
`})
	r := starloomIn(t, dir, "sweep", "sweep.yaml", "--out", "out", "--html", "page.html")
	require.Equal(t, statusPass, r.status, r.stderr)
	results, err := os.ReadFile(filepath.Join(dir, "out", "results.csv"))
	require.NoError(t, err)
	for _, says := range []string{"accepted.high,accepted.unit,", ",packets per processor and slot,", ",flits per node and cycle,"} {
		require.Contains(t, string(results), says)
	}
	r = starloomIn(t, dir, "plot", "out", "--x", "load", "--y", "accepted", "-o", "a.svg")
	require.Equal(t, statusInput, r.status)
	require.Contains(t, r.stderr, "--y: accepted is in packets per processor and slot in line 2 of results.csv, and in flits per node and cycle in line 3; "+
		"draw those of one unit: --where network=crossbar, or --where network=mesh")
	require.NoFileExists(t, filepath.Join(dir, "a.svg"))
	for figure, label := range map[string]string{"latency.p99": "latency.p99 (cycles)", "accepted": "accepted (flits per node and cycle)"} {
		r = starloomIn(t, dir, "plot", "out", "--x", "load", "--y", figure, "--where", "network=mesh", "-o", "-")
		require.Equal(t, statusPass, r.status, r.stderr)
		require.Contains(t, r.stdout, label)
	}
	require.Equal(t, statusPass, starloomIn(t, dir, "plot", "out", "--x", "load", "--y", "latency.p99", "-o", "-").status)
	text, err := os.ReadFile(filepath.Join(dir, "page.html"))
	require.NoError(t, err)
	require.NotContains(t, string(text), "accepted (packets per processor and slot)")
}
