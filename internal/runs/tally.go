package runs

import (
	_ "embed"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/internal/meter"
	"starloom/traces"
	"starloom/traces/input"
	"starloom/traces/meaning"
)

// tally keeps what is said of many runs, which are added in their order: statistics,
// what failed, the worst, and rows of a table. What it keeps grows with the number of
// different values, not with the number of runs.
type tally struct {
	permuted bool             // runs have the number of a permutation
	rows     *input.CSVWriter // nil for none

	runs        uint64
	figures     []figure
	sum         traces.Sum
	failed      []outcome.FailedRun // the first failedRunsMax
	failedAll   uint64
	failedSeeds []outcome.FailedRun // the first failed run of each seed, for JUnitSeedsMax seeds
	firstFail   *outcome.Report
	worst       *outcome.FinishedRun // of those that passed: most slots, the first of equals
	slotsMax    uint64               // of any run
	frames      outcome.Frames
	broken      uint64 // violations
	traps       uint64
	onTrust     uint64 // announced deliveries that cannot be checked
	measured    meter.Measured

	faulty bool              // the runs have faults
	breaks outcome.Histogram // of those that failed: the slot of the first violation

	// With several rates of faults, those so far, and what each has brought.
	rate  *float64 // of the runs that are added now, nil for one rate
	rates []rateTally
}

type rateTally struct {
	rate         float64
	runs, passed uint64
	slots        outcome.Histogram // of those that passed
	faults       outcome.Histogram // how often faults.random has happened
}

type figure struct {
	name     string
	numeric  bool // some run has it, as a number or a fraction
	finishes bool
	values   outcome.Histogram
	entries  []outcome.Histogram // of a list, each of the runs that have it
	pool     fabric.Pooled       // of the runs that have it, as it is; nil for none...
	pooled   uint64              // ...and how many these are
}

const entriesMax = 1024

// add takes what a run says of it; counts says whether its numbers count.
func (f *figure) add(value any, counts bool) {
	if p, ok := value.(fabric.Pooled); ok {
		f.pool = p.Pool(f.pool)
		f.pooled++
	}
	outcome.EachNumber(value, func(entry int, number float64) {
		switch {
		case entry < 0:
			if f.numeric = true; counts {
				f.values.Add(number)
			}
		case counts && entry < entriesMax:
			for len(f.entries) <= entry {
				f.entries = append(f.entries, outcome.Histogram{})
			}
			f.entries[entry].Add(number)
		}
	})
}

func (f *figure) statistics(runs uint64) (all outcome.Statistics) {
	if f.numeric || f.finishes {
		all = append(all, f.values.Statistic(f.name))
	}
	for k, values := range f.entries {
		all = append(all, values.Statistic(fmt.Sprintf("%s[%d]", f.name, k)))
	}
	if f.pool != nil {
		all = append(all, f.together(runs)...)
	}
	return all
}

func (t *tally) begin(rate float64) {
	t.rate = &rate
	t.rates = append(t.rates, rateTally{rate: rate, slots: outcome.Histogram{}, faults: outcome.Histogram{}})
}

// newTally returns an empty tally with a row for each run in rows, or none for nil.
func newTally(permuted bool, rows *traces.File) *tally {
	t := &tally{permuted: permuted}
	if rows != nil {
		t.rows = input.NewCSVWriter(rows)
	}
	return t
}

// add adds a run. Errors are those of the table's file.
func (t *tally) add(run *BatchRun) error {
	r := run.Report
	var permutation *uint64
	if t.permuted {
		permutation = &run.Permutation
	}
	passed := r.Verdict == outcome.VerdictPass
	t.runs++
	// A run's digest covers frames and deliveries; its length and what it broke are
	// added here.
	t.sum.Event(run.Seed, run.Permutation, run.digest.Hi, run.digest.Lo)
	t.sum.Event(run.Seed, run.Permutation, r.Slots, r.ViolationsTotal)
	if t.rate != nil {
		t.sum.Event(run.Seed, run.Permutation, math.Float64bits(*t.rate), run.digest.Lo)
		t.rates[len(t.rates)-1].add(r, passed)
	}
	if x := run.Measured; x != nil {
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
			t.worst = &outcome.FinishedRun{Seed: run.Seed, Permutation: permutation, Slots: r.Slots}
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
		failed := outcome.FailedRun{Seed: run.Seed, Permutation: permutation, Rate: t.rate, Rule: rule, First: first}
		if len(t.failed) < outcome.FailedRunsMax {
			t.failed = append(t.failed, failed)
		}
		if n := len(t.failedSeeds); n < outcome.JUnitSeedsMax && (n == 0 || t.failedSeeds[n-1].Seed != run.Seed) {
			t.failedSeeds = append(t.failedSeeds, failed)
		}
	}

	figures := r.Figures()
	if t.figures == nil {
		for _, m := range figures {
			t.figures = append(t.figures, figure{name: m.Name, finishes: slices.Contains(outcome.FinishingTimes, m.Name), values: outcome.Histogram{}})
		}
		if err := t.head(); err != nil {
			return err
		}
	}
	for i := range t.figures {
		f := &t.figures[i]
		f.add(figures[i].Value, passed || !f.finishes)
	}
	return t.row(run, rule, figures)
}

