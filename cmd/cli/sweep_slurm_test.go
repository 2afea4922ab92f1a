package cli

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"starloom/internal/slurm/slurmtest"
)

// sweepOfPoints has 200 points of two fabrics, of some milliseconds each.
const sweepOfPoints = `
scenario: {starloom: 1, fabric: {pops: {groups: 4, group_size: 4}}, firmware: {program: pops/random}}
axes:
  draw: {key: seed, range: [1, 25, 1]}
  size: {key: nic.payload_bytes, values: [16, 32, 64, 128]}
  on:
    settings:
      pops: {firmware.program: pops/random}
      crossbar: {fabric: {crossbar: {ports: 32}}, firmware.program: gossip/fsa, workload: {gossip: {orders: shared-random}}}
slurm: {array_parallelism: 8}
`

// sweepTables are the tables in a folder.
func sweepTables(t *testing.T, dir string) (text string) {
	t.Helper()
	for _, name := range []string{"results.csv", "runs.csv", "reports.jsonl"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		text += string(data)
	}
	return text
}

// TestSweepOnSlurm: 200 points run by jobs, interrupted, with a task that is killed, and taken up again, have the bytes of
// those that ran here.
func TestSweepOnSlurm(t *testing.T) {
	slurmtest.Start(t)
	dir := sweepFolder(t, sweepOfPoints)
	r := starloomIn(t, dir, "sweep", "s.yaml", "--out", "here")
	require.Zero(t, r.status, r.stderr)
	require.Contains(t, r.stdout, "200 points, 200 runs; 0 failed")

	r = starloomIn(t, dir, "sweep", "s.yaml", "--out", "there", "--on", "slurm", "--dry-run")
	require.Zero(t, r.status, r.stderr)
	require.Contains(t, r.stdout, "#SBATCH --array=0-")
	require.NoDirExists(t, filepath.Join(dir, "there"))

	command := exec.Command(binary, "sweep", "s.yaml", "--out", "there", "--on", "slurm")
	command.Dir = dir
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	require.NoError(t, command.Start())
	running := func() (task string) {
		for _, line := range slurmtest.Queue(t) {
			if cells := strings.Fields(line); len(cells) == 3 && cells[2] == "RUNNING" {
				return cells[0] + "_" + cells[1]
			}
		}
		return ""
	}
	for begun := time.Now(); running() == ""; time.Sleep(20 * time.Millisecond) {
		require.Less(t, time.Since(begun), time.Minute, stderr.String())
	}
	_ = exec.Command("scancel", "--signal=KILL", "--full", running()).Run() // it may have ended by now
	require.NoError(t, command.Process.Signal(os.Interrupt))
	var exit *exec.ExitError
	if err := command.Wait(); !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	require.Equal(t, 130, command.ProcessState.Sys().(syscall.WaitStatus).ExitStatus(), stderr.String())
	require.Contains(t, stdout.String(), "the jobs go on, and it takes up what they find; 'scancel ")

	r = starloomIn(t, dir, "sweep", "s.yaml", "--out", "there", "--on", "slurm")
	require.Zero(t, r.status, r.stderr+r.stdout)
	require.Equal(t, sweepTables(t, filepath.Join(dir, "here")), sweepTables(t, filepath.Join(dir, "there")))
	require.NotContains(t, sweepTables(t, filepath.Join(dir, "there")), "began")

	r = starloomIn(t, dir, "sweep", "s.yaml", "--out", "there", "--on", "slurm")
	require.Zero(t, r.status, r.stderr)
	require.Contains(t, r.stdout, "of which 200 were there")
}

// TestSweepSlurmRefused: what cannot be sent is refused before anything is run, with its place and what to do.
func TestSweepSlurmRefused(t *testing.T) {
	dir := sweepFolder(t, strings.Replace(sweepOfPoints, "array_parallelism: 8", "partiton: all", 1))
	for _, words := range [][]string{{"--on", "slurm"}, {"--on", "slurm", "--dry-run"}, nil} { // here, too
		r := starloomIn(t, dir, append([]string{"sweep", "s.yaml", "--out", "out"}, words...)...)
		require.Equal(t, 2, r.status)
		require.Contains(t, r.stderr, "s.yaml:10:9: ")
		require.Contains(t, r.stderr, "partition")
	}
	dir = sweepFolder(t, sweepOfPoints)
	t.Setenv("PATH", dir)
	r := starloomIn(t, dir, "sweep", "s.yaml", "--out", "out", "--on", "slurm")
	require.Equal(t, 2, r.status)
	require.Contains(t, r.stderr, "--on slurm: there is no command sbatch")
	r = starloomIn(t, dir, "sweep", "s.yaml", "--out", "out", "--dry-run")
	require.Equal(t, 2, r.status)
	require.Equal(t, []string{"s.yaml"}, list(t, dir))
}

// sweepFolder is a folder with a sweep file.
func sweepFolder(t *testing.T, text string) string {
	return folder(t, map[string]string{"s.yaml": text})
}
