package starloom

import (
	"encoding/csv"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"starloom/internal/meter"
	"starloom/internal/outcome"
	"starloom/traces"
)

// tally keeps what is said of many runs, which are added in their order: statistics,
// what failed, the worst, and rows of a table. What it keeps grows with the number of
// different values, not with the number of runs.
type tally struct {
	permuted bool        // runs have the number of a permutation
	rows     *csv.Writer // nil for none

	runs      uint64
	figures   []figure
	sum       traces.Sum
	failed    []FailedRun // the first failedRunsMax
	failedAll uint64
	seeds     []FailedRun // the first failed run of each seed, for junitSeedsMax seeds
	firstFail *Report
	worst     *FinishedRun // of those that passed: most slots, the first of equals
	slotsMax  uint64       // of any run
	frames    Frames
	broken    uint64 // violations
	traps     uint64
	onTrust   uint64 // announced deliveries that cannot be checked
	measured  meter.Measured

	faulty bool              // the runs have faults
	breaks outcome.Histogram // of those that failed: the slot of the first violation

	// With several rates of faults, those so far, and what each has brought.
	rate  *float64 // of the runs that are added now, nil for one rate
	rates []rateTally
}

// rateTally sums up the runs with one rate.
type rateTally struct {
	rate         float64
	runs, passed uint64
	slots        outcome.Histogram // of those that passed
	faults       outcome.Histogram // how often faults.random has happened
}

// figure is one figure of all runs.
type figure struct {
	name     string
	numeric  bool // some run has it, as a number
	finishes bool
	values   outcome.Histogram
}

// begin says that the runs that are added next have a rate.
func (t *tally) begin(rate float64) {
	t.rate = &rate
	t.rates = append(t.rates, rateTally{rate: rate, slots: outcome.Histogram{}, faults: outcome.Histogram{}})
}

// newTally returns an empty tally that writes a row for each run to rows, or none
// for nil.
func newTally(permuted bool, rows *traces.File) *tally {
	t := &tally{permuted: permuted}
	if rows != nil {
		t.rows = csv.NewWriter(rows)
	}
	return t
}

// add adds a run. Errors are those of the table's file.
func (t *tally) add(run *batchRun) error {
	r := run.report
	var permutation *uint64
	if t.permuted {
		permutation = &run.permutation
	}
	passed := r.Verdict == VerdictPass
	t.runs++
	// A run's digest covers frames and deliveries; its length and what it broke are
	// added here.
	t.sum.Event(run.seed, run.permutation, run.digest.Hi, run.digest.Lo)
	t.sum.Event(run.seed, run.permutation, r.Slots, r.ViolationsTotal)
	if t.rate != nil {
		t.sum.Event(run.seed, run.permutation, math.Float64bits(*t.rate), run.digest.Lo)
		t.rates[len(t.rates)-1].add(r, passed)
	}
	if x := run.measured; x != nil {
		if t.rate != nil { // each has runs from 0 on
			before := t.runs - t.rates[len(t.rates)-1].runs
			x.Start.Run, x.Slot.Run = x.Start.Run+before, x.Slot.Run+before
		}
		t.measured.Merge(x)
	}
	t.frames.Add(r.Frames)
	t.broken += r.ViolationsTotal
	t.traps += r.Firmware.Traps
	t.onTrust += r.Aside.OnTrust
	t.slotsMax = max(t.slotsMax, r.Slots)
	t.faulty = t.faulty || len(r.Faults) > 0
	rule := ""
	if passed {
		if t.worst == nil || r.Slots > t.worst.Slots {
			t.worst = &FinishedRun{Seed: run.seed, Permutation: permutation, Slots: r.Slots}
		}
	} else {
		first := r.Violations[0]
		rule = first.Rule
		if t.breaks == nil {
			t.breaks = outcome.Histogram{}
		}
		t.breaks.Add(float64(first.Slot))
		t.failedAll++
		if t.firstFail == nil {
			t.firstFail = r
		}
		failed := FailedRun{Seed: run.seed, Permutation: permutation, Rate: t.rate, Rule: rule, First: first}
		if len(t.failed) < outcome.FailedRunsMax {
			t.failed = append(t.failed, failed)
		}
		if n := len(t.seeds); n < outcome.JUnitSeedsMax && (n == 0 || t.seeds[n-1].Seed != run.seed) {
			t.seeds = append(t.seeds, failed)
		}
	}

	figures := r.Figures()
	if t.figures == nil {
		for _, m := range figures {
			t.figures = append(t.figures, figure{m.Name, false, slices.Contains(outcome.FinishingTimes, m.Name), outcome.Histogram{}})
		}
		if err := t.head(); err != nil {
			return err
		}
	}
	for i := range t.figures {
		f := &t.figures[i]
		value, numeric := outcome.Number64(figures[i].Value)
		f.numeric = f.numeric || numeric
		if numeric && (passed || !f.finishes) {
			f.values.Add(value)
		}
	}
	return t.row(run, rule, figures)
}

