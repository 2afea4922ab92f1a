package slurm_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"starloom/internal/slurm"
	"starloom/internal/slurm/slurmtest"
	"starloom/traces/input"
)

// doer does a unit: it creates a file with its name, after an optional action given in another file. It ends with
// that action, since a task that Slurm ends may lose its child first.
const doer = `#!/bin/sh
set -e
cd "$(dirname "$0")"
while read key; do
	if [ -e "$key.once" ]; then
		what=$(cat "$key.once")
		rm "$key.once"
		eval "$what"
	fi
	if [ -e "$key.ever" ]; then eval "$(cat "$key.ever")"; fi
	echo done > "$key.new" && mv "$key.new" "$key.done"
done < "$1"
`

// workOf returns work and its folder. first maps units to their actions.
func workOf(t *testing.T, units int, first map[string]string) (*slurm.Work, string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "work of")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	script := filepath.Join(dir, "doer.sh")
	require.NoError(t, os.WriteFile(script, []byte(doer), 0o755))
	w := &slurm.Work{Name: "starloom-test", Folder: filepath.Join(dir, "slurm"), Dir: dir, Settings: &slurm.Settings{}, Command: []string{script}}
	for i := range units {
		w.Units = append(w.Units, slurm.Unit{Key: fmt.Sprintf("u%d", i), Name: fmt.Sprintf("unit %d", i), Time: 20 * time.Second, Memory: 10 << 20})
	}
	for key, what := range first {
		require.NoError(t, os.WriteFile(filepath.Join(dir, key), []byte(what+"\n"), 0o644))
	}
	w.Done = func(key string) (bool, error) {
		_, err := os.Stat(filepath.Join(dir, key+".done"))
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return err == nil, err
	}
	return w, dir
}

func run(t *testing.T, ctx context.Context, w *slurm.Work) *slurm.Outcome {
	t.Helper()
	c, err := slurm.Open(t.Context(), w.Settings)
	require.NoError(t, err)
	o, err := c.Run(ctx, w)
	require.NoError(t, err)
	return o
}

// logOf returns the lines of the log.
func logOf(t *testing.T, w *slurm.Work) (lines []string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(w.Folder, "log-*.csv"))
	require.NoError(t, err)
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		lines = append(lines, strings.Split(strings.TrimSpace(string(data)), "\n")[1:]...)
	}
	return lines
}

