package sweep_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/firmware"
	"starloom/internal/sweep"
	"starloom/internal/sweep/folder"
)

const withImage = `
scenario:
  starloom: 1
  fabric: {crossbar: {ports: 4}}
  firmware: {image: fsa.wasm}
  workload: {gossip: {orders: orders.csv}}
axes:
  what: {settings: {file: {workload.gossip.orders: orders.csv}, word: {workload.gossip.orders: pipelined}, built-in: {firmware.program: gossip/fsa, workload.gossip.orders: pipelined}}}
  delay: {key: link.propagation_cycles, values: [1, 2]}
seeds: 1..3
`

func imageFolder(t *testing.T) (dir, path string) {
	t.Helper()
	dir = t.TempDir()
	image, err := firmware.ProgramImage("gossip/fsa")
	require.NoError(t, err)
	for name, data := range map[string]string{"fsa.wasm": string(image), "orders.csv": "1,2,3\n0,2,3\n0,1,3\n0,1,2\n", "sweep.yaml": withImage} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(data), 0o666))
	}
	return dir, filepath.Join(dir, "sweep.yaml")
}

// TestWhatIsRunAgain checks that only points with relevant changes are run again.
func TestWhatIsRunAgain(t *testing.T) {
	dir, path := imageFolder(t)
	out, report := run(t, path, sweep.Options{})
	require.Equal(t, uint64(18), report.Runs)
	change := func(file, old, new string) {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(dir, file))
		require.NoError(t, err)
		require.Contains(t, string(data), old)
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(strings.Replace(string(data), old, new, 1)), 0o666))
	}
	there := func(want int, why string) {
		t.Helper()
		_, report := run(t, path, sweep.Options{Out: out, Workers: 1})
		require.Equal(t, uint64(want), report.Extent.RunsThere, why)
		fresh, _ := run(t, path, sweep.Options{})
		require.Equal(t, tables(t, fresh), tables(t, out), why)
	}
	there(18, "nothing has changed")
	change("sweep.yaml", "delay:", "latency:")
	there(18, "the name of an axis")
	change("sweep.yaml", "[1, 2]", "[2, 3, 1]")
	there(18, "a value more, and another order")
	change("sweep.yaml", "[2, 3, 1]", "[2, 4, 1]")
	there(18, "one of three values is another one")
	change("sweep.yaml", "[2, 4, 1]", "[1, 2]")
	change("orders.csv", "1,2,3", "3,2,1")
	there(12, "the orders in a file")
	image, err := os.ReadFile(filepath.Join(dir, "fsa.wasm"))
	require.NoError(t, err)
	image = append(image, 0, 2, 1, 'x') // appends a custom section
	require.NoError(t, os.WriteFile(filepath.Join(dir, "fsa.wasm"), image, 0o666))
	there(6, "an image")
	change("sweep.yaml", "1..3", "2..5")
	there(12, "seeds: two of four are there")
	change("sweep.yaml", "workload: {gossip", "stop: {slots: 100}\n  workload: {gossip")
	there(0, "a key of the scenario")
}

// TestMovedFolder checks that the place of a sweep and the working folder have no effect.
func TestMovedFolder(t *testing.T) {
	dir, path := imageFolder(t)
	out, _ := run(t, path, sweep.Options{})
	t.Chdir(dir)
	_, report := run(t, "sweep.yaml", sweep.Options{Out: out})
	require.Equal(t, uint64(18), report.Extent.RunsThere)
}

// TestFailingPoints checks that failed runs are results, and that an unfinished point is listed and does not stop
// others.
func TestFailingPoints(t *testing.T) {
	dir, path := imageFolder(t)
	data := strings.Replace(withImage, "values: [1, 2]", "values: [1, 2]}\n  slots: {key: stop.slots, values: [2, 500]", 1)
	data = strings.Replace(data, "slots: {", "limit: {", 1)
	require.NoError(t, os.WriteFile(path, []byte(data), 0o666))
	_, report := run(t, path, sweep.Options{})
	require.Empty(t, report.Unfinished)
	require.Equal(t, []uint64{36, 18}, []uint64{report.Runs, report.Failed})

	gone := func(sweep.Extent) { require.NoError(t, os.Remove(filepath.Join(dir, "fsa.wasm"))) }
	out, report := run(t, path, sweep.Options{Checked: gone})
	require.Len(t, report.Unfinished, 8)
	require.Equal(t, "what=file delay=1 limit=2", report.Unfinished[0].Point)
	require.Contains(t, report.Unfinished[0].Reason, "fsa.wasm: no such file or directory; give an image")
	require.Equal(t, starloom.VerdictFail, report.Verdict())
	all := rows(t, tables(t, out)[folder.ResultsCSV])
	require.Equal(t, []string{"0", "3"}, []string{all[0]["runs"], all[11]["runs"]})
	require.Equal(t, "finishes", rows(t, tables(t, out)[folder.RunsCSV])[0]["rule"])
}

