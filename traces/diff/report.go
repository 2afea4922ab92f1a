package diff

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"starloom/traces"
	"starloom/traces/input"
)

// Schema is the version of Report's JSON.
const Schema = 1

// Verdicts of a comparison.
const (
	VerdictEqual        = "equal"         // both files were compared completely
	VerdictNoDifference = "no_difference" // no difference in the compared part
	VerdictDifferent    = "different"     // a difference was found
)

// Report is the result of a comparison.
type Report struct {
	Schema  int    `json:"schema"`
	A       string `json:"a"`
	B       string `json:"b"`
	Verdict string `json:"verdict"` // VerdictEqual, VerdictNoDifference or VerdictDifferent

	// First is the first difference, by time, then by A's declarations. Waves draws it with its neighbours.
	First *Difference `json:"first,omitempty"`
	Waves string      `json:"waves,omitempty"`

	Compared  int          `json:"compared"`          // number of compared signals
	Differing int          `json:"differing"`         // number of compared signals with a difference
	Signals   []Difference `json:"signals,omitempty"` // first 20 differences, by time
	Shapes    []Mismatch   `json:"shapes,omitempty"`  // signals with equal names, but with different widths or kinds

	OnlyA traces.NameList `json:"only_a"`
	OnlyB traces.NameList `json:"only_b"`
	// ScopeA and ScopeB are outer scopes ignored in names.
	ScopeA string `json:"scope_a,omitempty"`
	ScopeB string `json:"scope_b,omitempty"`

	Span

	// GoesOn is the first change in one file after the end of the other file, nil if both files end with the same
	// changes. Such a change is a difference, unless Options.Prefix is set.
	GoesOn *GoesOn `json:"goes_on,omitempty"`

	// RealTolerance is the option of that name. RealsWithin counts reals that match only within this tolerance.
	RealTolerance float64 `json:"real_tolerance,omitempty"`
	RealsWithin   uint64  `json:"reals_within,omitempty"`

	Ends
	Skips
}

// Span is the compared time span.
type Span struct {
	Sampled  bool   `json:"sampled"`  // compared at cycles, not at every change
	Unit     string `json:"unit"`     // unit of times
	Instants uint64 `json:"instants"` // number of compared cycles or times
	From     Moment `json:"from"`
	To       Moment `json:"to"`
}

// Ends describes the ends of the files.
type Ends struct {
	// EndedA and EndedB report whether each file ended by To. If only one is true, the other file continues after the
	// end of the first.
	EndedA     bool `json:"ended_a"`
	EndedB     bool `json:"ended_b"`
	TruncatedA bool `json:"truncated_a,omitempty"` // the last line is incomplete and was not read
	TruncatedB bool `json:"truncated_b,omitempty"`

	// Time of the incomplete line, "" if unknown. Nothing was compared from this time on.
	TruncatedFromA string `json:"truncated_from_a,omitempty"`
	TruncatedFromB string `json:"truncated_from_b,omitempty"`

	// Number of values that were not read because their kind differs from the kind of their signals.
	UnreadA uint64 `json:"unread_a,omitempty"`
	UnreadB uint64 `json:"unread_b,omitempty"`
}

// Skips lists the parts that were not compared.
type Skips struct {
	// Skipped describes parts skipped because of options or between samples.
	Skipped []string `json:"skipped,omitempty"`

	// number of cycles or times skipped before both files have begun, and during $dumpoff in either file
	SkippedBegin uint64 `json:"skipped_begin,omitempty"`
	SkippedOff   uint64 `json:"skipped_off,omitempty"`
}

// GoesOn is the first change of a compared signal after the last change in the shorter file. A later time without
// such a change does not count.
type GoesOn struct {
	File    string `json:"file"` // longer file, a or b
	Signal  string `json:"signal"`
	SignalB string `json:"signal_b"`
	At      Moment `json:"at"`
}

func (g *GoesOn) files() (longer, ended string) {
	if g.File == "a" {
		return "A", "B"
	}
	return "B", "A"
}

func (g *GoesOn) name() string {
	if g.File == "a" {
		return g.Signal
	}
	return g.SignalB
}

// Moment is a point in time: the cycle of A for sampled files, and the times of the last sample or change in both
// files.
type Moment struct {
	Cycle *int64 `json:"cycle,omitempty"`
	TimeA string `json:"time_a"`
	TimeB string `json:"time_b"`
}

// String returns the cycle or, without a cycle, the time in A.
func (m Moment) String() string {
	if m.Cycle == nil {
		return m.TimeA
	}
	return fmt.Sprintf("cycle %d", *m.Cycle)
}

func (m Moment) when() string {
	if m.Cycle == nil {
		return "at " + m.TimeA
	}
	return "in " + m.String()
}

// Difference is the first difference of a signal.
type Difference struct {
	Signal  string `json:"signal"`
	SignalB string `json:"signal_b"`
	At      Moment `json:"at"`
	A       string `json:"value_a"`
	B       string `json:"value_b"`
}

// Mismatch is a signal whose declarations differ, so that its values are not comparable. A mismatch counts as a
// difference.
type Mismatch struct {
	Signal  string `json:"signal"`
	SignalB string `json:"signal_b"`
	A       string `json:"a"`
	B       string `json:"b"`
}

func (r *Report) judge() {
	whole := !r.Damaged() && r.OnlyA.Count+r.OnlyB.Count == 0 && r.EndedA == r.EndedB &&
		r.SkippedBegin+r.SkippedOff+r.RealsWithin == 0 && len(r.Skipped) == 0
	if r.Verdict == VerdictEqual && !whole {
		r.Verdict = VerdictNoDifference
	}
}

