package sweep

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"starloom/fabric/outcome"
	"starloom/traces"
	"starloom/traces/input"
)

// Report describes the state of a sweep. The tables contain the results.
type Report struct {
	Name       string
	Axes       []string
	Out        string
	Extent     Extent
	Runs       uint64
	Failed     uint64
	FailedRuns []FailedRun
	Broken     map[string]uint64 // number of failed runs by the rule that they broke first
	Unfinished []Unfinished
	Files      []string
	Points     []PointRuns   // of a complete sweep, in their order
	Took       time.Duration // without runs that were there
	Limits     *Limits       // nil without a bisected axis
	Cut        bool
	Jobs       []string // cluster jobs that are still running
}

// Unfinished is a point that could not be finished.
type Unfinished struct{ Point, Key, Reason string }

// FailedRun is a failed run with the command that repeats it, "" for a scenario inside the sweep file.
type FailedRun struct {
	Point, Rule, Command string
	First                outcome.Violation // first violation, without its text if unknown
}

const failedRunsMax = 20

// PointRuns counts the runs of a point.
type PointRuns struct {
	Name         string
	Runs, Failed uint64
	First        FailedRun // first failed run
	Took         time.Duration
}

// WriteJUnit writes a test case for each point. A case fails if its point is unfinished and, with failed, if one of
// its runs failed.
func (r *Report) WriteJUnit(w io.Writer, failed bool) error {
	var cases []outcome.JUnitCase
	for _, u := range r.Unfinished {
		cases = append(cases, outcome.JUnitCase{Name: u.Point, Failure: "not finished: " + u.Reason})
	}
	for _, p := range r.Points {
		if slices.ContainsFunc(r.Unfinished, func(u Unfinished) bool { return u.Point == p.Name }) {
			continue
		}
		c := outcome.JUnitCase{Name: p.Name, Took: p.Took}
		if p.Failed > 0 {
			share := fmt.Sprintf("%d of %s failed", p.Failed, traces.Plural(p.Runs, "run", "runs"))
			c.Details = fmt.Sprintf("%s; the first one: %s, %s\n%s\n", share, p.First.Point, p.First.Rule, p.First.Command)
			if failed {
				c.Failure = share + ": " + p.First.Rule
			}
		}
		cases = append(cases, c)
	}
	return outcome.WriteJUnit(w, r.Name, r.Took, cases)
}

// Verdict returns pass if every point was run. Failures of runs are results and do not affect the verdict.
func (r *Report) Verdict() outcome.Verdict {
	if len(r.Unfinished) > 0 {
		return outcome.VerdictFail
	}
	return outcome.VerdictPass
}

// Interrupted reports whether the sweep was interrupted.
func (r *Report) Interrupted() bool { return r.Cut }

const unfinishedShown = 20

// WriteText writes the report as plain text.
func (r *Report) WriteText(w io.Writer) error {
	var b bytes.Buffer
	missing := r.Extent.Runs - r.Runs
	if r.Cut {
		_, err := fmt.Fprintf(w, "%s: interrupted after %d of %d runs, which remain in %s; the same command runs the "+
			"others and writes the tables\n",
			outcome.Printable(r.Name), r.Runs, r.Extent.Runs, outcome.ShellQuote(r.Out))
		if len(r.Jobs) > 0 && err == nil {
			_, err = fmt.Fprintf(w, "  the jobs continue, and the same command collects their results; 'scancel %s' ends them\n",
				strings.Join(r.Jobs, " "))
		}
		return err
	}
	fmt.Fprintf(&b, "%s: %s, %s", outcome.Printable(r.Name), traces.Plural(uint64(r.Extent.Points), "point", "points"),
		traces.Plural(r.Runs, "run", "runs"))
	if r.Extent.RunsThere > 0 {
		fmt.Fprintf(&b, ", of which %d were there", r.Extent.RunsThere)
	}
	fmt.Fprintf(&b, "; %d failed\n", r.Failed)
	for i, u := range r.Unfinished {
		if i == unfinishedShown {
			fmt.Fprintf(&b, "  and %d more did not finish\n", len(r.Unfinished)-i)
			break
		}
		fmt.Fprintf(&b, "  %s: not finished: %s\n", outcome.Printable(u.Point), outcome.Printable(u.Reason))
	}
	if missing > 0 {
		fmt.Fprintf(&b, "  %s missing: the same command runs them\n", traces.Plural(missing, "run is", "runs are"))
	}
	if r.Limits != nil {
		b.WriteByte('\n')
		table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		for _, row := range r.Limits.rows() {
			for i, cell := range row {
				row[i] = cmp.Or(outcome.Printable(cell), "-")
			}
			fmt.Fprintln(table, strings.Join(row, "\t"))
		}
		if err := table.Flush(); err != nil {
			return err
		}
	}
	if len(r.Files) > 0 {
		b.WriteString("\n")
		for _, file := range r.Files {
			b.WriteString(input.Printable(file) + "\n")
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// Limits holds the outcome changes along a bisected axis, one for each combination of the other axes.
type Limits struct {
	Axis   string
	Others []string
	Rows   []Limit
}

// Limit is a change of outcome between two neighbouring values of an axis: all runs at Passes pass unsaturated, but
// not all runs at Fails. "" means that no such value exists.
type Limit struct {
	Others        []string
	Passes, Fails string
}

func (l *Limits) rows() [][]string {
	table := [][]string{append(slices.Clone(l.Others), l.Axis+".passes", l.Axis+".fails")}
	for i := range l.Rows {
		table = append(table, append(slices.Clone(l.Rows[i].Others), l.Rows[i].Passes, l.Rows[i].Fails))
	}
	return table
}
