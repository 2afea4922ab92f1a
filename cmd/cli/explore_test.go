package cli

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const exploredScenario = "starloom: 1\nfabric: {crossbar: {ports: 3}}\nfirmware: {program: scatter/sync}\n" +
	"workload: {scatter: {origin: 0}}\nstop: {slots: 10}\nexplore: {faults: {drop: 2}}\n"

// The status of a sweep is that of its worst point, and all forms of output have every point.
func TestExploreSweep(t *testing.T) {
	dir := folder(t, map[string]string{"s.yaml": exploredScenario,
		"w.yaml": "scenario: s.yaml\naxes:\n  limit: {key: stop.slots, values: [3, 10]}\n"})
	r := starloomIn(t, dir, "explore", "--sweep", "w.yaml", "--csv", "o.csv", "--json", "o.json", "--junit", "o.xml",
		"--html", "o.html")
	require.Equal(t, statusFail, r.status, r.stderr)
	assert.Contains(t, r.stdout, "w: 2 points, 1 HOLDS, 1 FAILS\n")
	assert.Contains(t, r.stdout, "starloom run s.yaml --set stop.slots=3 --seed 1 --set 'faults=")
	for name, want := range map[string]string{"o.csv": "limit,seed,verdict,", "o.json": `"points": [`,
		"o.xml": `tests="2" failures="1"`, "o.html": "1 FAILS"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		assert.Contains(t, string(data), want, name)
	}
	r = starloomIn(t, dir, "explore", "--sweep", "w.yaml", "--set", "explore.states=1")
	require.Equal(t, statusBounded, r.status, r.stdout)
	for _, args := range [][]string{{"--sweep", "w.yaml", "s.yaml"}, {"s.yaml", "--csv", "x"},
		{"--sweep", "w.yaml", "-o", "x"}, {"--sweep", "w.yaml", "--seed", "3"}, {}, {"--sweep", "none.yaml"}} {
		r = starloomIn(t, dir, append([]string{"explore"}, args...)...)
		assert.Equal(t, statusInput, r.status, "%v: %s", args, r.stdout)
	}
}

func TestExploreUntilFails(t *testing.T) {
	dir := folder(t, map[string]string{"s.yaml": exploredScenario})
	r := starloomIn(t, dir, "explore", "s.yaml", "--until-fails", "--out", "kept", "--html", "o.html", "--junit", "o.xml")
	require.Equal(t, statusFail, r.status, r.stderr)
	require.True(t, strings.HasPrefix(r.stdout, "FAILS: holds for drop "), r.stdout)
	again := starloomIn(t, dir, "explore", "s.yaml", "--until-fails", "--out", "kept", "--workers", "1")
	assert.Equal(t, r.stdout, again.stdout)
	assert.Contains(t, list(t, filepath.Join(dir, "kept")), "drop-1.explore")
	page, err := os.ReadFile(filepath.Join(dir, "o.html"))
	require.NoError(t, err)
	for _, part := range []string{"Higher and higher bounds", "Which faults mattered", ">fault<", " enough. In slot ", " sends "} {
		assert.Contains(t, string(page), part)
	}
	refused := starloomIn(t, dir, "explore", "s.yaml", "--until-fails", "--out", "kept", "--set", "stop.slots=11")
	require.Equal(t, statusInput, refused.status)
	assert.Contains(t, refused.stderr, "belongs to another scenario")
	assert.Contains(t, refused.stderr, "give another folder")
}

// Ctrl-C while a large machine is built gives a verdict and its status.
func TestExploreInterrupted(t *testing.T) {
	dir := folder(t, map[string]string{"s.yaml": "starloom: 1\nfabric: {pops: {groups: 256, group_size: 256}}\n" +
		"firmware: {program: pops/random}\nstop: {slots: 100}\n"})
	r := interrupt(t, dir, syscall.SIGINT, func() bool { return len(list(t, dir)) > 1 }, 200*time.Millisecond,
		"explore", "s.yaml", "--json", "o.json")
	require.Equal(t, statusInterrupted, r.status, r.stderr)
	assert.True(t, strings.HasPrefix(r.stdout, "OPEN: interrupted"), r.stdout)
	assert.Equal(t, []string{"o.json", "s.yaml"}, list(t, dir))
}

// A search that Ctrl-C ends goes on from its folder, with the bytes of a whole one.
func TestExploreGoesOn(t *testing.T) {
	dir := folder(t, map[string]string{"s.yaml": strings.NewReplacer("ports: 3", "ports: 10", "slots: 10", "slots: 100",
		"drop: 2", "drop: 5").Replace(exploredScenario)})
	whole := starloomIn(t, dir, "explore", "s.yaml", "--json", "whole.json")
	require.Equal(t, statusPass, whole.status, whole.stderr)
	cut := interrupt(t, dir, syscall.SIGINT, func() bool { return len(list(t, dir)) > 2 }, 100*time.Millisecond, "explore",
		"s.yaml", "--out", "kept")
	require.Equal(t, statusInterrupted, cut.status, cut.stderr)
	r := starloomIn(t, dir, "explore", "s.yaml", "--out", "kept", "--json", "again.json", "--workers", "1")
	assert.Equal(t, whole.stdout, r.stdout)
	want, err := os.ReadFile(filepath.Join(dir, "whole.json"))
	require.NoError(t, err)
	got, err := os.ReadFile(filepath.Join(dir, "again.json"))
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got))
}
