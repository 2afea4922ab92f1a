package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSweepUnits checks that a sweep over networks has units for figures whose unit differs, and for axes that are
// loads; a plot has a single unit.
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
	for _, columns := range [][2]string{{"load", "latency.p99"}, {"network", "accepted"}, {"load.mean", "latency.p99"}} {
		r = starloomIn(t, dir, "plot", "out", "--x", columns[0], "--y", columns[1], "-o", "a.svg")
		require.Equal(t, statusInput, r.status, columns)
		require.Contains(t, r.stderr, "draw the rows of one unit: --where network=crossbar, or --where network=mesh")
	}
	require.Contains(t, starloomIn(t, dir, "plot", "out", "--x", "load", "--y", "latency.p99", "-o", "a.svg").stderr,
		"--x: load is in packets per processor and slot in line 2 of results.csv, and in flits per node and cycle in line 3")
	require.NoFileExists(t, filepath.Join(dir, "a.svg"))
	for figure, label := range map[string]string{"latency.p99": "latency.p99 (cycles)", "accepted": "accepted (flits per node and cycle)"} {
		r = starloomIn(t, dir, "plot", "out", "--x", "load", "--y", figure, "--where", "network=mesh", "-o", "-")
		require.Equal(t, statusPass, r.status, r.stderr)
		require.Contains(t, r.stdout, label)
		require.Contains(t, r.stdout, "load (flits per node and cycle)")
	}
	r = starloomIn(t, dir, "plot", "out", "--x", "load", "--y", "latency.p99", "--where", "network=mesh", "--x-label", "offered load", "--y-label", "p99",
		"--width", "340", "-o", "-")
	require.Equal(t, statusPass, r.status, r.stderr)
	for _, part := range []string{` width="340"`, ">offered load</text>", ">p99</text>", `font-size="12"`} {
		require.Contains(t, r.stdout, part)
	}
	r = starloomIn(t, dir, "plot", "out", "--x", "load", "--y", "latency.p99", "--width", "12", "-o", "-")
	require.Equal(t, statusInput, r.status)
	require.Contains(t, r.stderr, "--width: 12 is not a width; give points from 240 to 4000")
	text, err := os.ReadFile(filepath.Join(dir, "page.html"))
	require.NoError(t, err)
	require.NotContains(t, string(text), "accepted (packets per processor and slot)")
}
