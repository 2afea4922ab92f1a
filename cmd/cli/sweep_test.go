package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const smallSweep = `
scenario: s.yaml
axes:
  groups: {key: fabric.pops.groups, values: [2, 4]}
  delay: {key: link.propagation_cycles, range: [1, 3, 1]}
seeds: 1..4
`

// TestSweepCommand checks exit statuses, output, and joined folders.
func TestSweepCommand(t *testing.T) {
	dir := folder(t, map[string]string{"s.yaml": smallScenario, "sweep.yaml": smallSweep})
	r := starloomIn(t, dir, "sweep", "sweep.yaml", "--out", "a", "--set", "nic.rx_frames=8")
	require.Equal(t, statusPass, r.status, r.stderr)
	require.Contains(t, r.stderr, "starloom: 6 points, 24 runs; a point takes up to ")
	require.Equal(t, "sweep: 6 points, 24 runs; 0 failed\n\na/results.csv\na/runs.csv\na/reports.jsonl\n", r.stdout)
	require.Equal(t, []string{"points", "reports.jsonl", "results.csv", "runs.csv"}, list(t, filepath.Join(dir, "a")))

	require.NoError(t, os.WriteFile(filepath.Join(dir, "two.yaml"), []byte(strings.Replace(smallSweep, "1..4", "3..6", 1)), 0o666))
	r = starloomIn(t, dir, "sweep", "two.yaml", "--out", "b", "--set", "nic.rx_frames=8", "--workers", "1")
	require.Equal(t, statusPass, r.status, r.stderr)
	r = starloomIn(t, dir, "sweep", "merge", "a", "b", "--out", "c")
	require.Equal(t, statusPass, r.status, r.stderr)
	require.Regexp(t, "^12 points, [12][0-9] files new in c", r.stdout) // 12 files, more on a slow machine
	r = starloomIn(t, dir, "sweep", "sweep.yaml", "--out", "c", "--set", "nic.rx_frames=8")
	require.Contains(t, r.stdout, "6 points, 24 runs, of which 24 were there; 0 failed")
	one, err := os.ReadFile(filepath.Join(dir, "a", "results.csv"))
	require.NoError(t, err)
	joined, err := os.ReadFile(filepath.Join(dir, "c", "results.csv"))
	require.NoError(t, err)
	require.Equal(t, string(one), string(joined))
	r = starloomIn(t, dir, "sweep", "sweep.yaml", "--out", "c")
	require.Contains(t, r.stdout, "24 runs; 0 failed", "a key was set before")

	for args, want := range map[string]string{
		"sweep sweep.yaml":                                    "--out: no folder is named for the results; give one",
		"sweep none.yaml --out d":                             "none.yaml: cannot be read: no such file or directory; give the path of a sweep file",
		"sweep s.yaml --out d":                                "s.yaml: this is a scenario, not a sweep; run it: starloom run s.yaml\n",
		"sweep sweep.yaml --out s.yaml":                       "--out: s.yaml",
		"sweep sweep.yaml --out d --adaptive gruops":          "--adaptive: there is no axis \"gruops\"; did you mean groups?",
		"sweep sweep.yaml --out d --set fabric.pops.gruop":    "--set fabric.pops.gruop: not a key with a value",
		"sweep sweep.yaml --out d --set fabric.pops.groups=9": "groups has another value already",
		"sweep merge --out d":                                 "DIR is missing",
		"sweep merge a":                                       "--out: no folder is named",
		"sweep merge s.yaml --out d":                          "s.yaml: this is not a folder of a sweep",
	} {
		r := starloomIn(t, dir, strings.Fields(args)...)
		require.Equal(t, statusInput, r.status, args)
		require.Contains(t, r.stderr, want, args)
	}
}

