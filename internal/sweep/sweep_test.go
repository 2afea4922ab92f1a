package sweep_test

import (
	"context"
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/internal/sweep"
	"starloom/internal/sweep/folder"
)

// small is a sweep of two fabrics with points of some milliseconds.
const small = `
scenario: {starloom: 1, fabric: {crossbar: {ports: 4}}, firmware: {program: scatter/sync}, workload: {scatter: {origin: 0}}}
axes:
  n: {key: fabric.crossbar.ports, range: {from: 2, to: 16, times: 2}}
  what:
    settings:
      sync: {firmware.program: scatter/sync}
      async: {firmware.program: scatter/async, firmware.params.order: 2}
      gossip: {firmware.program: gossip/fsa, workload: {gossip: {orders: pipelined}}}
where: n < 16 || what != "async"
seeds: 3..7
`

// points200 has 200 points of about 20 ms on POPS and a crossbar, points1000 has 1,000.
const points200 = `
scenario: {starloom: 1, fabric: {pops: {groups: 8, group_size: 8}}, firmware: {program: pops/random}}
axes:
  fabric:
    settings:
      pops: {fabric.pops.groups: 8}
      crossbar: {fabric.crossbar.ports: 64, firmware.program: scatter/sync, workload.scatter.origin: 0}
  delay: {key: link.propagation_cycles, range: [1, 100, 1]}
seeds: 1..30
`

func fileOf(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "small.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

// tables returns the files that a sweep has written.
func tables(t *testing.T, out string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range []string{folder.ResultsCSV, folder.RunsCSV, folder.ReportsJSONL} {
		data, err := os.ReadFile(filepath.Join(out, name))
		require.NoError(t, err)
		all[name] = string(data)
	}
	return all
}

// run runs a sweep into the folder of the options, or a new one, which it returns.
func run(t *testing.T, path string, o sweep.Options) (string, *sweep.Report) {
	t.Helper()
	if o.Out == "" {
		o.Out = filepath.Join(t.TempDir(), "results")
	}
	report, err := starloom.Sweep(context.Background(), path, o)
	require.NoError(t, err)
	return o.Out, report
}

// rows returns the rows of a table, by name of the column.
func rows(t *testing.T, text string) (all []map[string]string) {
	t.Helper()
	cells, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	require.NoError(t, err)
	for _, row := range cells[1:] {
		named := map[string]string{}
		for k, name := range cells[0] {
			named[name] = row[k]
		}
		all = append(all, named)
	}
	return all
}

// TestSweep checks that tables equal those of the same runs started one by one, for any number of workers, and that a
// second call runs nothing.
func TestSweep(t *testing.T) {
	path := fileOf(t, small)
	one, report := run(t, path, sweep.Options{Workers: 1})
	require.Equal(t, uint64(55), report.Runs)
	want := tables(t, one)
	two, _ := run(t, path, sweep.Options{Workers: 2})
	require.Equal(t, want, tables(t, two))
	_, report = run(t, path, sweep.Options{Out: two})
	require.Equal(t, uint64(55), report.Extent.RunsThere)
	require.Equal(t, want, tables(t, two))

	points := rows(t, want[folder.ResultsCSV])
	require.Len(t, points, 11)
	require.Equal(t, []string{"4", "sync", "5", "0"}, []string{points[3]["n"], points[3]["what"], points[3]["runs"], points[3]["failed"]})
	scenario, err := starloom.ParseScenario("", []byte(`{starloom: 1, fabric: {crossbar: {ports: 4}}, firmware: {program: scatter/sync}, workload: {scatter: {origin: 0}}}`))
	require.NoError(t, err)
	seeds, err := starloom.RunSeeds(context.Background(), scenario,
		starloom.Seeds{First: 3, Last: 7}, starloom.RunOptions{})
	require.NoError(t, err)
	completion := seeds.Statistics.Get("completion")
	require.InDelta(t, *completion.Mean, number(t, points[3]["completion.mean"]), 1e-12)
	require.InDelta(t, *completion.SD, number(t, points[3]["completion.sd"]), 1e-12)
	// For four degrees of freedom, Student's t is 2.7764 (Student 1908; any table).
	require.InDelta(t, *completion.Mean+2.776445105*(*completion.SE), number(t, points[3]["completion.high"]), 1e-8)
	require.InDelta(t, *completion.Mean-2.776445105*(*completion.SE), number(t, points[3]["completion.low"]), 1e-8)
	require.Empty(t, points[3]["lambda.mean"], "of gossip alone")
	require.NotEmpty(t, points[5]["lambda.mean"])
	// "mu_k = 2/3 (k+1)" for k+1 processors in pipelined orders (De Florio and Blondia, Proposition 20): a fraction in the
	// report.
	require.InDelta(t, 2./3*4, number(t, points[5]["mu.mean"]), 1e-12)
}

func number(t *testing.T, cell string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(cell, 64)
	require.NoError(t, err)
	return x
}

// TestSweepOfFinishBy checks that a deadline of the run can be an axis, and that late points are counted.
func TestSweepOfFinishBy(t *testing.T) {
	out, _ := run(t, fileOf(t, `
scenario: {starloom: 1, fabric: {crossbar: {ports: 4}}, firmware: {program: gossip/fsa}, workload: {gossip: {orders: identity}}}
axes: {by: {key: rules.finish_by, values: [11 slots, 10 slots, 66 cycles, 65 cycles]}}
seeds: 1..2
`), sweep.Options{})
	var failed []string
	for _, point := range rows(t, tables(t, out)[folder.ResultsCSV]) {
		failed = append(failed, point["by"]+": "+point["failed"])
	}
	require.Equal(t, []string{"11 slots: 0", "10 slots: 2", "66 cycles: 0", "65 cycles: 2"}, failed)
	require.Contains(t, tables(t, out)[folder.ReportsJSONL], "the run was not over after 65 cycles: ")
}
