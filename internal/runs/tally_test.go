package runs

import (
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/fabric/pops"
	"starloom/internal/config"
	"starloom/internal/meter"
)

// TestTally takes made-up runs: texts have a column and no statistics, a fraction has those of its value,
// and the lists of a report are bounded.
func TestTally(t *testing.T) {
	tally := newTally(true, nil)
	for i := range uint64(outcome.FailedRunsMax + 5) {
		r := &outcome.Report{Verdict: outcome.VerdictFail, Slots: 9,
			Violations: []outcome.Violation{{Rule: fabric.RuleFinishes}}, ViolationsTotal: 2}
		r.Metrics.Add("load", float64(i)/4)
		r.Metrics.Add("mu", "3/7")
		r.Metrics.Add("known", []int{1, 2})
		r.Metrics.Add("orders", "random")
		require.NoError(t, tally.add(&BatchRun{Seed: i / 2, Permutation: i % 2, Report: r}))
	}
	require.Len(t, tally.failed, outcome.FailedRunsMax)
	require.EqualValues(t, outcome.FailedRunsMax+5, tally.failedAll)
	require.Len(t, tally.failedSeeds, (outcome.FailedRunsMax+6)/2)
	var names []string
	for _, s := range tally.statistics() {
		names = append(names, s.Name)
	}
	require.NotContains(t, names, "orders")
	require.NotContains(t, names, "known")
	require.Subset(t, names, []string{"load", "mu", "known[0]", "known[1]"})
	require.Equal(t, 3./7, *tally.statistics().Get("mu").Median)
	require.Equal(t, 2.0, *tally.statistics().Get("known[1]").Mean)
	require.Zero(t, tally.statistics().Get("slots").Runs, "runs that fail have no finishing time")
	require.EqualValues(t, outcome.FailedRunsMax+5, tally.statistics().Get("load").Runs)
	for value, want := range map[any]string{3: "3", uint64(1 << 63): "9223372036854775808", 0.1: "0.1", "3/7": "3/7"} {
		require.Equal(t, want, outcome.ExactMetric(value))
	}
	require.Equal(t, "1 2", outcome.ExactMetric([]int{1, 2}))
}

// TestKnownInSomeRuns: a figure that the first run does not know is in the statistics of the others.
func TestKnownInSomeRuns(t *testing.T) {
	tally := newTally(false, nil)
	for i, value := range []any{nil, 3, nil, 5} {
		r := &outcome.Report{Verdict: outcome.VerdictPass}
		r.Metrics.Add("load", value)
		r.Metrics.Add("never", nil)
		require.NoError(t, tally.add(&BatchRun{Seed: uint64(i), Report: r}))
	}
	require.EqualValues(t, 2, tally.statistics().Get("load").Runs)
	require.Equal(t, 4.0, *tally.statistics().Get("load").Mean)
	require.Nil(t, tally.statistics().Get("never"))
}

// TestListsOfSomeRuns checks that an entry of a list covers the runs with that entry, that other values have none,
// and that long lists are cut.
func TestListsOfSomeRuns(t *testing.T) {
	tally := newTally(false, nil)
	three, long := int64(3), make([]uint64, entriesMax+1)
	for i, list := range []any{[]int{4, 1}, []int{8, 2, -5}, nil, []int{}, []float64{0.5}, []*int64{nil, &three}, [][3]uint64{{1, 2, 3}}, []string{"1"}} {
		r := &outcome.Report{Verdict: outcome.VerdictPass}
		r.Metrics.Add("list", list)
		r.Metrics.Add("share", []any{"1/2", "-3/4", "1/0", "a/b", "1/2/3", nil, 2, "0x1/2"}[i])
		r.Metrics.Add("long", long)
		require.NoError(t, tally.add(&BatchRun{Seed: uint64(i), Report: r}))
	}
	all := tally.statistics()
	require.Equal(t, []float64{0.5, 4, 8}, valuesOf(all.Get("list[0]")))
	require.Equal(t, []float64{1, 2, 3}, valuesOf(all.Get("list[1]")))
	require.Equal(t, []float64{-5}, valuesOf(all.Get("list[2]")))
	require.Nil(t, all.Get("list[3]"))
	require.Nil(t, all.Get("list"))
	require.Equal(t, []float64{-0.75, 0.5, 2}, valuesOf(all.Get("share")))
	require.NotNil(t, all.Get("long[1023]"))
	require.Nil(t, all.Get("long[1024]"))
}

// valuesOf are all values of a statistic.
func valuesOf(s *outcome.Statistic) (values []float64) {
	for _, bin := range s.Histogram {
		for range bin.Count {
			values = append(values, bin.Value)
		}
	}
	return values
}

// TestWorstOfManyRuns checks that the longest call of many runs belongs to the first run, slot and processor, with
// the run's seed, permutation and rate, in any order of addition.
func TestWorstOfManyRuns(t *testing.T) {
	network, rates := pops.Network{Groups: 1, GroupSize: 3}, []float64{0.1, 0.2}
	c := &config.Config{Network: network, Firmware: config.Firmware{CPU: new(meter.CPU)}}
	b := &Batch{Config: c, Rates: make([]Rated, len(rates)), Seeds: outcome.Seeds{First: 7, Last: 8}, Permutations: 6,
		about: new(outcome.Report)}
	one := func(run uint64, cycles uint64, processor int) *meter.Measured {
		var x meter.Measured
		x.Slot.Add(cycles, processor, 4)
		x.Start.Add(5, processor, 0)
		x.Slot.Run, x.Start.Run = run, run
		return &x
	}
	for _, c := range []struct {
		rate, run         int // that has it
		seed, permutation uint64
	}{{0, 0, 7, 0}, {0, 11, 8, 5}, {1, 0, 7, 0}, {1, 8, 8, 2}} {
		tally := newTally(true, nil)
		for k, rate := range rates {
			tally.begin(rate)
			for run := range uint64(12) {
				r := &BatchRun{Report: &outcome.Report{Verdict: outcome.VerdictPass, Faults: make([]outcome.FaultReport, 1)}}
				if run%4 == 3 { // four are a chunk; its last one is added first
					r.Measured = new(meter.Measured)
					for i := range uint64(4) {
						cycles := uint64(100)
						if k > c.rate || k == c.rate && run-i >= uint64(c.run) {
							cycles = 200 // all that follow take as long
						}
						r.Measured.Merge(one(run-i, cycles, int(run)))
					}
				}
				require.NoError(t, tally.add(r))
			}
		}
		b.total = 24
		f := b.firmware(tally)
		require.EqualValues(t, 24, f.Cycles.Calls)
		require.EqualValues(t, 200, f.Cycles.Max)
		require.Equal(t, &outcome.WorstCall{
			Seed: &c.seed, Permutation: &c.permutation, Rate: &rates[c.rate],
			Processor: uint64(c.run | 3), Path: network.Names().Processor(c.run | 3), Slot: 4,
		}, f.Cycles.Worst)
		require.EqualValues(t, []any{uint64(7), uint64(0), 0.1},
			[]any{*f.StartCycles.Worst.Seed, *f.StartCycles.Worst.Permutation, *f.StartCycles.Worst.Rate})
	}
}
