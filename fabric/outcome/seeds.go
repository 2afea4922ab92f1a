package outcome

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// SeedsReport is the outcome of several runs of a scenario. Its JSON form is as stable as that of Report.
type SeedsReport struct {
	Schema       int          `json:"schema"` // ReportSchema
	Scenario     string       `json:"scenario"`
	Seeds        [2]uint64    `json:"seeds"`                  // first and last seed
	Permutations uint64       `json:"permutations,omitempty"` // permutations per seed, if every permutation was run
	Engine       string       `json:"engine"`
	Verdict      Verdict      `json:"verdict"`
	Expect       *Expectation `json:"expect,omitempty"` // nil without an expectation
	Rules        []string     `json:"rules"`
	Notes        []string     `json:"notes,omitempty"`
	Runs         uint64       `json:"runs"`
	RunsTotal    uint64       `json:"runs_total"` // requested runs; above Runs after an interruption
	// FinishingTimes of passing runs, and other figures of all runs
	Statistics  Statistics     `json:"statistics"`
	Survival    Survival       `json:"survival,omitempty"` // for runs with faults
	Failed      []FailedRun    `json:"failed"`             // the first 10,000
	FailedTotal uint64         `json:"failed_total"`
	MostSlots   *FinishedRun   `json:"most_slots,omitempty"` // first of the longest runs that passed
	Firmware    FirmwareReport `json:"firmware"`
	RTL         []RTLReport    `json:"rtl,omitempty"`
	Digest      string         `json:"digest"` // digest of the digests of all runs

	Beside
}

func (r *SeedsReport) WriteJSON(w io.Writer) error {
	out := *r
	// scripts expect a list, never null
	if out.Rules == nil {
		out.Rules = []string{}
	}
	if out.Failed == nil {
		out.Failed = []FailedRun{}
	}
	return WriteJSON(w, &out)
}

func (r *SeedsReport) Title() string { return r.Scenario }

func (r *SeedsReport) Interrupted() bool { return r.Runs < r.RunsTotal }

// ToolFailed reports whether a tool of a run failed.
func (r *SeedsReport) ToolFailed() bool {
	return slices.ContainsFunc(r.Failed, func(f FailedRun) bool { return f.Rule == RuleRTLTool })
}

// MostFailed determines the rule that most failed runs broke first and, for this rule, the most frequent place. one
// is the first listed run with this rule and place, nil if no run failed. runs counts the failed runs with this rule
// and place, ofRule those with this rule.
func (r *SeedsReport) MostFailed() (one *FailedRun, runs, ofRule int) {
	type place struct{ rule, path string }
	rules, places := map[string]int{}, map[place]int{}
	for i := range r.Failed {
		f := &r.Failed[i]
		rules[f.Rule]++
		places[place{f.Rule, f.First.Path}]++
	}
	for i := range r.Failed {
		f := &r.Failed[i]
		most, count := rules[f.Rule], places[place{f.Rule, f.First.Path}]
		if most > ofRule || most == ofRule && count > runs {
			one, runs, ofRule = f, count, most
		}
	}
	return one, runs, ofRule
}

// Expects judges the runs against an expectation. An expected failure requires a failed run whose first broken rule
// is the expected rule.
func (r *SeedsReport) Expects(e *Expectation) {
	r.Expect = e.judge(r.Verdict, r.Interrupted() || r.ToolFailed(), func(rule string) bool {
		return slices.ContainsFunc(r.Failed, func(f FailedRun) bool { return f.Rule == rule })
	})
}

func (r *SeedsReport) interrupted() string {
	if !r.Interrupted() {
		return ""
	}
	return fmt.Sprintf("interrupted after %d of %d runs", r.Runs, r.RunsTotal)
}

// WriteText writes the verdict, the failed runs with the options that repeat them, and the statistics of all figures.
func (r *SeedsReport) WriteText(w io.Writer) error {
	var b bytes.Buffer
	shown := struct {
		*SeedsReport
		Shown []FailedRun
		More  uint64
		Cut   string
		Times []string
	}{r, r.Failed[:min(len(r.Failed), violationsShown)],
		r.FailedTotal - min(r.FailedTotal, violationsShown), r.interrupted(), nil}
	for _, s := range r.Statistics {
		name := s.Name[strings.LastIndexByte(s.Name, '.')+1:] // without its rate
		if slices.Contains(FinishingTimes, name) && !slices.Contains(shown.Times, name) {
			shown.Times = append(shown.Times, name)
		}
	}
	b.WriteString(texts.Say("seeds", shown))
	seeds := Seeds{r.Seeds[0], r.Seeds[1]}
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	row := func(name, value string) { fmt.Fprintf(table, "%s\t%s\n", name, value) }
	row("seeds", seeds.String())
	if r.Permutations > 0 {
		row("permutations", strconv.FormatUint(r.Permutations, 10)+" of each seed")
	}
	row("runs", strconv.FormatUint(r.Runs, 10))
	row("failed", strconv.FormatUint(r.FailedTotal, 10))
	if r.MostSlots != nil {
		row("most slots",
			fmt.Sprintf("%d, repeat with %s", r.MostSlots.Slots, Alone(r.MostSlots.Seed, r.MostSlots.Permutation)))
	}
	fmt.Fprint(table, "\n")
	if err := table.Flush(); err != nil {
		return err
	}
	if len(r.Survival) > 0 && r.Survival[0].Rate != nil {
		if err := r.Survival.writeText(&b); err != nil {
			return err
		}
		b.WriteByte('\n')
	}
	if err := r.Statistics.writeText(&b); err != nil {
		return err
	}
	fmt.Fprint(table, "\n")
	runRows(row, r.Rules, &r.Firmware, r.RTL, r.Engine)
	row("digest", r.Digest+"  "+digestCovers)
	if err := table.Flush(); err != nil {
		return err
	}
	writeFiles(&b, r.Files)
	_, err := w.Write(b.Bytes())
	return err
}

// WriteJUnit writes a test suite with one test case per seed. The failure of a test case is the first failed run of
// its seed.
func (r *SeedsReport) WriteJUnit(w io.Writer) error { return r.WriteTimedJUnit(w, 0) }

// WriteTimedJUnit is WriteJUnit with the duration of all runs; 0 for unknown.
func (r *SeedsReport) WriteTimedJUnit(w io.Writer, took time.Duration) error {
	broken := map[uint64]*FailedRun{}
	for i := range r.Aside.FailedSeeds {
		broken[r.Aside.FailedSeeds[i].Seed] = &r.Aside.FailedSeeds[i]
	}
	suite := junitSuite{Name: r.Scenario, Time: secondsOf(took)}
	seeds := r.Runs / max(r.Permutations, 1)
	for i := range seeds {
		seed := r.Seeds[0] + i
		testCase := junitCase{Class: r.Scenario, Name: fmt.Sprintf("seed %d", seed)}
		if failed := broken[seed]; failed != nil {
			first := &failed.First
			testCase.Failure = &junitFailure{
				Message: first.Line(),
				Text: first.Details(len(first.Backtrace)) + "repeat with " +
					strings.TrimSpace(r.Aside.Command+" "+failed.Alone()) + "\n",
			}
			suite.Failures++
		}
		suite.Cases = append(suite.Cases, testCase)
	}
	if text := r.interrupted(); text != "" {
		suite.Cases = append(suite.Cases,
			junitCase{Class: r.Scenario, Name: RuleInterrupted, Failure: &junitFailure{Message: text}})
		suite.Failures++
	}
	suite.expected(r.Expect, r.Verdict)
	return suite.write(w)
}
