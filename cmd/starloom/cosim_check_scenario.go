package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"starloom"
	"starloom/cosim"
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
	if err := keep([]output{{"--vcd", o.VCD}, {"--save", o.Save}, {"--json", o.JSON}}, path); err != nil {
		return err
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
	for i, part := range run.Parts {
		progress.step("checks " + part.Path)
		options := o.CheckOptions
		options.Stimulus, options.NoShrink = part.Stimulus, !o.shrink || !c.Flags().Changed("shrink")
		if i > 0 {
			options.VCD, options.Save, options.JSON = "", "", ""
		}
		report, err := starloom.CosimCheck(c.Context(), part.Map, options)
		if err != nil {
			return fault(err)
		}
		cycles += report.Cycles
		kinds.add(&part, report)
		if report.Divergence == nil {
			continue
		}
		if i > 0 && (o.VCD != "" || o.Save != "" || o.JSON != "") { // once more, with files
			options.VCD, options.Save, options.JSON = o.VCD, o.Save, o.JSON
			if report, err = starloom.CosimCheck(c.Context(), part.Map, options); err != nil {
				return fault(err)
			}
		}
		progress.clear()
		text := c.OutOrStdout()
		if o.VCD == "-" || o.Save == "-" || o.JSON == "-" {
			text = c.ErrOrStderr()
		}
		if _, err := fmt.Fprintf(text, "%s in a run of %s\n", part.Path, s.Name); err != nil {
			return err
		}
		if err := report.WriteText(text); err != nil {
			return err
		}
		if o.VCD == "" && o.Save == "" {
			_, err = fmt.Fprintf(text, "for a waveform and the inputs: starloom cosim check %s --vcd check.vcd --save check.csv\n", path)
		}
		if err != nil {
			return err
		}
		return errFailed
	}
	progress.clear()
	if _, err = fmt.Fprintf(c.OutOrStdout(), "pass: no difference found in %d components of %s, %d cycles in all", len(run.Parts), s.Name, cycles); err != nil {
		return err
	}
	return kinds.writeText(c.OutOrStdout())
}

// rtlKind is RTL that a scenario uses, once or many times.
type rtlKind struct {
	pins     *cosim.PinMap
	check    string
	count    int
	report   *cosim.LockstepReport // of the first
	coverage *cosim.Coverage       // of all
}

type rtlKinds []*rtlKind

// add counts a component that has passed.
func (k *rtlKinds) add(part *starloom.RTLPartRun, report *cosim.LockstepReport) {
	for _, kind := range *k {
		if kind.pins == part.Map {
			kind.count++
			kind.coverage.Add(report.Coverage)
			return
		}
	}
	*k = append(*k, &rtlKind{part.Map, part.Check, 1, report, report.Coverage})
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
		fmt.Fprintf(&b, "  %d %s: %s\n    %s\n", kind.count, kind.report.Top, cosim.GapsText(gaps), kind.check)
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