// Differs reports whether a difference was found.
func (r *Report) Differs() bool { return r.Verdict == VerdictDifferent }

// Damaged reports whether some values of compared signals were unreadable.
func (r *Report) Damaged() bool {
	return r.TruncatedA || r.TruncatedB || r.UnreadA+r.UnreadB > 0
}

func (r *Report) WriteJSON(w io.Writer) error { return traces.WriteJSON(w, r) }

func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	line := func(format string, arguments ...any) {
		b.WriteString(input.Printable(fmt.Sprintf(format, arguments...)) + "\n")
	}
	switch r.Verdict {
	case VerdictEqual:
		line("EQUAL  %s  %s", r.A, r.B)
	case VerdictNoDifference:
		within := ""
		if r.RealsWithin > 0 {
			within = fmt.Sprintf(", reals within %v", r.RealTolerance)
		}
		line("NO DIFFERENCE in the compared values%s  %s  %s", within, r.A, r.B)
	default:
		line("DIFFERENT  %s  %s", r.A, r.B)
	}
	if r.First != nil {
		r.writeFirst(line)
		b.WriteString(r.Waves)
	}
	line("")
	for _, shape := range r.Shapes[:min(len(r.Shapes), traces.NamesShown)] {
		line("shape       %s: %s in A, %s in B", bothNames(shape.Signal, shape.SignalB), shape.A, shape.B)
	}
	if more := len(r.Shapes) - traces.NamesShown; more > 0 {
		line("            and %d more", more)
	}
	r.writeCounts(line)
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Report) writeFirst(line func(string, ...any)) {
	line("")
	if r.First.At.Cycle != nil {
		line("first difference in cycle %d (A: %s, B: %s)", *r.First.At.Cycle, r.First.At.TimeA, r.First.At.TimeB)
	} else {
		line("first difference at %s", r.First.At.TimeA)
	}
	line("  %s", bothNames(r.First.Signal, r.First.SignalB))
	line("  A  %s", r.First.A)
	line("  B  %s", r.First.B)
	line("")
}

func (r *Report) writeCounts(line func(string, ...any)) {
	instants := func(count uint64) string {
		if r.Sampled {
			return traces.Plural(count, "cycle", "cycles")
		}
		return traces.Plural(count, "time", "times")
	}
	signals := func(count int) string { return traces.Plural(uint64(count), "signal", "signals") }
	if r.Instants == 0 {
		line("compared    no value")
	} else {
		line("compared    %s, from %v to %v, %s", signals(r.Compared), r.From, r.To, instants(r.Instants))
	}
	if r.Differing > 0 {
		line("differing   %s", signals(r.Differing))
		for _, s := range r.Signals[:min(len(r.Signals), traces.NamesShown)] {
			line("            %s, first at %v: A %s, B %s", bothNames(s.Signal, s.SignalB), s.At, s.A, s.B)
		}
		if more := r.Differing - traces.NamesShown; more > 0 {
			line("            and %d more", more)
		}
	}
	if r.ScopeA != r.ScopeB {
		line("names       scope %s of A is scope %s of B", orTop(r.ScopeA), orTop(r.ScopeB))
	}
	for _, only := range []struct {
		file string
		list traces.NameList
	}{{"A", r.OnlyA}, {"B", r.OnlyB}} {
		if only.list.Count > 0 {
			line("only in %s   %d: %s", only.file, only.list.Count, only.list.Some())
		}
	}
	switch {
	case r.GoesOn != nil && r.Verdict == VerdictDifferent:
		longer, ended := r.GoesOn.files()
		line("ended       %s %s; %s continues: %s changes %s (--prefix allows this)",
			ended, r.To.when(), longer, r.GoesOn.name(), r.GoesOn.At.when())
	case r.GoesOn == nil && r.EndedA != r.EndedB:
		ended, goesOn := "A", "B"
		if r.EndedB {
			ended, goesOn = "B", "A"
		}
		line("skipped     %s ends here, %s goes on", ended, goesOn)
	}
	if r.RealsWithin > 0 {
		line("skipped     %s within --real-tolerance %v of the other file's",
			traces.Plural(r.RealsWithin, "real is", "reals are"), r.RealTolerance)
	}
	if r.SkippedBegin > 0 {
		line("skipped     %s before both files have begun", instants(r.SkippedBegin))
	}
	if r.SkippedOff > 0 {
		line("skipped     %s in which one file is not dumped ($dumpoff)", instants(r.SkippedOff))
	}
	for _, what := range r.Skipped {
		line("skipped     %s", what)
	}
	type file struct {
		path      string
		truncated bool
		from      string
		unread    uint64
	}
	files := []file{{r.A, r.TruncatedA, r.TruncatedFromA, r.UnreadA}, {r.B, r.TruncatedB, r.TruncatedFromB, r.UnreadB}}
	for _, f := range slices.Compact(files) { // a file may be compared with itself
		if f.truncated {
			from := ""
			if f.from != "" {
				from = "; nothing from " + f.from + " on was compared"
			}
			line("skipped     the last line of %s, which is incomplete%s", f.path, from)
		}
		if f.unread > 0 {
			line("skipped     %s in %s of a different kind than the signal", traces.Plural(f.unread, "value", "values"), f.path)
		}
	}
}

func orTop(scope string) string {
	if scope == "" {
		return "(top)"
	}
	return scope
}

func bothNames(a, b string) string {
	if a == b {
		return a
	}
	return fmt.Sprintf("%s (B: %s)", a, b)
}