// TestInterrupted checks that finished runs and the old tables stay, and that the next call continues.
func TestInterrupted(t *testing.T) {
	path := fileOf(t, strings.Replace(points200, "100, 1]", "40, 1]", 1))
	reference, _ := run(t, path, sweep.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	out := filepath.Join(t.TempDir(), "out")
	report, err := starloom.Sweep(ctx, path, sweep.Options{Out: out, Progress: func(p sweep.Progress) {
		if p.Runs > 0 { // the other runs may end soon
			cancel()
		}
	}})
	require.NoError(t, err)
	require.True(t, report.Interrupted())
	require.Less(t, report.Runs, report.Extent.Runs)
	_, err = os.Stat(filepath.Join(out, folder.ResultsCSV))
	require.ErrorIs(t, err, os.ErrNotExist)
	_, report = run(t, path, sweep.Options{Out: out})
	require.Positive(t, report.Extent.RunsThere)
	require.Equal(t, tables(t, reference), tables(t, out))
}

// TestRefusedBeforeAnythingRuns checks that an error in any point is reported at its place, and that no folder is
// created.
func TestRefusedBeforeAnythingRuns(t *testing.T) {
	for change, want := range map[string]string{
		"key: link.propagation_cycles=>key: link.propagation":                                      "sweep.yaml:9:43: unknown key \"propagation\" in link",
		"values: [1, 2]=>values: [1, 4097]":                                                        "sweep.yaml:9:53: link.propagation_cycles is 4097; allowed: 0 to 4096",
		"values: [1, 2]=>values: [1, two]":                                                         "sweep.yaml:9:53: link.propagation_cycles is the text \"two\"; write an integer",
		"image: fsa.wasm=>image: none.wasm":                                                        "the firmware image cannot be read",
		"orders: orders.csv}}\naxes=>orders: orders.csv}}\naxis":                                   "sweep.yaml:7:1: unknown key \"axis\" in the sweep; did you mean \"axes\"?",
		"firmware.program: gossip/fsa=>firmware.program: gossip/fs":                                "unknown program \"gossip/fs\"; did you mean \"gossip/fsa\"?",
		"firmware.program: gossip/fsa=>firmware.params.no: 1":                                      "the firmware fsa.wasm has no parameter \"no\"",
		"key: link.propagation_cycles, values: [1, 2]=>key: fabric.crossbar.ports, values: [4, 5]": "at the point what=file delay=5: the order of processor 0 ends",
	} {
		dir, path := imageFolder(t)
		old, new, _ := strings.Cut(change, "=>")
		require.Contains(t, withImage, old)
		require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(withImage, old, new)), 0o666))
		out := filepath.Join(dir, "out")
		_, err := starloom.Sweep(context.Background(), path, sweep.Options{Out: out})
		var refused *starloom.InputError
		require.ErrorAs(t, err, &refused, change)
		require.ErrorContains(t, err, want, change)
		require.NotEmpty(t, refused.Remedy, change)
		_, err = os.Stat(out)
		require.ErrorIs(t, err, os.ErrNotExist, change)
	}
	dir, path := imageFolder(t)
	_, err := starloom.Sweep(context.Background(), fileOf(t, `scenario: {starloom: 1, fabric: {crossbar: {ports: 4}}, firmware: {program: crossbar/traffic}, workload: {traffic: {rate: 0.1}}}
axes:
  long: {key: workload.traffic.burst, values: [4, 8]}
seeds: 1..2
`), sweep.Options{Out: filepath.Join(dir, "out")})
	require.ErrorContains(t, err, "small.yaml:3:48: burst is given, but arrivals is bernoulli; delete burst, or write "+
		"arrivals: bursty in the scenario; "+
		"or let the axis set both keys, each value under a name: settings: {4: {workload.traffic.burst: 4, workload.traffic.arrivals: bursty}, ...} in place of key and values")
	_, err = starloom.Sweep(context.Background(), path, sweep.Options{Out: filepath.Join(dir, "orders.csv")})
	require.ErrorContains(t, err, "--out: ")
	_, err = starloom.Sweep(context.Background(), path, sweep.Options{})
	require.ErrorContains(t, err, "--out: no folder is named")
}