// TestSweepInterrupted checks that an interrupt ends the command with 130 and that the next call continues.
func TestSweepInterrupted(t *testing.T) {
	dir := folder(t, map[string]string{"s.yaml": smallScenario, "sweep.yaml": strings.Replace(smallSweep, "1..4", "1..20000", 1)})
	c := exec.Command(binary, "sweep", "sweep.yaml", "--out", "a", "--workers", "1")
	c.Dir = dir
	var stdout, stderr strings.Builder
	c.Stdout, c.Stderr = &stdout, &stderr
	require.NoError(t, c.Start())
	require.Eventually(t, func() bool {
		files, err := filepath.Glob(filepath.Join(dir, "a", "points", "*", "*.jsonl"))
		return err == nil && len(files) > 0
	}, 30*time.Second, 10*time.Millisecond)
	require.NoError(t, c.Process.Signal(syscall.SIGINT))
	require.Error(t, c.Wait())
	require.Equal(t, statusInterrupted, c.ProcessState.ExitCode(), stderr.String())
	require.Regexp(t, `^sweep: interrupted after \d+ of 120000 runs, which remain in a; the same command runs the others`, stdout.String())
	require.Equal(t, []string{"points"}, list(t, filepath.Join(dir, "a")))
	marks, err := filepath.Glob(filepath.Join(dir, "a", "points", "*", "*.started"))
	require.NoError(t, err)
	require.Empty(t, marks)
}

// TestSweepOfBareRouters checks that a sweep of routers with bare packets has the figures of its runs.
func TestSweepOfBareRouters(t *testing.T) {
	dir := folder(t, map[string]string{
		"mesh.yaml": "starloom: 1\nfabric: {netlist: {mesh: {k: [3, 3]}, router: {vcs: 2, depth: 4}}}\n" +
			"workload: {traffic: {rate: 0.1, warm_up: 50, measure: 200, drain: 200}}\n",
		"loads.yaml": "scenario: mesh.yaml\naxes: {load: {key: workload.traffic.rate, values: [0.1, 0.2]}}\nseeds: 1..3\n"})
	r := starloomIn(t, dir, "sweep", "loads.yaml", "--out", "loads", "--quiet")
	require.Equal(t, statusPass, r.status, r.stdout+r.stderr)
	text, err := os.ReadFile(filepath.Join(dir, "loads", "runs.csv"))
	require.NoError(t, err)
	require.Equal(t, 1+2*3, strings.Count(string(text), "\n"))
	r = starloomIn(t, dir, "run", "mesh.yaml", "--seed", "3", "--set", "workload.traffic.rate=0.2")
	digest := regexp.MustCompile(`\ndigest +([0-9a-f]{32})`).FindStringSubmatch(r.stdout)
	require.NotNil(t, digest)
	require.Contains(t, string(text), digest[1])
}

// TestSweepPaths checks that paths on axes are relative to the sweep's file, and that a file beside the scenario alone
// is still found, with a note.
func TestSweepPaths(t *testing.T) {
	dir := folder(t, nil)
	for _, name := range []string{"sweeps", "scenarios"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o777))
	}
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	write("scenarios/s.yaml", smallScenario)
	const axes = "axes: {order: {key: workload.file, values: [one.csv, two.csv]}}\n"
	write("sweeps/sweep.yaml", "scenario: ../scenarios/s.yaml\n"+axes)
	permutation := func(shift int) (text string) {
		for i := range 16 {
			text += strconv.Itoa((i+shift)%16) + "\n"
		}
		return text
	}
	write("sweeps/one.csv", permutation(1))
	write("scenarios/two.csv", permutation(2))
	for _, path := range []string{"sweeps/sweep.yaml", filepath.Join(dir, "sweeps/sweep.yaml")} {
		r := starloomIn(t, dir, "sweep", path, "--out", "out")
		require.Equal(t, statusPass, r.status, r.stderr)
		require.Equal(t, 1, strings.Count(r.stderr, "note: "), r.stderr)
		require.Contains(t, r.stderr, ": two.csv is beside the scenario; the next version looks for it beside the sweep\n")
	}
	require.Contains(t, contents(t, dir, "out/results.csv"), "\none.csv,1,0,")
	write("sweeps/two.csv", permutation(2))
	r := starloomIn(t, dir, "sweep", "sweeps/sweep.yaml", "--out", "out")
	require.Equal(t, statusPass, r.status, r.stderr)
	require.NotContains(t, r.stderr, "note: ")
	write("sweeps/sweep.yaml", "scenario: ../scenarios/s.yaml\n"+strings.Replace(axes, "one.csv", "none.csv", 1))
	r = starloomIn(t, dir, "sweep", "sweeps/sweep.yaml", "--out", "out")
	require.Equal(t, statusInput, r.status)
	require.Contains(t, r.stderr, "sweeps/none.csv cannot be read")
}
