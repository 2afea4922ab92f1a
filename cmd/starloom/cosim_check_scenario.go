package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"starloom"
)

// checkScenario runs the RTL of a scenario in lockstep with its models, on the inputs
// of a run, until one differs.
func checkScenario(c *cobra.Command, path string, o *checkFlags) (err error) {
	for _, option := range []string{"cycles", "seed", "seeds", "stimulus", "param", "backend"} {
		if c.Flags().Changed(option) {
			return &starloom.InputError{Place: "--" + option, Reason: "RTL and inputs are those of the scenario " + path, Remedy: "leave it out, or check the RTL's pin map alone"}
		}
	}
	s, err := starloom.LoadScenario(path)
	if err != nil {
		return fault(err)
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
	cycles := uint64(0)
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
	_, err = fmt.Fprintf(c.OutOrStdout(), "pass: no difference in %d components of %s, %d cycles in all\n", len(run.Parts), s.Name, cycles)
	return err
}

// closed closes something and keeps the first error.
func closed(err error, c interface{ Close() error }) error {
	if closing := c.Close(); err == nil {
		return closing
	}
	return err
}
