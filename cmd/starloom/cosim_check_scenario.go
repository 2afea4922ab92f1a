package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"starloom"
	"starloom/cosim"
	"starloom/cosim/lockstep"
	"starloom/cosim/pinmap"
	"starloom/traces"
)

// checkScenario runs the RTL of a scenario in lockstep with its models, on the inputs
// of a run, and shows the earliest difference.
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
	options := o.options()
	options.NoShrink = !o.shrink
	options.JSON = starloom.Output{} // it is one of all components
	check, err := starloom.CheckRTL(c.Context(), run, options, func(path string) { progress.step("checks " + path) })
	if err != nil {
		return fault(err)
	}
	progress.clear()
	all := summarise(s.Name, run, check)
	if jsonFile != nil {
		e := json.NewEncoder(jsonFile)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		if err := errors.Join(e.Encode(all), files.Commit()); err != nil {
			return fault(err)
		}
	}
	if len(check.Differs) > 0 {
		if err := all.writeDifference(text, o, path); err != nil {
			return err
		}
		return errFailed
	}
	return all.writePass(text)
}

// scenarioCheck is the JSON of a scenario's check: the report of the component that differs
// first, else of the first one, and sums of all.
type scenarioCheck struct {
	*lockstep.Report
	Scenario    string        `json:"scenario"`
	Path        string        `json:"path"`       // of the component of the report
	Components  int           `json:"components"` // that the scenario replaces by RTL
	CyclesAll   uint64        `json:"cycles_all"` // of all components that were checked
	InputsAll   uint64        `json:"input_cycles_all"`
	OutputsAll  int           `json:"outputs_all"`
	ComparedAll int           `json:"outputs_compared_all"`
	Differing   []differing   `json:"differing"` // components, the earliest first
	Kinds       []kindSummary `json:"kinds"`

	kinds rtlKinds
}

// differing is a component that differs from its model.
type differing struct {
	Path      string `json:"path"`
	Cycle     uint64 `json:"cycle"` // of the run
	BeforeRun bool   `json:"before_run,omitempty"`
	PowerOn   uint64 `json:"power_on"`
}

// kindSummary is what was checked of one kind; its outputs are those of one component.
type kindSummary struct {
	Map        string `json:"map,omitempty"`
	Model      string `json:"model"`
	Top        string `json:"top"`
	Backend    string `json:"backend"`
	Verdict    string `json:"verdict"` // fail if one component fails
	Components int    `json:"components"`
	Cycles     uint64 `json:"cycles"`
	lockstep.Extent
	Warnings    []cosim.Warning `json:"warnings"`
	Unexercised []lockstep.Gap  `json:"unexercised"`
}

// summarise adds up what a check of a scenario has found.
func summarise(scenario string, run *starloom.RTLRun, check *starloom.RTLCheck) *scenarioCheck {
	all := &scenarioCheck{Report: check.Report, Scenario: scenario, Path: run.Parts[check.Part].Path, Components: len(run.Parts), Differing: []differing{}}
	for i, r := range check.Brief {
		all.kinds.add(&run.Parts[i], r)
		all.CyclesAll += r.Cycles
		all.InputsAll += r.Inputs
		all.OutputsAll += r.Outputs
		all.ComparedAll += r.Compared
	}
	for _, i := range check.Differs {
		d := check.Brief[i].Divergence
		all.Differing = append(all.Differing, differing{run.Parts[i].Path, d.Found.Cycle, d.BeforeRun, d.Found.PowerOn})
	}
	for _, kind := range all.kinds {
		r := kind.report
		extent := r.Extent
		extent.Inputs = kind.inputs
		all.Kinds = append(all.Kinds, kindSummary{
			r.Map, r.Model, r.Top, r.Backend, kind.verdict, kind.count, kind.cycles, extent, r.Warnings, kind.coverage.Gaps(),
		})
	}
	return all
}

// differingShown is how many components a text names beside the earliest.
const differingShown = 4

// writeDifference writes the earliest difference, and where others are.
func (c *scenarioCheck) writeDifference(w io.Writer, o *checkFlags, path string) error {
	if _, err := fmt.Fprintf(w, "%s in a run of %s\n", c.Path, c.Scenario); err != nil {
		return err
	}
	if err := c.WriteText(w); err != nil {
		return err
	}
	var b strings.Builder
	if len(c.Differing) > 1 {
		fmt.Fprintf(&b, "%d of %d components differ; the others:", len(c.Differing), c.Components)
		for i, d := range c.Differing[1:] {
			if i == differingShown {
				fmt.Fprintf(&b, " and %d more", len(c.Differing)-1-i)
				break
			}
			from := fmt.Sprintf("from cycle %d", d.Cycle)
			if d.BeforeRun {
				from = "from before cycle 0"
			}
			if d.PowerOn > 1 {
				from += fmt.Sprintf(" with power-on %d", d.PowerOn)
			}
			fmt.Fprintf(&b, "%s %s %s", strings.Repeat(",", min(i, 1)), d.Path, from)
		}
		b.WriteByte('\n')
	}
	if o.vcd == "" && o.save == "" {
		fmt.Fprintf(&b, "for a waveform and the inputs: starloom cosim check %s --vcd check.vcd --save check.csv\n", path)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writePass writes the verdict of a check without a difference.
func (c *scenarioCheck) writePass(w io.Writer) error {
	times := ""
	if n := c.kinds[0].report.PowerOns; n > 1 && !slices.ContainsFunc(c.kinds, func(k *rtlKind) bool { return k.report.PowerOns != n }) {
		times = fmt.Sprintf(", %d times, each from another power-on state", n)
	}
	_, err := fmt.Fprintf(w, "pass: no difference found in %s of %s: %d of %s, %s of inputs%s", traces.Plural(c.Components, "component", "components"), c.Scenario,
		c.ComparedAll, cosim.Count(uint64(c.OutputsAll), "output"), cosim.Count(c.InputsAll, "cycle"), times)
	if err != nil {
		return err
	}
	return c.kinds.writeText(w)
}

// rtlKind is RTL that a scenario uses, once or many times.
type rtlKind struct {
	pins     *pinmap.Map
	check    string
	count    int
	cycles   uint64
	inputs   uint64
	verdict  string             // fail if that of one is
	report   *lockstep.Report   // of the first
	coverage *lockstep.Coverage // of all
}

type rtlKinds []*rtlKind

// add counts a component that was checked.
func (k *rtlKinds) add(part *starloom.RTLPartRun, report *lockstep.Report) {
	at := slices.IndexFunc(*k, func(kind *rtlKind) bool { return kind.pins == part.Map })
	if at < 0 {
		*k = append(*k, &rtlKind{part.Map, part.Check, 1, report.Cycles, report.Inputs, report.Verdict, report, report.Coverage})
		return
	}
	kind := (*k)[at]
	kind.count++
	kind.cycles += report.Cycles
	kind.inputs += report.Inputs
	if report.Divergence != nil {
		kind.verdict = report.Verdict
	}
	kind.coverage.Add(report.Coverage)
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
