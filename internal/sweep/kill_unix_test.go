//go:build unix

package sweep_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/cmd/cli"
	"starloom/internal/sweep"
	"starloom/internal/sweep/folder"
)

// process is a sweep in a separate process: this test binary with an environment variable.
type process struct {
	File      string
	Out       string
	Workers   int
	Keys      []string
	DieAt     int    // number of the change of the folder, from 1, before which it kills itself; 0: none
	DieIn     string // point that kills the process
	DieAlways bool   // the point kills its own process, too
}

const (
	asProcess = "STARLOOM_TEST_SWEEP"   // variable with a process, as JSON
	asCommand = "STARLOOM_TEST_COMMAND" // variable that selects the command starloom
)

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		cli.Main()
	}
	if text := os.Getenv(asProcess); text != "" {
		var p process
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			panic(err)
		}
		os.Exit(p.run())
	}
	os.Exit(m.Run())
}

// run runs the sweep in the process. It returns the exit status: 1 for unfinished points, 3 for errors.
func (p *process) run() int {
	step := 0
	o := sweep.Options{Out: p.Out, Workers: p.Workers, Keys: p.Keys, Step: func(what string) {
		if step++; step == p.DieAt || p.DieIn != "" && what == "run "+p.DieIn && (p.Keys == nil || p.DieAlways) {
			die()
		}
	}}
	if p.Keys == nil {
		o.Child = func(ctx context.Context, key string) *exec.Cmd {
			child := *p
			child.Keys = []string{key}
			return child.command(ctx)
		}
	}
	report, err := starloom.Sweep(context.Background(), p.File, o)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 3
	}
	if err := report.WriteText(os.Stdout); err != nil || len(report.Unfinished) > 0 {
		return 1
	}
	return 0
}

func die() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {} // waits for the signal
}

// command returns a command that runs this test binary as the process.
func (p *process) command(ctx context.Context) *exec.Cmd {
	text, err := json.Marshal(p)
	if err != nil {
		panic(err)
	}
	c := exec.CommandContext(ctx, os.Args[0])
	c.Env = append(os.Environ(), asProcess+"="+string(text))
	return c
}

// status runs the process and returns its output and exit status, -1 if it was killed.
func (p *process) status(t *testing.T) (int, string) {
	t.Helper()
	said, err := p.command(context.Background()).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	if exit != nil {
		return exit.ExitCode(), string(said)
	}
	return 0, string(said)
}

// TestKilledAtEveryChange kills a sweep before each change of the folder. Another call must end with the same bytes.
func TestKilledAtEveryChange(t *testing.T) {
	path := fileOf(t, strings.NewReplacer("to: 16", "to: 2", "n < 16 || what != \"async\"", "what != \"async\"").Replace(small))
	steps := 0
	reference, report := run(t, path, sweep.Options{Workers: 1, Step: func(string) { steps++ }})
	want := tables(t, reference)
	require.Equal(t, 5*report.Extent.Points+4*3, steps, "a point is begun, and each file is created, written, renamed, and there")
	for at := 1; at <= steps; at++ {
		p := process{File: path, Out: filepath.Join(t.TempDir(), "out"), Workers: 1, DieAt: at}
		status, said := p.status(t)
		require.Equal(t, -1, status, said)
		p.DieAt = 0
		status, said = p.status(t)
		require.Zero(t, status, said)
		require.Equal(t, want, tables(t, p.Out), "killed before change %d", at)
	}
}

// TestLongKilledAtDrawnMoments kills a sweep of 1,000 points ten times at random moments. It must end with the bytes
// of an undisturbed one.
func TestLongKilledAtDrawnMoments(t *testing.T) {
	path := fileOf(t, strings.Replace(points200, "100, 1]", "150, 1]", 1))
	begun := time.Now()
	reference, report := run(t, path, sweep.Options{})
	took := time.Since(begun)
	t.Logf("%d points, %d runs in %v", report.Extent.Points, report.Runs, took)
	out := filepath.Join(t.TempDir(), "out")
	const seed = 23
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	killed := 0
	for range 10 {
		c := exec.Command(os.Args[0], "sweep", path, "--out", out, "--workers", "2")
		c.Env = append(os.Environ(), asCommand+"=1")
		stderr, err := c.StderrPipe()
		require.NoError(t, err)
		require.NoError(t, c.Start())
		_, err = bufio.NewReader(stderr).ReadString('\n') // the sweep has begun when it prints its extent
		require.NoError(t, err)
		timer := time.AfterFunc(time.Duration(random.Float64()*float64(took)/10), func() { _ = c.Process.Kill() })
		if err := c.Wait(); err != nil {
			killed++
		}
		timer.Stop()
	}
	c := exec.Command(os.Args[0], "sweep", path, "--out", out)
	c.Env = append(os.Environ(), asCommand+"=1")
	said, err := c.CombinedOutput()
	require.NoError(t, err, string(said))
	require.Equal(t, tables(t, reference), tables(t, out))
	require.GreaterOrEqual(t, killed, 3)
	require.Contains(t, string(said), "of them are done", "they were killed at work")
	t.Logf("killed %d times: %s", killed, said)
}

// TestPointThatKills checks that a point that kills the process twice gets its own process, and that, if it kills
// that, too, the others are finished and it is listed.
func TestPointThatKills(t *testing.T) {
	path := fileOf(t, small)
	reference, _ := run(t, path, sweep.Options{})
	p := process{File: path, Out: filepath.Join(t.TempDir(), "out"), Workers: 2,
		DieIn: "n=8 what=async", DieAlways: true}
	for range 2 {
		status, said := p.status(t)
		require.Equal(t, -1, status, said)
	}
	status, said := p.status(t)
	require.Equal(t, 1, status, said)
	require.Contains(t, said, "11 points, 50 runs")
	require.Contains(t, said, "n=8 what=async: not finished: it has ended 2 processes, and again in a separate process: "+
		"signal: killed\n")
	require.Contains(t, said, "5 runs are missing")
	all := rows(t, tables(t, p.Out)[folder.ResultsCSV])
	require.Equal(t, "0", all[slices.IndexFunc(all, func(row map[string]string) bool { return row["n"] == "8" && row["what"] == "async" })]["runs"])

	p.DieAlways = false
	status, said = p.status(t)
	require.Zero(t, status, said)
	require.Equal(t, tables(t, reference), tables(t, p.Out))
	marks, err := filepath.Glob(filepath.Join(p.Out, "points", "*", "*.started"))
	require.NoError(t, err)
	require.Empty(t, marks)
}

// TestTwoCallsAtOnce checks that two calls on one folder share the work and finish together.
func TestTwoCallsAtOnce(t *testing.T) {
	path := fileOf(t, strings.Replace(points200, "100, 1]", "20, 1]", 1))
	reference, _ := run(t, path, sweep.Options{})
	p := process{File: path, Out: filepath.Join(t.TempDir(), "out"), Workers: 1}
	var calls [2]*exec.Cmd
	var said [2]bytes.Buffer
	for i := range calls {
		calls[i] = p.command(context.Background())
		calls[i].Stdout, calls[i].Stderr = &said[i], &said[i]
		require.NoError(t, calls[i].Start())
	}
	for i := range calls {
		require.NoError(t, calls[i].Wait(), said[i].String())
	}
	require.Equal(t, tables(t, reference), tables(t, p.Out))
	files, err := filepath.Glob(filepath.Join(p.Out, "points", "*", "*.jsonl"))
	require.NoError(t, err)
	require.Less(t, len(files), 60, "of 40 points: most are run once")
}