// TestLongCluster runs work on a cluster, in one test, since there is one cluster.
func TestLongCluster(t *testing.T) {
	slurmtest.Start(t)
	t.Run("arrays", func(t *testing.T) {
		w, _ := workOf(t, 24, nil) // needs two arrays, since the cluster accepts 21 tasks in each
		w.Settings.ArrayParallelism = 24
		var told slurm.Progress
		w.Told = func(p slurm.Progress) { told = p }
		o := run(t, t.Context(), w)
		require.Empty(t, o.Failed)
		require.Equal(t, slurm.Progress{Done: 24, Units: 24}, told)
		require.Len(t, logOf(t, w), 24)
		left, err := os.ReadDir(w.Folder)
		require.NoError(t, err)
		require.Len(t, left, 1, "only the log stays")
	})
	t.Run("killed", func(t *testing.T) {
		w, _ := workOf(t, 6, map[string]string{
			"u1.once": "kill -9 $PPID; kill -9 $$",                   // kills the task with its shell
			"u3.once": "scancel $SLURM_ARRAY_JOB_ID; sleep 100",      // cancelled by its user
			"u4.once": "exit 7", "u5.ever": "echo it cannot; exit 3", // fail by themselves, once and always
		})
		o := run(t, t.Context(), w)
		require.Len(t, o.Failed, 1, o)
		require.Equal(t, "u5", o.Failed[0].Key)
		require.Contains(t, o.Failed[0].Reason, "status 3: it cannot (")
		for i := range 5 {
			done, err := w.Done(fmt.Sprintf("u%d", i))
			require.NoError(t, err)
			require.True(t, done, i)
		}
	})
	t.Run("interrupted", func(t *testing.T) {
		w, dir := workOf(t, 4, map[string]string{"u0.once": "while ! [ -e go ]; do sleep 0.1; done"})
		w.Settings.ArrayParallelism = 4
		ctx, stop := context.WithCancel(t.Context())
		w.Told = func(p slurm.Progress) {
			if p.Done > 0 && p.Running > 0 {
				stop()
			}
		}
		o := run(t, ctx, w)
		require.True(t, o.Cut)
		require.Len(t, o.Jobs, 1)
		before := len(slurmtest.Queue(t))
		require.Positive(t, before)
		w.Told = func(slurm.Progress) { require.NoError(t, os.WriteFile(filepath.Join(dir, "go"), nil, 0o644)) }
		o = run(t, t.Context(), w) // adopts the running tasks
		require.Equal(t, &slurm.Outcome{}, o)
		for _, line := range logOf(t, w) {
			require.Equal(t, "0", strings.Split(line, ",")[4], line)
		}
		require.LessOrEqual(t, len(logOf(t, w)), 4+4)
	})
	t.Run("refused", func(t *testing.T) {
		_, err := slurm.Open(t.Context(), &slurm.Settings{Partition: "shrt"})
		var bad *input.Error
		require.ErrorAs(t, err, &bad)
		require.Contains(t, bad.Error(), `there is no partition "shrt"`)
		require.Contains(t, bad.Error(), "short")
		w, _ := workOf(t, 1, nil)
		w.Units[0].Memory = (slurmtest.MemoryMiB + 1) << 20
		c, err := slurm.Open(t.Context(), w.Settings)
		require.NoError(t, err)
		_, err = c.Run(t.Context(), w)
		require.ErrorContains(t, err, "the largest node of the partition has 4000 MiB")
		w.Units[0].Memory, w.Settings.Options = 1<<20, []string{"--no-such-option"}
		_, err = c.Run(t.Context(), w)
		require.ErrorAs(t, err, &bad)
		require.ErrorContains(t, err, "no-such-option")
		entries, err := os.ReadDir(w.Folder)
		require.NoError(t, err)
		require.Empty(t, entries)
	})
}

// TestLongClusterTime checks that a task past its time limit is sent again with twice the limit, up to that of the
// partition.
func TestLongClusterTime(t *testing.T) {
	slurmtest.Start(t)
	w, _ := workOf(t, 2, map[string]string{"u0.ever": "sleep 100", "u1.once": "sleep 1"})
	for i := range w.Units {
		w.Units[i].Time = time.Second // the requested limit is a minute
	}
	w.Settings.ArrayParallelism = 2
	o := run(t, t.Context(), w)
	require.Empty(t, o.Failed)
	late := 0
	for _, line := range logOf(t, w) {
		if strings.Contains(line, "TIMEOUT") || strings.HasSuffix(line, ",1") {
			late++
		}
	}
	require.Equal(t, 1, late, logOf(t, w))

	w, _ = workOf(t, 1, map[string]string{"u0.ever": "sleep 1000"})
	w.Units[0].Time, w.Settings.Partition = time.Second, "short"
	o = run(t, t.Context(), w)
	require.Len(t, o.Failed, 1)
	require.Contains(t, o.Failed[0].Reason, "its task had 1, the largest possible limit")
}

// TestNoSlurm checks that a missing Slurm is reported before anything is done.
func TestNoSlurm(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := slurm.Open(t.Context(), &slurm.Settings{})
	var bad *input.Error
	require.ErrorAs(t, err, &bad)
	require.Contains(t, bad.Error(), "there is no command sbatch")
}

// TestDeadSlurm checks that a Slurm that does not answer is reported, too.
func TestDeadSlurm(t *testing.T) {
	if _, err := exec.LookPath("scontrol"); err != nil {
		t.Skip("scontrol is missing: this test needs Slurm (Debian: slurm-wlm munge)")
	}
	conf := filepath.Join(t.TempDir(), "slurm.conf")
	require.NoError(t, os.WriteFile(conf, []byte("ClusterName=dead\nSlurmctldHost=localhost(127.0.0.1)\nSlurmctldPort=1\nAuthInfo=socket=/none\nNodeName=localhost\n"), 0o644))
	t.Setenv("SLURM_CONF", conf)
	_, err := slurm.Open(t.Context(), &slurm.Settings{})
	require.ErrorContains(t, err, "Slurm does not answer")
}
