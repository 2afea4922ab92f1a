package cli

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"starloom"
)

// TestLeft checks the texts of the remaining time, from seconds to days.
func TestLeft(t *testing.T) {
	for _, c := range []struct {
		done, total uint64
		took        time.Duration
		want        string
	}{
		{10_000, 1_000_000_000, time.Second, ", about 28 hours left"},
		{1_000, 1_000_000_000, time.Second, ", about 12 days left"},
		{1, 61, time.Second, ", about 1 minute left"},
		{1, 121, 30 * time.Second, ", about 60 minutes left"},
		{1, 60, time.Second, ", about 59 seconds left"},
		{1, 10, time.Second, ""},
		{0, 60, time.Second, ""},
		{61, 60, time.Hour, ""},
		{100, 100, time.Hour, ""},
	} {
		require.Equal(t, c.want, left(c.done, c.total, c.took))
	}
}

// TestSweepProgressInALog checks that a sweep without a terminal writes a line per minute.
func TestSweepProgressInALog(t *testing.T) {
	var log bytes.Buffer
	p := newProgress(&log)
	now := starloom.SweepProgress{Runs: 30, RunsTotal: 100, Left: 3 * time.Hour}
	p.sweep(now)
	require.Empty(t, log.String(), "it has just begun")
	p.last = p.last.Add(-time.Minute)
	p.sweep(now)
	p.sweep(now)
	require.Equal(t, "starloom: 30 of 100 runs, about 3 hours left\n", log.String())
	p.run(starloom.Progress{Runs: 1, RunsTotal: 2})
	p.clear()
	require.Equal(t, "starloom: 30 of 100 runs, about 3 hours left\n", log.String(), "other commands are silent")
}
