package explore

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/outcome"
	"starloom/internal/explore"
)

const stopAndWait = "starloom: 1\nfabric: {bus: {vertices: 4, buses: [[1, 2, 3, 0]], arbiter: round_robin}}\n" +
	"firmware: {program: bus/stop-and-wait}\nworkload: {permutation: reverse}\n"

// States of different slots are compared where nothing reads the slot number. Stepped from their own slots, they
// have one future.
func TestStatesOfAnySlot(t *testing.T) {
	free := explored(t, stopAndWait, "{drop: 2}", explore.Options{Verify: true})
	assert.Contains(t, free.Covered[1], "runs of any length")
	timed := explored(t, stopAndWait+"stop: {slots: 300}\n", "{drop: 2}", explore.Options{})
	assert.Contains(t, timed.Covered[1], "runs of at most 300 slots (stop.slots)")
	assert.Equal(t, outcome.Holds, free.Verdict)
	assert.Equal(t, outcome.Holds, timed.Verdict)
	assert.Less(t, free.Counts.States, timed.Counts.States)
	assert.Less(t, free.Counts.Ends, timed.Counts.Ends, "ends that differ by their slot alone")
}

// A sender that repeats its frame for a dead receiver never stops. The search finds the state that returns, and the run
// of its schedule ends at the limit, in both engines.
func TestLivelock(t *testing.T) {
	free := explored(t, stopAndWait, "{drop: 1, dead: 1}", explore.Options{Verify: true})
	require.Equal(t, outcome.Fails, free.Verdict)
	require.NotNil(t, free.Never)
	assert.Len(t, free.Schedule, 1)
	assert.Contains(t, free.Covered[1], "each in any slot, ", "a livelock is found after all states")
	assert.Positive(t, slices.MaxFunc(free.Targets, func(a, b outcome.ExploredTarget) int {
		return cmp.Compare(a.Failing, b.Failing)
	}).Failing)
	assert.EqualValues(t, 8, free.Never.Period, "the timeout of the sender")
	assert.Equal(t, "finishes", free.Violations[0].Rule)
	assert.EqualValues(t, free.Never.Shown, free.Violations[0].Slot)
	assert.Zero(t, (free.Never.Shown-free.Never.First)%free.Never.Period)

	timed := explored(t, stopAndWait+"stop: {slots: 100}\n", "{drop: 1, dead: 1}", explore.Options{})
	require.Equal(t, outcome.Fails, timed.Verdict)
	assert.Nil(t, timed.Never)
	assert.Len(t, timed.Schedule, 1)
	assert.Equal(t, "finishes", timed.Violations[0].Rule)

	holds := explored(t, stopAndWait, "{drop: 1, clock_pause: 2}", explore.Options{Workers: 2})
	assert.Equal(t, outcome.Holds, holds.Verdict, "pauses end")

	folder := t.TempDir()
	file := filepath.Join(folder, "s.yaml")
	require.NoError(t, os.WriteFile(file, []byte(stopAndWait+"explore: {faults: {dead: 1}}\n"), 0o644))
	s, err := starloom.LoadScenario(file)
	require.NoError(t, err)
	o := starloom.ExploreOptions{Counterexample: starloom.File(filepath.Join(folder, "c.yaml"))}
	r, err := starloom.Explore(t.Context(), s, o)
	require.NoError(t, err) // both engines have repeated it
	one, err := starloom.LoadScenario(filepath.Join(folder, "c.yaml"))
	require.NoError(t, err)
	assert.EqualValues(t, r.Never.Shown, one.Stop.Slots)
	report, err := starloom.Run(t.Context(), one, starloom.RunOptions{})
	require.NoError(t, err)
	assert.Equal(t, "finishes", report.Violations[0].Rule)
	assert.Equal(t, "faults", report.Violations[0].Cause, "the run without faults ends before")
}