// head writes the names of the columns.
func (t *tally) head() error {
	if t.rows == nil {
		return nil
	}
	names := []string{"seed"}
	if t.permuted {
		names = append(names, "permutation")
	}
	if t.rate != nil {
		names = append(names, "rate")
	}
	names = append(names, "verdict", "rule", "violations")
	for i := range t.figures {
		names = append(names, t.figures[i].name)
	}
	return t.rows.Write(append(names, "digest"))
}

// row writes a run's row.
func (t *tally) row(run *batchRun, rule string, figures []Metric) error {
	if t.rows == nil {
		return nil
	}
	r := run.report
	row := []string{strconv.FormatUint(run.seed, 10)}
	if t.permuted {
		row = append(row, strconv.FormatUint(run.permutation, 10))
	}
	if t.rate != nil {
		row = append(row, outcome.ExactFloat(*t.rate))
	}
	row = append(row, string(r.Verdict), rule, strconv.FormatUint(r.ViolationsTotal, 10))
	for _, m := range figures {
		row = append(row, outcome.ExactMetric(m.Value))
	}
	return t.rows.Write(append(row, r.Digest))
}

// flush brings the table to its file.
func (t *tally) flush() error {
	if t.rows == nil {
		return nil
	}
	t.rows.Flush()
	return t.rows.Error()
}

// add adds a run.
func (t *rateTally) add(r *Report, passed bool) {
	t.runs++
	t.faults.Add(float64(r.Faults[len(r.Faults)-1].Count))
	if passed {
		t.passed++
		t.slots.Add(float64(r.Slots))
	}
}

// statistics sums up the figures that are numbers. Those of runs with different rates have
// nothing in common: then they are those of each rate.
func (t *tally) statistics() Statistics {
	all := Statistics{}
	if t.rate != nil {
		for i := range t.rates {
			r, name := &t.rates[i], "rate["+outcome.ExactFloat(t.rates[i].rate)+"]"
			all = append(all, survived(name+".survived", r.runs, r.passed), r.slots.Statistic(name+".slots"), r.faults.Statistic(name+".faults"))
		}
		return all
	}
	for i := range t.figures {
		if f := &t.figures[i]; f.numeric || f.finishes {
			all = append(all, f.values.Statistic(f.name))
		}
	}
	if t.faulty {
		all = append(all, t.survival()...)
	}
	return all
}

// survivalPoints is the most points of a survival curve.
const survivalPoints = 32

// survival is the survival curve of runs with faults: for slots in which runs broke a rule for
// the first time, of each run 1 if it had broken none up to the end of that slot, else 0; the mean
// is the fraction that has survived.
func (t *tally) survival() (curve Statistics) {
	slots := slices.Sorted(maps.Keys(t.breaks))
	stride := (len(slots) + survivalPoints - 1) / survivalPoints
	alive := t.runs
	for i, slot := range slots {
		alive -= t.breaks[slot]
		if i == len(slots)-1 || i%stride == 0 {
			curve = append(curve, survived(fmt.Sprintf("survival[%d]", uint64(slot)), t.runs, alive))
		}
	}
	return curve
}

// survived is 1 for each run that has survived, 0 for the others.
func survived(name string, runs, alive uint64) Statistic {
	values := outcome.Histogram{}
	for value, count := range map[float64]uint64{0: runs - alive, 1: alive} {
		if count > 0 {
			values[value] = count
		}
	}
	return values.Statistic(name)
}

// curve is the survival curve with all its points; nil without faults.
func (t *tally) curve() (curve Survival) {
	for i := range t.rates {
		if r := &t.rates[i]; r.runs > 0 {
			point := outcome.NewSurvivalPoint(r.runs, r.passed)
			point.Rate = &r.rate
			curve = append(curve, point)
		}
	}
	if curve == nil && t.faulty {
		curve = outcome.SurvivalBySlot(t.runs, t.breaks)
	}
	return curve
}

// digest returns the digest of all runs.
func (t *tally) digest() string {
	var d traces.Digest
	d.Slot(0, t.sum)
	return d.String()
}
