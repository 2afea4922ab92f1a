package outcome

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"starloom/fabric"
	"starloom/firmware"
	"strconv"
	"strings"
)

// OutputFile is an output of a run.
type OutputFile struct {
	Kind string // "vcd", "gtkw", "pcapng", "lua", "json", "junit", "csv", "stats-csv", "log"
	Path string // as it was given; "-" is standard output, "" a writer
	Note string // why it is empty, "" if it is not

	Stream bool // standard output, a writer, a pipe or a device: no file is there to be opened afterwards
}

// RTLReport says what was RTL in a run.
type RTLReport struct {
	Path    string `json:"path"` // of the component
	Top     string `json:"top"`  // module
	Backend string `json:"backend"`
	SHA256  string `json:"sha256"` // of the sources' text, or of the image
}

// rtlPassed says what a verdict does not say of RTL.
func rtlPassed(b *bytes.Buffer, verdict Verdict, rtl []RTLReport, check string) {
	if verdict == VerdictPass && len(rtl) > 0 {
		fmt.Fprintf(b, "  note: pass says that the firmware worked with this RTL, not that the RTL equals the model: %s compares them\n", Printable(check))
	}
}

// rtlText is what the text form of a report says of RTL, one part per module and
// backend: 16 link (wasm).
func rtlText(list []RTLReport) string {
	var kinds []string
	counts := map[string]int{}
	for _, x := range list {
		kind := fmt.Sprintf("%s (%s)", Printable(x.Top), x.Backend)
		if counts[kind]++; counts[kind] == 1 {
			kinds = append(kinds, kind)
		}
	}
	for i, kind := range kinds {
		kinds[i] = fmt.Sprintf("%d %s", counts[kind], kind)
	}
	return strings.Join(kinds, ", ")
}

// NoteChecked is about costs only.
const NoteChecked = "the firmware is " + firmware.CheckedText

// Seeds is a range of seeds, both ends included.
type Seeds struct{ First, Last uint64 }

// JUnitSeedsMax bounds the test cases of a JUnit file with one for each seed.
const JUnitSeedsMax = 10_000

// String returns A..B.
func (s Seeds) String() string { return fmt.Sprintf("%d..%d", s.First, s.Last) }

// Count returns the number of seeds; 0 is 2^64.
func (s Seeds) Count() uint64 { return s.Last - s.First + 1 }

// FailedRunsMax is the number of failed runs that a report lists; the CSV has all.
const FailedRunsMax = 10_000

// FinishingTimes are the figures that say when a run was finished. Runs that failed
// have none: those that broke a rule, too, did not do their work in that time.
var FinishingTimes = []string{"slots", "cycles", "steps", "lambda", "completion"}

// FailedRun is a run of many that failed.
type FailedRun struct {
	Seed        uint64   `json:"seed"`
	Permutation *uint64  `json:"permutation,omitempty"` // its number, if every permutation was run
	Rate        *float64 `json:"rate,omitempty"`        // of faults.random, if there are several
	Rule        string   `json:"rule"`                  // the first one that it broke

	First Violation `json:"-"`
}

// FinishedRun is a run of many that passed.
type FinishedRun struct {
	Seed        uint64  `json:"seed"`
	Permutation *uint64 `json:"permutation,omitempty"`
	Slots       uint64  `json:"slots"`
}

// Alone returns the options that repeat one of many runs.
func Alone(seed uint64, permutation *uint64) string {
	options := fmt.Sprintf("--seed %d", seed)
	if permutation != nil {
		options += fmt.Sprintf(" --permutation %d", *permutation)
	}
	return options
}

// alone returns the options that repeat the run, and what to change in the scenario.
func (f *FailedRun) alone() string {
	options := Alone(f.Seed, f.Permutation)
	if f.Rate != nil {
		options += " with rate: " + ExactFloat(*f.Rate)
	}
	return options
}

// Figures lists all figures of a run: how long it took, its metrics, its frames.
func (r *Report) Figures() []fabric.Metric {
	all := make([]fabric.Metric, 0, 2+len(r.Metrics)+8)
	all = append(all, fabric.Metric{Name: "slots", Value: r.Slots}, fabric.Metric{Name: "cycles", Value: r.Cycles})
	all = append(all, r.Metrics...)
	for i := range r.Faults {
		all = append(all, fabric.Metric{Name: fmt.Sprintf("fault[%d].%s", i, r.Faults[i].Kind), Value: r.Faults[i].Count})
	}
	frames := reflect.ValueOf(r.Frames)
	for i := range frames.NumField() {
		all = append(all, fabric.Metric{Name: "frames." + frames.Type().Field(i).Tag.Get("json"), Value: frames.Field(i).Uint()})
	}
	return all
}

// Add adds the counters of another run.
func (f *Frames) Add(o Frames) {
	sum, more := reflect.ValueOf(f).Elem(), reflect.ValueOf(o)
	for i := range sum.NumField() {
		sum.Field(i).SetUint(sum.Field(i).Uint() + more.Field(i).Uint())
	}
}

// Number64 returns a figure that is a number.
func Number64(value any) (float64, bool) {
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

// ExactMetric writes a figure for scripts, with all digits, and nothing for one that is not known;
// lists are separated by blanks.
func ExactMetric(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case int:
		return strconv.Itoa(v)
	case uint64:
		return strconv.FormatUint(v, 10)
	case float64:
		return ExactFloat(v)
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
