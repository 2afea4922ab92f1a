package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"starloom"
	"starloom/internal/tools"
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
	parts := make([]tools.Part, len(run.Parts))
	for i, part := range run.Parts {
		parts[i] = tools.Part{Path: part.Path, Map: part.Map, Check: part.Check}
	}
	all := tools.NewCheck(s.Name, parts, tools.Found(*check))
	if jsonFile != nil {
		if err := errors.Join(all.WriteJSON(jsonFile), files.Commit()); err != nil {
			return fault(err)
		}
	}
	if err := all.WriteText(text); err != nil || len(check.Differs) == 0 {
		return err
	}
	if o.vcd == "" && o.save == "" {
		if _, err := fmt.Fprintf(text, "for a waveform and the inputs: starloom cosim check %s --vcd check.vcd --save check.csv\n", path); err != nil {
			return err
		}
	}
	return errFailed
}

// closed closes something and keeps the first error.
func closed(err error, c interface{ Close() error }) error {
	if closing := c.Close(); err == nil {
		return closing
	}
	return err
}
