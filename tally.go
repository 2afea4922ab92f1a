package starloom

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"starloom/fabric"
	"starloom/traces"
)

// failedRunsMax is the number of failed runs that a report lists; the CSV has all.
const failedRunsMax = 10_000

// finishingTimes are the figures that say when a run was finished. Runs that failed
// have none: those that broke a rule, too, did not do their work in that time.
var finishingTimes = []string{"slots", "cycles", "steps", "lambda", "completion"}

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
	measured  measured

	faulty bool      // the runs have faults
	breaks histogram // of those that failed: the slot of the first violation

	// With several rates of faults, those so far, and what each has brought.
	rate  *float64 // of the runs that are added now, nil for one rate
	rates []rateTally
}

// rateTally sums up the runs with one rate.
type rateTally struct {
	rate         float64
	runs, passed uint64
	slots        histogram // of those that passed
	faults       histogram // how often faults.random has happened
}

// figure is one figure of all runs.
type figure struct {
	name     string
	numeric  bool // some run has it, as a number
	finishes bool
	values   histogram
}

// FailedRun is a run of many that failed.
type FailedRun struct {
	Seed        uint64   `json:"seed"`
	Permutation *uint64  `json:"permutation,omitempty"` // its number, if every permutation was run
	Rate        *float64 `json:"rate,omitempty"`        // of faults.random, if there are several
	Rule        string   `json:"rule"`                  // the first one that it broke

	first Violation
}

// FinishedRun is a run of many that passed.
type FinishedRun struct {
	Seed        uint64  `json:"seed"`
	Permutation *uint64 `json:"permutation,omitempty"`
	Slots       uint64  `json:"slots"`
}

// alone returns the options that repeat one of many runs.
func alone(seed uint64, permutation *uint64) string {
	options := fmt.Sprintf("--seed %d", seed)
	if permutation != nil {
		options += fmt.Sprintf(" --permutation %d", *permutation)
	}
	return options
}

// alone returns the options that repeat the run, and what to change in the scenario.
func (f *FailedRun) alone() string {
	options := alone(f.Seed, f.Permutation)
	if f.Rate != nil {
		options += " with rate: " + exactFloat(*f.Rate)
	}
	return options
}

