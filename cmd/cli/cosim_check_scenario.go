package cli

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"starloom"
	"starloom/fabric/outcome"
	"starloom/internal/tools"
	"starloom/traces"
	"starloom/traces/input"
)

// checkScenario runs a scenario's RTL in lockstep with its models on the inputs of a run and prints the earliest
// difference.
func (o *checkFlags) checkScenario(c *cobra.Command, path string) error {
	o.begun = time.Now()
	if err := o.readExclusions(); err != nil {
		return err
	}
	s, err := o.scenario(c, path)
	if err != nil {
		return err
	}
	if err := o.outputs.check(inputs(s, path)...); err != nil {
		return err
	}
	var files traces.Files
	defer files.Abort()
	json, err := o.json.open(&files)
	if err != nil {
		return err
	}
	html, err := o.html.open(&files)
	if err != nil {
		return err
	}
	junit, err := o.junit.open(&files)
	if err != nil {
		return err
	}
	o.Among = &files
	check, err := o.compare(c, s)
	if err != nil {
		return fault(err)
	}
	if json != nil {
		err = check.WriteJSON(json)
	}
	if html != nil {
		subject := outcome.ShellQuote(path) + o.settings.again()
		if c.Flags().Changed("seed") {
			subject += fmt.Sprintf(" --seed %d", o.Seed)
		}
		err = errors.Join(err, check.Page(subject, o.written()).Write(html))
	}
	if junit != nil {
		cases, wrong := check.JUnit()
		err = errors.Join(err, wrong, o.writeJUnit(junit, "cosim check "+path, cases...))
	}
	if err := errors.Join(err, files.Commit()); err != nil {
		return fault(err)
	}
	return o.verdict(o.outputs.text(c), check, path)
}

func (o *checkFlags) scenario(c *cobra.Command, path string) (*starloom.Scenario, error) {
	for _, option := range []string{"cycles", "seeds", "stimulus", "param", "backend", "prove"} {
		if c.Flags().Changed(option) {
			return nil, input.Mistake("--"+option, "the RTL and its inputs come from the scenario "+path,
				"leave it out, or check the RTL's pin map alone")
		}
	}
	s, err := o.settings.load(path)
	if err != nil {
		return nil, fault(err)
	}
	if c.Flags().Changed("seed") {
		return s, s.Override(c.Context(), starloom.Overrides{Seed: &o.Seed})
	}
	return s, nil
}

func (o *checkFlags) compare(c *cobra.Command, s *starloom.Scenario) (check *tools.Check, err error) {
	progress := newProgress(c.ErrOrStderr())
	defer progress.clear()
	progress.step("runs " + s.Name)
	run, err := starloom.RecordRTL(c.Context(), s)
	if err != nil {
		return nil, err
	}
	defer func() { err = closed(err, run) }()
	options := o.CheckOptions
	options.NoShrink = !o.shrink
	options.JSON = starloom.Output{} // one JSON file covers all components
	found, err := starloom.CheckRTL(c.Context(), run, options, func(path string) { progress.step("checks " + path) })
	if err != nil {
		return nil, err
	}
	parts := make([]tools.Part, len(run.Parts))
	for i, part := range run.Parts {
		parts[i] = tools.Part{Path: part.Path, Map: part.Map, Check: part.Check}
	}
	return tools.NewCheck(s.Name, parts, tools.Found(*found)), nil
}

func (o *checkFlags) verdict(w io.Writer, check *tools.Check, path string) error {
	if err := check.WriteText(w); err != nil || len(check.Differing) == 0 {
		return err
	}
	if o.vcd.path == "" && o.save.path == "" {
		_, err := fmt.Fprintf(w,
			"for a waveform and the inputs: starloom cosim check %s%s --vcd check.vcd --save check.csv\n",
			path, o.settings.again())
		if err != nil {
			return err
		}
	}
	return errFailed
}

func closed(err error, c interface{ Close() error }) error {
	if closing := c.Close(); err == nil {
		return closing
	}
	return err
}
