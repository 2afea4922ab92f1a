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

// tally summarises many runs, added in order: statistics, failures, the slowest run, and rows of a table. Its size
// grows with the number of different values, not with the number of runs.
type tally struct {
	permuted bool             // runs have permutation numbers
	rows     *input.CSVWriter // nil for none

	runs        uint64
	figures     []figure
	sum         traces.Sum
	failed      []outcome.FailedRun // the first failedRunsMax
	failedAll   uint64
	failedSeeds []outcome.FailedRun // first failed run of each seed, at most JUnitSeedsMax
	firstFail   *outcome.Report
	worst       *outcome.FinishedRun // first of the longest runs that passed
	slotsMax    uint64               // most slots of any run
	frames      outcome.Frames
	broken      uint64 // number of violations
	traps       uint64
	onTrust     uint64 // announced deliveries that cannot be verified
	measured    meter.Measured

	faulty bool              // the runs have faults
	breaks outcome.Histogram // slots of the first violations of failed runs

	// Results by rate, if faults have several.
	rate  *float64 // rate of the current runs, nil for a single rate
	rates []rateTally
}

type rateTally struct {
	rate         float64
	runs, passed uint64
	slots        outcome.Histogram // slots of the runs that passed
	faults       outcome.Histogram // effects of faults.random
}

type figure struct {
	name     string
	numeric  bool // at least one run has a number or a fraction
	finishes bool
	values   outcome.Histogram
	entries  []outcome.Histogram // entries of a list, over the runs with such an entry
	pool     fabric.Pooled       // pooled values of the runs, nil for none
	pooled   uint64              // number of pooled runs
}

const entriesMax = 1024

// add adds a run's value. counts means that its numbers enter the statistics.
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

func newTally(permuted bool, rows *traces.File) *tally {
	t := &tally{permuted: permuted}
	if rows != nil {
		t.rows = input.NewCSVWriter(rows)
	}
	return t
}

// add adds a run. Its errors concern the table's file.
func (t *tally) add(run *BatchRun) error {
	r := run.Report
	var permutation *uint64
	if t.permuted {
		permutation = &run.Permutation
	}
	passed := r.Verdict == outcome.VerdictPass
	t.runs++
	// the digest covers only frames and deliveries, so the length and the violations are added
	t.sum.Event(run.Seed, run.Permutation, run.digest.Hi, run.digest.Lo)
	t.sum.Event(run.Seed, run.Permutation, r.Slots, r.ViolationsTotal)
	if t.rate != nil {
		t.sum.Event(run.Seed, run.Permutation, math.Float64bits(*t.rate), run.digest.Lo)
		t.rates[len(t.rates)-1].add(r, passed)
	}
	if x := run.Measured; x != nil {
		if t.rate != nil { // runs of each rate count from 0
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
			t.figures = append(t.figures,
				figure{name: m.Name, finishes: slices.Contains(outcome.FinishingTimes, m.Name), values: outcome.Histogram{}})
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

// statistics summarises numeric figures, fractions and lists. Runs with different rates have statistics for each
// rate.
func (t *tally) statistics() outcome.Statistics {
	all := outcome.Statistics{}
	if t.rate != nil {
		for i := range t.rates {
			r, name := &t.rates[i], "rate["+outcome.ExactFloat(t.rates[i].rate)+"]"
			all = append(all, survived(name+".survived", r.runs, r.passed), r.slots.Statistic(name+".slots"),
				r.faults.Statistic(name+".faults"))
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

// survival returns the survival curve of runs with faults: at each slot of a first violation, the fraction of runs
// without a violation up to the end of the slot.
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

func survived(name string, runs, alive uint64) outcome.Statistic {
	values := outcome.Histogram{}
	for value, count := range map[float64]uint64{0: runs - alive, 1: alive} {
		if count > 0 {
			values[value] = count
		}
	}
	return values.Statistic(name)
}

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

// Meanings returns the meanings of the figures of single runs and batches.
func Meanings() []meaning.Group { return meaning.Must(metrics) }

func (b *Batch) firmware(t *tally) outcome.FirmwareReport {
	f := b.about.Firmware
	f.Traps = t.traps
	if t.runs == 0 {
		return f
	}
	if t.measured.Report(&f, b.Config.Firmware.CPU, b.Config.Network.Names()); f.Cycles == nil {
		return f
	}
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
