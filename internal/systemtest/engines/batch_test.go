package engines

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/outcome"
	"starloom/internal/emulator"
	"starloom/internal/inside"
	"starloom/internal/runs"
	"starloom/internal/systemtest"
)

// all returns a scenario of all permutations.
func all(program string, d, g int) *starloom.Scenario {
	s := systemtest.ProgramScenario(program, d, g)
	s.Workload.Permutation.Kind = starloom.PermutationAll
	return s
}

// batchOf elaborates a scenario that is run many times.
func batchOf(t *testing.T, s *starloom.Scenario, seeds starloom.Seeds, o starloom.MachineOptions) *runs.Batch {
	b, err := inside.Decided(s).Batch(outcome.Seeds(seeds), inside.Executed(&o))
	require.NoError(t, err)
	return b
}

// TestBatchTakesRunsInOrder runs small chunks on more machines than cores: runs come in order, and few of them wait.
func TestBatchTakesRunsInOrder(t *testing.T) {
	s := systemtest.Routing(64, 64)
	s.Stop.Slots = 1
	b := batchOf(t, s, starloom.Seeds{First: 7, Last: 18}, starloom.MachineOptions{Workers: 5})
	seed := uint64(7)
	require.NoError(t, b.Each(context.Background(), func(r *runs.BatchRun, total uint64) error {
		require.Equal(t, seed, r.Seed)
		require.EqualValues(t, 12, total)
		seed++
		return nil
	}))
	require.EqualValues(t, 19, seed)
}

// TestBatchEndsWithItsWorkers lets the second machine, then the consumer fail: the
// error comes back when all have stopped, and no run is taken after it.
func TestBatchEndsWithItsWorkers(t *testing.T) {
	broken := errors.New("broken")
	for name, failingRun := range map[string]int{"machine": 0, "consumer": 1500} {
		var built atomic.Int32
		var returned, late atomic.Bool
		taken := 0
		b := batchOf(t, all("pops/offline", 2, 4), starloom.Seeds{}, starloom.MachineOptions{Workers: 2})
		b.Build = func(o emulator.Options) (*emulator.Machine, error) {
			if built.Add(1) == 2 && failingRun == 0 {
				return nil, broken
			}
			return emulator.New(context.Background(), systemtest.Elaborated(t, all("pops/offline", 2, 4)), o)
		}
		err := b.Each(context.Background(), func(*runs.BatchRun, uint64) error {
			late.Store(returned.Load())
			if taken++; taken == failingRun {
				return broken
			}
			return nil
		})
		returned.Store(true)
		require.ErrorIs(t, err, broken, name)
		require.Less(t, taken, 40320, name)
		time.Sleep(50 * time.Millisecond) // some chunks
		require.False(t, late.Load(), name)
	}
}

// TestPermutationsHaveCoinsOfTheirOwn runs all permutations of one group, in which all
// are alike: with the same coins, all would take the same number of slots. They take
// as long as random permutations with many seeds.
func TestPermutationsHaveCoinsOfTheirOwn(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of runs")
	}
	for _, size := range [][2]int{{6, 1}, {3, 2}} {
		d, g := size[0], size[1]
		every, err := starloom.RunSeeds(context.Background(), all("pops/random-corrected", d, g), starloom.Seeds{First: 1, Last: 1}, starloom.RunOptions{})
		require.NoError(t, err)
		random, err := starloom.RunSeeds(context.Background(), systemtest.ProgramScenario("pops/random-corrected", d, g),
			starloom.Seeds{First: 1, Last: 2000}, starloom.RunOptions{})
		require.NoError(t, err)
		a, b := every.Statistics.Get("slots"), random.Statistics.Get("slots")
		require.EqualValues(t, 720, a.Runs)
		require.EqualValues(t, 2000, b.Runs)
		require.Greater(t, len(a.Histogram), 5)
		require.InDelta(t, *b.Mean, *a.Mean, 4*(*a.SE+*b.SE), "POPS(%d,%d)", d, g)
		require.InEpsilon(t, *b.SD, *a.SD, 0.2, "POPS(%d,%d)", d, g)
	}
}

// TestPermutationAlone repeats permutations alone, some that pass and the first that
// fails: with the option, and as a list with the seed that the report tells. Both are
// the run that was one of all.
func TestPermutationAlone(t *testing.T) {
	scenario := func() *starloom.Scenario { return all("pops/random", 3, 2) } // d > g: some fail
	byNumber := map[uint64]*runs.BatchRun{}
	b := batchOf(t, scenario(), starloom.Seeds{First: 5, Last: 5}, starloom.MachineOptions{})
	firstFail := uint64(noPermutation)
	require.NoError(t, b.Each(context.Background(), func(r *runs.BatchRun, _ uint64) error {
		byNumber[r.Permutation] = r
		if r.Report.Verdict == starloom.VerdictFail {
			firstFail = min(firstFail, r.Permutation)
		}
		return nil
	}))
	require.Less(t, firstFail, uint64(700))
	every := scenario()
	every.Seed = 5
	report, err := starloom.Run(context.Background(), every, starloom.RunOptions{})
	require.NoError(t, err)
	require.Contains(t, report.Notes, fmt.Sprintf("permutation %d is the first that fails; alone: --seed 5 --permutation %d", firstFail, firstFail))

	for _, k := range []uint64{0, 1, 359, 719, firstFail} {
		s := scenario()
		seed := uint64(5)
		require.NoError(t, s.Override(t.Context(), starloom.Overrides{Seed: &seed, Permutation: &k}))
		alone, err := starloom.Run(context.Background(), s, starloom.RunOptions{})
		require.NoError(t, err)
		listed := scenario()
		listed.Seed, listed.Workload.Permutation = s.Seed,
			starloom.Permutation{Kind: starloom.PermutationList, List: runs.PermutationNumber(6, k)}
		again, err := starloom.Run(context.Background(), listed, starloom.RunOptions{})
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf("permutation %d of the run with seed 5 has seed %d when run "+
			"alone", k, s.Seed), alone.Notes[0])

		want := byNumber[k].Report
		require.Equal(t, s.Seed, want.Seed)
		require.Equal(t, alone.Violations, again.Violations)
		if k == firstFail {
			require.ElementsMatch(t, brokenRules(want.Violations), brokenRules(alone.Violations))
			for i, v := range alone.Violations {
				require.Equal(t, fmt.Sprintf("permutation %v: %s", runs.PermutationNumber(6, k), v.Message), report.Violations[i].Message)
			}
		}
		// A single run also reports the places of lost packets; a batch keeps one violation of all failures but the
		// first.
		alone.Violations, again.Violations, alone.Notes, want.Aside.Missing = want.Violations,
			want.Violations, want.Notes, nil
		require.Equal(t, fmt.Sprintf(" --seed 5 --permutation %d", k), alone.Aside.Command)
		alone.Aside.Command = "" // a batch says it of all its runs
		require.Equal(t, want, alone, "permutation %d", k)
		require.Equal(t, want, again, "permutation %d", k)
	}
}

// noPermutation is above the number of every permutation.
const noPermutation = 1<<64 - 1

// brokenRules lists violations without the places of lost packets.
func brokenRules(violations []starloom.Violation) (texts []string) {
	for _, v := range violations {
		what, _, _ := strings.Cut(v.Message, ": ")
		texts = append(texts, v.Rule+": "+what)
	}
	return texts
}