func (t *rateTally) add(r *outcome.Report, passed bool) {
	t.runs++
	t.faults.Add(float64(r.Faults[len(r.Faults)-1].Count))
	if passed {
		t.passed++
		t.slots.Add(float64(r.Slots))
	}
}

// statistics sums up the figures that are numbers, fractions or lists. Those of runs with different rates have
// nothing in common: then they are those of each rate.
func (t *tally) statistics() outcome.Statistics {
	all := outcome.Statistics{}
	if t.rate != nil {
		for i := range t.rates {
			r, name := &t.rates[i], "rate["+outcome.ExactFloat(t.rates[i].rate)+"]"
			all = append(all, survived(name+".survived", r.runs, r.passed), r.slots.Statistic(name+".slots"), r.faults.Statistic(name+".faults"))
		}
		return all
	}
	for i := range t.figures {
		all = append(all, t.figures[i].statistics(t.runs)...)
	}
	if t.faulty {
		all = append(all, t.survival()...)
	}
	return all
}

// together are the figures of all runs together, without values if some lack them.
func (f *figure) together(runs uint64) (all outcome.Statistics) {
	for _, m := range f.pool.Figures(f.name) {
		values := outcome.Histogram{}
		if value, ok := outcome.Number64(m.Value); ok && f.pooled == runs {
			values.Add(value)
		}
		one := values.Statistic(m.Name)
		if one.Runs > 0 {
			one.Runs = runs
		}
		all = append(all, one)
	}
	return all
}

const survivalPoints = 32

// survival is the survival curve of runs with faults: for slots in which runs broke a rule for
// the first time, of each run 1 if it had broken none up to the end of that slot, else 0; the mean
// is the fraction that has survived.
func (t *tally) survival() (curve outcome.Statistics) {
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
func survived(name string, runs, alive uint64) outcome.Statistic {
	values := outcome.Histogram{}
	for value, count := range map[float64]uint64{0: runs - alive, 1: alive} {
		if count > 0 {
			values[value] = count
		}
	}
	return values.Statistic(name)
}

// curve is the survival curve with all its points; nil without faults.
func (t *tally) curve() (curve outcome.Survival) {
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

func (t *tally) digest() string {
	var d traces.Digest
	d.Slot(0, t.sum)
	return d.String()
}

//go:embed metrics.yaml
var metrics string

// Meanings says what the figures of every run, and of many, mean.
func Meanings() []meaning.Group { return meaning.Must(metrics) }

func (b *Batch) firmware(t *tally) outcome.FirmwareReport {
	f := b.about.Firmware
	f.Traps = t.traps
	if t.runs == 0 || b.Config.Firmware.CPU == nil {
		return f
	}
	t.measured.Report(&f, b.Config.Firmware.CPU, b.Config.Network.Names())
	each := b.total / uint64(max(len(b.Rates), 1))
	for _, handler := range []struct {
		cycles *outcome.HandlerCycles
		spread *meter.Spread
	}{{f.Cycles, &t.measured.Slot}, {f.StartCycles, &t.measured.Start}} {
		w := handler.cycles.Worst
		if w == nil {
			continue
		}
		run := b.Numbered(handler.spread.Run % each)
		w.Seed = &run.Seed
		if b.Permutations > 0 {
			w.Permutation = &run.Permutation
		}
		if t.rate != nil {
			w.Rate = &t.rates[handler.spread.Run/each].rate
		}
	}
	return f
}

func (o *Options) counted(t *tally) func(*BatchRun, uint64) error {
	return func(r *BatchRun, total uint64) error {
		if err := t.add(r); err != nil {
			return err
		}
		if o.Progress != nil {
			o.Progress(Progress{Runs: t.runs, RunsTotal: total})
		}
		return nil
	}
}

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

func (t *tally) row(run *BatchRun, rule string, figures []fabric.Metric) error {
	if t.rows == nil {
		return nil
	}
	r := run.Report
	row := []string{strconv.FormatUint(run.Seed, 10)}
	if t.permuted {
		row = append(row, strconv.FormatUint(run.Permutation, 10))
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

func (t *tally) flush() error {
	if t.rows == nil {
		return nil
	}
	t.rows.Flush()
	return t.rows.Error()
}
