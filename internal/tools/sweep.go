package tools

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"starloom/cosim"
	"starloom/cosim/lockstep"
	"starloom/fabric/outcome"
	"starloom/internal/maps"
	"starloom/traces"
	"starloom/traces/input"
)

// Sweep is the check of RTL with several parameter sets. Its JSON form is stable.
type Sweep struct {
	Schema  int          `json:"schema"`
	Map     string       `json:"map"`
	Verdict string       `json:"verdict"` // pass if all points pass, otherwise fail
	Points  []SweepPoint `json:"points"`
}

// SweepPoint is the check with one parameter set: its report, or the reason for its absence.
type SweepPoint struct {
	Values  []string         `json:"values"`
	Verdict string           `json:"verdict"` // pass, fail, refused (by model, map or source), tool failed
	Error   string           `json:"error,omitempty"`
	Report  *lockstep.Report `json:"report,omitempty"`
}

const (
	verdictPass, verdictFail = "pass", "fail"
	verdictRefused           = "refused"
	verdictTool              = "tool failed"
)

// NewSweep returns the sweep of a map without points.
func NewSweep(file string) *Sweep {
	return &Sweep{Schema: lockstep.Schema, Map: file, Verdict: verdictPass, Points: []SweepPoint{}}
}

// Add adds a point with its report or error. It returns only errors that neither input nor a tool has caused.
func (s *Sweep) Add(p maps.Point, report *lockstep.Report, err error) error {
	point := SweepPoint{Values: p.Values, Report: report}
	var bad *input.Error
	var tool *cosim.ToolError
	switch {
	case err == nil:
		point.Verdict = report.Verdict
	case errors.As(err, &bad):
		point.Verdict, point.Error = verdictRefused, bad.Error()
	case errors.As(err, &tool):
		point.Verdict, point.Error = verdictTool, tool.Error()
	default:
		return err
	}
	if point.Verdict != verdictPass {
		s.Verdict = verdictFail
	}
	s.Points = append(s.Points, point)
	return nil
}

// Worst reports whether a tool failed for some point, some point was rejected, or some point differs.
func (s *Sweep) Worst() (failed, refused, differs bool) {
	for _, p := range s.Points {
		failed = failed || p.Verdict == verdictTool
		refused = refused || p.Verdict == verdictRefused
		differs = differs || p.Verdict == verdictFail
	}
	return failed, refused, differs
}

// Shown returns the index of the point to show: the first point that differs, otherwise the first with a report, or
// -1.
func (s *Sweep) Shown() int {
	shown := -1
	for i, p := range s.Points {
		switch {
		case p.Verdict == verdictFail:
			return i
		case p.Report != nil && shown < 0:
			shown = i
		}
	}
	return shown
}

// JUnit returns a test case for each point.
func (s *Sweep) JUnit() (cases []outcome.JUnitCase, err error) {
	for i := range s.Points {
		p := &s.Points[i]
		one := outcome.JUnitCase{Name: strings.Join(p.Values, " "), Failure: p.Error}
		if p.Report != nil {
			var text strings.Builder
			err = errors.Join(err, p.Report.WriteText(&text))
			one.Details = text.String()
			if d := p.Report.Divergence; d != nil {
				one.Failure = d.Text
			}
		}
		cases = append(cases, one)
	}
	return cases, err
}

func (s *Sweep) WriteJSON(w io.Writer) error { return traces.WriteJSON(w, s) }

func (s *Sweep) WriteText(w io.Writer) error {
	var b strings.Builder
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, value := range s.Points[0].Values {
		name, _, _ := strings.Cut(value, "=")
		fmt.Fprintf(table, "%s\t", name)
	}
	fmt.Fprintln(table, "verdict\toutputs\tcycles\twarnings\tnot exercised\twhat")
	counts := map[string]int{}
	for _, p := range s.Points {
		counts[p.Verdict]++
		for _, value := range p.Values {
			_, value, _ = strings.Cut(value, "=")
			fmt.Fprintf(table, "%s\t", value)
		}
		if p.Report == nil {
			fmt.Fprintf(table, "%s\t-\t-\t-\t-\t%s\n", p.Verdict, p.Error)
			continue
		}
		r, what := p.Report, ""
		if r.Divergence != nil {
			what = r.Divergence.Text
		}
		fmt.Fprintf(table, "%s\t%d of %d\t%s\t%d\t%d\t%s\n", p.Verdict, r.Compared, r.Outputs, cosim.Digits(r.Cycles),
			len(r.Warnings), len(r.Unexercised), what)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	text := ""
	for line := range strings.Lines(b.String()) {
		text += strings.TrimRight(line, " \n") + "\n"
	}
	_, err := fmt.Fprintf(w, "%s\n%s\n", text, s.verdict(counts))
	return err
}

func (s *Sweep) verdict(counts map[string]int) string {
	all := traces.Plural(len(s.Points), "point", "points")
	if s.Verdict == verdictPass {
		return "pass: no difference found in " + all
	}
	var parts []string
	for _, verdict := range []string{verdictFail, verdictRefused, verdictTool} {
		if counts[verdict] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[verdict], verdict))
		}
	}
	return fmt.Sprintf("fail: of %s %s", all, strings.Join(parts, ", "))
}