// begin says that the runs that are added next have a rate.
func (t *tally) begin(rate float64) {
	t.rate = &rate
	t.rates = append(t.rates, rateTally{rate: rate, slots: histogram{}, faults: histogram{}})
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
			x.start.run, x.slot.run = x.start.run+before, x.slot.run+before
		}
		t.measured.merge(x)
	}
	t.frames.add(r.Frames)
	t.broken += r.ViolationsTotal
	t.traps += r.Firmware.Traps
	t.onTrust += r.onTrust
	t.slotsMax = max(t.slotsMax, r.Slots)
	t.faulty = t.faulty || len(r.Faults) > 0
	rule := ""
	if passed {
		if t.worst == nil || r.Slots > t.worst.Slots {
			t.worst = &FinishedRun{run.seed, permutation, r.Slots}
		}
	} else {
		first := r.Violations[0]
		rule = first.Rule
		if t.breaks == nil {
			t.breaks = histogram{}
		}
		t.breaks.add(float64(first.Slot))
		t.failedAll++
		if t.firstFail == nil {
			t.firstFail = r
		}
		failed := FailedRun{run.seed, permutation, t.rate, rule, first}
		if len(t.failed) < failedRunsMax {
			t.failed = append(t.failed, failed)
		}
		if n := len(t.seeds); n < junitSeedsMax && (n == 0 || t.seeds[n-1].Seed != run.seed) {
			t.seeds = append(t.seeds, failed)
		}
	}

	figures := r.figures()
	if t.figures == nil {
		for _, m := range figures {
			t.figures = append(t.figures, figure{m.Name, false, slices.Contains(finishingTimes, m.Name), histogram{}})
		}
		if err := t.head(); err != nil {
			return err
		}
	}
	for i := range t.figures {
		f := &t.figures[i]
		value, numeric := number64(figures[i].Value)
		f.numeric = f.numeric || numeric
		if numeric && (passed || !f.finishes) {
			f.values.add(value)
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
		row = append(row, exactFloat(*t.rate))
	}
	row = append(row, string(r.Verdict), rule, strconv.FormatUint(r.ViolationsTotal, 10))
	for _, m := range figures {
		row = append(row, exactMetric(m.Value))
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
	t.faults.add(float64(r.Faults[len(r.Faults)-1].Count))
	if passed {
		t.passed++
		t.slots.add(float64(r.Slots))
	}
}

// statistics sums up the figures that are numbers. Those of runs with different rates have
// nothing in common: then they are those of each rate.
func (t *tally) statistics() Statistics {
	all := Statistics{}
	if t.rate != nil {
		for i := range t.rates {
			r, name := &t.rates[i], "rate["+exactFloat(t.rates[i].rate)+"]"
			all = append(all, survived(name+".survived", r.runs, r.passed), r.slots.statistic(name+".slots"), r.faults.statistic(name+".faults"))
		}
		return all
	}
	for i := range t.figures {
		if f := &t.figures[i]; f.numeric || f.finishes {
			all = append(all, f.values.statistic(f.name))
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
	values := histogram{}
	for value, count := range map[float64]uint64{0: runs - alive, 1: alive} {
		if count > 0 {
			values[value] = count
		}
	}
	return values.statistic(name)
}

// curve is the survival curve with all its points; nil without faults.
func (t *tally) curve() (curve Survival) {
	for i := range t.rates {
		if r := &t.rates[i]; r.runs > 0 {
			point := newSurvivalPoint(r.runs, r.passed)
			point.Rate = &r.rate
			curve = append(curve, point)
		}
	}
	if curve == nil && t.faulty {
		curve = survivalBySlot(t.runs, t.breaks)
	}
	return curve
}

// digest returns the digest of all runs.
func (t *tally) digest() string {
	var d traces.Digest
	d.Slot(0, t.sum)
	return d.String()
}

// figures lists all figures of a run: how long it took, its metrics, its frames.
func (r *Report) figures() []Metric {
	all := make([]Metric, 0, 2+len(r.Metrics)+8)
	all = append(all, Metric{Name: "slots", Value: r.Slots}, Metric{Name: "cycles", Value: r.Cycles})
	all = append(all, r.Metrics...)
	for i := range r.Faults {
		all = append(all, Metric{Name: fmt.Sprintf("fault[%d].%s", i, r.Faults[i].Kind), Value: r.Faults[i].Count})
	}
	frames := reflect.ValueOf(r.Frames)
	for i := range frames.NumField() {
		all = append(all, Metric{Name: "frames." + frames.Type().Field(i).Tag.Get("json"), Value: frames.Field(i).Uint()})
	}
	return all
}

// add adds the counters of another run.
func (f *Frames) add(o Frames) {
	sum, more := reflect.ValueOf(f).Elem(), reflect.ValueOf(o)
	for i := range sum.NumField() {
		sum.Field(i).SetUint(sum.Field(i).Uint() + more.Field(i).Uint())
	}
}

// number64 returns a figure that is a number.
func number64(value any) (float64, bool) {
	switch v := value.(type) {
	case int:
		return float64(v), true
	case uint64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// exactMetric writes a figure for scripts, with all digits, and nothing for one that is not known;
// lists are separated by blanks.
func exactMetric(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case int:
		return strconv.Itoa(v)
	case uint64:
		return strconv.FormatUint(v, 10)
	case float64:
		return exactFloat(v)
	case string:
		return v
	}
	if lined, ok := value.(fabric.Lined); ok {
		return strings.Join(lined.Lines(), "; ")
	}
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return strings.NewReplacer("[", "", "]", "", ",", " ").Replace(string(data))
}
