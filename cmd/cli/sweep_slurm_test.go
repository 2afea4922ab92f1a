package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/internal/runs"
	"starloom/internal/slurm/slurmtest"
)

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

// sweepTables returns the tables in a folder.
func sweepTables(t *testing.T, dir string) (text string) {
	t.Helper()
	for _, name := range []string{"results.csv", "runs.csv", "reports.jsonl"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		text += string(data)
	}
	return text
}

// TestLongSweepOnSlurm checks that 320 points (1,000 with -full) run by jobs, with an interruption and a killed task,
// have the bytes of a local sweep.
func TestLongSweepOnSlurm(t *testing.T) {
	slurmtest.Start(t)
	seeds := map[bool]int{false: 40, true: 125}[*full]
	points := 8 * seeds
	dir := sweepFolder(t, strings.Replace(sweepOfPoints, "[1, 25, 1]", fmt.Sprintf("[1, %d, 1]", seeds), 1))
	r := starloomIn(t, dir, "sweep", "s.yaml", "--out", "here")
	require.Zero(t, r.status, r.stderr)
	require.Contains(t, r.stdout, fmt.Sprintf("%d points, %d runs; 0 failed", points, points))

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
	_ = exec.Command("scancel", "--signal=KILL", "--full", running()).Run() // the task may have ended by now
	require.NoError(t, command.Process.Signal(os.Interrupt))
	var exit *exec.ExitError
	if err := command.Wait(); !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	require.Equal(t, 130, command.ProcessState.Sys().(syscall.WaitStatus).ExitStatus(), stderr.String())
	require.Contains(t, stdout.String(), "the jobs continue, and the same command collects their results; 'scancel ")

	r = starloomIn(t, dir, "sweep", "s.yaml", "--out", "there", "--on", "slurm")
	require.Zero(t, r.status, r.stderr+r.stdout)
	require.Equal(t, sweepTables(t, filepath.Join(dir, "here")), sweepTables(t, filepath.Join(dir, "there")))
	require.NotContains(t, sweepTables(t, filepath.Join(dir, "there")), "began")

	r = starloomIn(t, dir, "sweep", "s.yaml", "--out", "there", "--on", "slurm")
	require.Zero(t, r.status, r.stderr)
	require.Contains(t, r.stdout, fmt.Sprintf("of which %d were there", points))
}

// TestSweepSlurmRefused checks that jobs that cannot be sent are refused with place and remedy before anything is
// run.
func TestSweepSlurmRefused(t *testing.T) {
	dir := sweepFolder(t, strings.Replace(sweepOfPoints, "array_parallelism: 8", "partiton: all", 1))
	for _, words := range [][]string{{"--on", "slurm"}, {"--on", "slurm", "--dry-run"}, nil} { // locally, too
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

func sweepFolder(t *testing.T, text string) string {
	return folder(t, map[string]string{"s.yaml": text})
}

// TestLongStudyOnSlurm checks that a study run by jobs has the rows of a local one.
func TestLongStudyOnSlurm(t *testing.T) {
	slurmtest.Start(t)
	dir := folder(t, map[string]string{"cluster.yaml": "partition: all\narray_parallelism: 2\n"})
	r := starloomIn(t, dir, "study", "gossip", "--case", "table [1-7]", "--json", "here.json")
	require.Zero(t, r.status, r.stderr)
	words := []string{"study", "gossip", "--case", "table [1-7]", "--json", "there.json", "--on", "slurm", "--out", "cases", "--slurm", "cluster.yaml"}
	there := starloomIn(t, dir, words...)
	require.Zero(t, there.status, there.stderr)
	require.Equal(t, r.stdout, there.stdout)
	here, err := os.ReadFile(filepath.Join(dir, "here.json"))
	require.NoError(t, err)
	data, err := os.ReadFile(filepath.Join(dir, "there.json"))
	require.NoError(t, err)
	require.Equal(t, string(here), string(data))
	again := starloomIn(t, dir, words...) // all results exist, so that no job is sent
	require.Equal(t, r.stdout, again.stdout)
	logs, err := filepath.Glob(filepath.Join(dir, "cases", "slurm", "log-*.csv"))
	require.NoError(t, err)
	require.Len(t, logs, 1)
}

// TestStudyCasesJoined checks that cases run one by one, in any order, make up the study.
func TestStudyCasesJoined(t *testing.T) { joinCases(t, map[string]string{"gossip": "table*"}) }

// TestLongStudyCasesJoined does the same for longer studies.
func TestLongStudyCasesJoined(t *testing.T) {
	joinCases(t, map[string]string{"bus": "*", "pops": "*=4*", "ej": "table*", "scatter": "[cg]*"})
}

func joinCases(t *testing.T, patterns map[string]string) {
	for study, pattern := range patterns {
		o := starloom.StudyOptions{Case: pattern}
		cases, err := starloom.Networks(nil).StudyCases(t.Context(), study, o)
		require.NoError(t, err)
		require.Greater(t, len(cases), 1, study)
		whole, err := starloom.Study(t.Context(), study, o)
		require.NoError(t, err)
		var parts []*starloom.StudyReport
		for i := range cases {
			part, err := starloom.Study(t.Context(), study, starloom.StudyOptions{Case: cases[i].Only()})
			require.NoError(t, err)
			parts = append(parts, part)
		}
		require.Equal(t, whole, runs.JoinStudy(study, parts), study)
	}
}

func TestStudySlurmRefused(t *testing.T) {
	dir := folder(t, map[string]string{"bad.yaml": "partiton: all\n"})
	for place, words := range map[string]string{
		"--out: ": "--on slurm", "--on: ": "--dry-run", "--on slurm: ": "--on slurm --out o --plots p", "bad.yaml:1:1: ": "--on slurm --out o --slurm bad.yaml", "none.yaml": "--on slurm --out o --slurm none.yaml",
	} {
		r := starloomIn(t, dir, append([]string{"study", "bus"}, strings.Fields(words)...)...)
		require.Equal(t, 2, r.status, words)
		require.Contains(t, r.stderr, place)
	}
	require.Equal(t, []string{"bad.yaml"}, list(t, dir))
}
