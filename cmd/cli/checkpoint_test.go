package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestKilledRunGoesOn kills a run and continues from its checkpoint. The report must equal that of an undisturbed
// run. A killed run leaves one temporary file, which is removed.
func TestKilledRunGoesOn(t *testing.T) {
	dir := folder(t, map[string]string{"s.yaml": strings.NewReplacer("groups: 4", "groups: 48", "group_size: 4", "group_size: 48").Replace(smallScenario)})
	run := func(args ...string) result {
		return starloomIn(t, dir, append([]string{"run", "s.yaml", "--runtime", "interpreter", "--workers", "1"}, args...)...)
	}
	whole := run("--json", "whole.json")
	require.Equal(t, statusPass, whole.status, whole.stdout+whole.stderr)

	command := exec.Command(binary, "run", "s.yaml", "--runtime", "interpreter", "--workers", "1", "--save-state", "state", "--checkpoint-every", "1", "--json", "killed.json")
	command.Dir = dir
	require.NoError(t, command.Start())
	require.Eventually(t, func() bool { _, err := os.Stat(filepath.Join(dir, "state")); return err == nil }, 20*time.Second, time.Millisecond)
	require.NoError(t, command.Process.Kill())
	require.Error(t, command.Wait(), "it was killed while it ran")
	require.NoFileExists(t, filepath.Join(dir, "killed.json"))

	rest := run("--restore", "state", "--save-state", "state", "--json", "rest.json")
	require.Equal(t, statusPass, rest.status, rest.stdout+rest.stderr)
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		return string(data)
	}
	require.Equal(t, read("whole.json"), read("rest.json"))
	require.NoError(t, filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		require.NotContains(t, path, "state.", "a temporary file stays")
		return err
	}))

	// A break does not fail the run, and prints how to continue.
	broken := run("--break-on", "slot=3", "--save-state", "at3")
	require.Equal(t, statusPass, broken.status, broken.stderr)
	require.Contains(t, broken.stdout, "stopped before slot 3, at slot 3")
	require.Contains(t, broken.stdout, "--restore at3")
	require.Equal(t, statusInput, run("--restore", "at3", "--engine", "cycle").status)
	require.Equal(t, statusInput, run("--break-on", "slots=3", "--save-state", "x").status)
	require.Equal(t, statusInput, run("--save-state", "-").status)
	require.Equal(t, statusInput, run("--save-state", "s.yaml").status)
}

// TestReplayOfParked checks that a replay from a saved state with parked processors equals the end of a replay of the
// whole run.
func TestReplayOfParked(t *testing.T) {
	dir := folder(t, map[string]string{"s.yaml": "starloom: 1\nfabric: {ej: {a: 3, b: 4, dimensions: 3}}\nfirmware: {program: ej/improved}\n" +
		"workload: {one_to_all: {source: 5}}\nnic: {rx_frames: 14, tx_frames: 14, payload_bytes: 32}\n"})
	run := func(args ...string) string {
		r := starloomIn(t, dir, append([]string{"run", "s.yaml"}, args...)...)
		require.Equal(t, statusPass, r.status, r.stderr)
		require.Contains(t, r.stdout, "for each sleeping processor")
		return r.stdout
	}
	_, whole, _ := strings.Cut(run("--replay", "30000"), "\nstart:")
	run("--save-state", "state", "--break-on", "slot=4")
	_, rest, _ := strings.Cut(run("--restore", "state", "--replay", "30000"), " from slot 4 on\n")
	require.Contains(t, rest, "equal to the whole run\nPASS")
	require.True(t, strings.HasPrefix(rest, "slot 7: status of port 5 ok; received from 29974"), rest)
	require.True(t, strings.HasSuffix(whole, rest), whole)
}
