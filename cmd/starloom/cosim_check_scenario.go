package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"starloom"
	"starloom/cosim"
	"starloom/cosim/lockstep"
	"starloom/cosim/pinmap"
	"starloom/traces"
)

// checkScenario runs the RTL of a scenario in lockstep with its models, on the inputs
// of a run, until one differs.
func checkScenario(c *cobra.Command, path string, o *checkFlags) (err error) {
	for _, option := range []string{"cycles", "seeds", "stimulus", "param", "backend"} {
		if c.Flags().Changed(option) {
			return &starloom.InputError{Place: "--" + option, Reason: "RTL and inputs are those of the scenario " + path, Remedy: "leave it out, or check the RTL's pin map alone"}
		}
	}
	s, err := starloom.LoadScenario(path)
	if err != nil {
		return fault(err)
	}
	if c.Flags().Changed("seed") {
		if err := s.Override(c.Context(), starloom.Overrides{Seed: &o.Seed}); err != nil {
			return err
		}
	}
	if err := keep([]output{{"--vcd", o.vcd}, {"--save", o.save}, {"--json", o.json}}, path); err != nil {
		return err
	}
	if o.json != "" && (o.json == o.vcd || o.json == o.save) {
		return &starloom.InputError{Place: "--json", Reason: "another output goes to " + o.json, Remedy: "give each output its own file"}
	}
	var files traces.Files
	defer files.Abort()
	jsonFile, err := open(&files, "--json", o.json)
	if err != nil {
		return err
	}
	text := c.OutOrStdout()
	if o.vcd == "-" || o.save == "-" || o.json == "-" {
		text = c.ErrOrStderr()
	}
	progress := newProgress(c.ErrOrStderr())
	defer progress.clear()
	progress.step("runs " + s.Name)
	run, err := starloom.RecordRTL(c.Context(), s)
	if err != nil {
		return fault(err)
	}
	defer func() { err = closed(err, run) }()
	cycles, kinds := uint64(0), rtlKinds{}
	var first *lockstep.Report
	writeJSON := func(path string, report *lockstep.Report) error {
		if jsonFile == nil {
			return nil
		}
		e := json.NewEncoder(jsonFile)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		all := scenarioCheck{report, s.Name, path, len(run.Parts), cycles, kinds.summary()}
		if err := errors.Join(e.Encode(all), files.Commit()); err != nil {
			return fault(err)
		}
		return nil
	}
	for i, part := range run.Parts {
		part.Stimulus.Place = part.Path
		progress.step("checks " + part.Path)
		options := o.options()
		options.Stimulus, options.NoShrink = part.Stimulus, !o.shrink || !c.Flags().Changed("shrink")
		options.JSON = starloom.Output{} // it is one of all components
		if i > 0 {
			options.VCD, options.Save = starloom.Output{}, starloom.Output{}
		}
		report, err := starloom.CosimCheck(c.Context(), part.Map, options)
		if err != nil {
			return fault(err)
		}
		if first == nil {
			first = report
		}
		cycles += report.Cycles
		kinds.add(&part, report)
		if report.Divergence == nil {
			continue
		}
		if i > 0 && (o.vcd != "" || o.save != "") { // once more, with files
			options.VCD, options.Save = starloom.File(o.vcd), starloom.File(o.save)
			if report, err = starloom.CosimCheck(c.Context(), part.Map, options); err != nil {
				return fault(err)
			}
		}
		progress.clear()
		if err := writeJSON(part.Path, report); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(text, "%s in a run of %s\n", part.Path, s.Name); err != nil {
			return err
		}
		if err := report.WriteText(text); err != nil {
			return err
		}
		if o.vcd == "" && o.save == "" {
			_, err = fmt.Fprintf(text, "for a waveform and the inputs: starloom cosim check %s --vcd check.vcd --save check.csv\n", path)
		}
		if err != nil {
			return err
		}
		return errFailed
	}
	progress.clear()
	if err := writeJSON(run.Parts[0].Path, first); err != nil {
		return err
	}
	if _, err = fmt.Fprintf(text, "pass: no difference found in %s of %s, %s in all", traces.Plural(len(run.Parts), "component", "components"), s.Name, traces.Plural(cycles, "cycle", "cycles")); err != nil {
		return err
	}
	return kinds.writeText(text)
}

// scenarioCheck is the JSON of a scenario's check: the report of the component that
// differs, else of the first one, and sums of all.
type scenarioCheck struct {
	*lockstep.Report
	Scenario   string        `json:"scenario"`
	Path       string        `json:"path"`       // of the component of the report
	Components int           `json:"components"` // that the scenario replaces by RTL
	CyclesAll  uint64        `json:"cycles_all"` // of all components that were checked
	Kinds      []kindSummary `json:"kinds"`
}

// kindSummary is what was checked of one kind, up to the first difference.
type kindSummary struct {
	Map         string          `json:"map,omitempty"`
	Model       string          `json:"model"`
	Top         string          `json:"top"`
	Backend     string          `json:"backend"`
	Verdict     string          `json:"verdict"`
	Components  int             `json:"components"`
	Cycles      uint64          `json:"cycles"`
	Warnings    []cosim.Warning `json:"warnings"`
	Unexercised []lockstep.Gap  `json:"unexercised"`
}

func (k rtlKinds) summary() (all []kindSummary) {
	for _, kind := range k {
		r := kind.report
		all = append(all, kindSummary{r.Map, r.Model, r.Top, r.Backend, kind.verdict, kind.count, kind.cycles, r.Warnings, kind.coverage.Gaps()})
	}
	return all
}

// rtlKind is RTL that a scenario uses, once or many times.
type rtlKind struct {
	pins     *pinmap.Map
	check    string
	count    int
	cycles   uint64
	verdict  string             // of the last
	report   *lockstep.Report   // of the first
	coverage *lockstep.Coverage // of all
}

type rtlKinds []*rtlKind

// add counts a component that was checked.
func (k *rtlKinds) add(part *starloom.RTLPartRun, report *lockstep.Report) {
	for _, kind := range *k {
		if kind.pins == part.Map {
			kind.count++
			kind.cycles += report.Cycles
			kind.verdict = report.Verdict
			kind.coverage.Add(report.Coverage)
			return
		}
	}
	*k = append(*k, &rtlKind{part.Map, part.Check, 1, report.Cycles, report.Verdict, report, report.Coverage})
}

// writeText ends the line of the verdict with what it is worth less for: warnings, and
// what the inputs of all components of a kind never did.
func (k rtlKinds) writeText(w io.Writer) error {
	var b strings.Builder
	warnings, tools := []cosim.Warning(nil), ""
	for _, kind := range k {
		warnings = append(warnings, kind.report.Warnings...)
		if len(kind.report.Warnings) > 0 {
			tools = kind.report.Backend
		}
	}
	cosim.WriteWarnings(&b, warnings, tools)
	said := false
	for _, kind := range k {
		gaps := kind.coverage.Gaps()
		if len(gaps) == 0 {
			continue
		}
		if !said {
			b.WriteString("inputs never exercised in this run, so a mistake there does not show; a check with random inputs has more:\n")
			said = true
		}
		fmt.Fprintf(&b, "  %d %s: %s\n    %s\n", kind.count, kind.report.Top, lockstep.GapsText(gaps), kind.check)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// closed closes something and keeps the first error.
func closed(err error, c interface{ Close() error }) error {
	if closing := c.Close(); err == nil {
		return closing
	}
	return err
}
