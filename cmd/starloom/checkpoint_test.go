package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestKilledRunGoesOn kills a run and goes on from its checkpoint: the report is that of a
// run that nobody disturbs. The rest of a killed run is one temporary file, which goes.
func TestKilledRunGoesOn(t *testing.T) {
	dir := folder(t, map[string]string{"s.yaml": strings.NewReplacer("groups: 4", "groups: 48", "group_size: 4", "group_size: 48").Replace(smallScenario)})
	run := func(args ...string) result {
		return starloomIn(t, dir, append([]string{"run", "s.yaml", "--runtime", "interpreter", "--workers", "1"}, args...)...)
	}
	whole := run("--json", "whole.json")
	require.Equal(t, statusPass, whole.status, whole.stdout+whole.stderr)

	command := exec.Command(binary, "run", "s.yaml", "--runtime", "interpreter", "--workers", "1", "--save", "state", "--checkpoint-every", "1", "--json", "killed.json")
	command.Dir = dir
	require.NoError(t, command.Start())
	require.Eventually(t, func() bool { _, err := os.Stat(filepath.Join(dir, "state")); return err == nil }, 20*time.Second, time.Millisecond)
	require.NoError(t, command.Process.Kill())
	require.Error(t, command.Wait(), "it was killed while it ran")
	require.NoFileExists(t, filepath.Join(dir, "killed.json"))

	rest := run("--restore", "state", "--save", "state", "--json", "rest.json")
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

	// A break is not a failure of the run, and says how to go on.
	broken := run("--break-on", "slot=3", "--save", "at3")
	require.Equal(t, statusPass, broken.status, broken.stderr)
	require.Contains(t, broken.stdout, "stopped before slot 3, at slot 3")
	require.Contains(t, broken.stdout, "--restore at3")
	require.Equal(t, statusInput, run("--restore", "at3", "--engine", "cycle").status)
	require.Equal(t, statusInput, run("--break-on", "slots=3", "--save", "x").status)
	require.Equal(t, statusInput, run("--save", "-").status)
	require.Equal(t, statusInput, run("--save", "s.yaml").status)
}
