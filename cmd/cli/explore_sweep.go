package cli

import (
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"starloom"
	"starloom/fabric/outcome"
	"starloom/internal/page"
	"starloom/traces"
	"starloom/traces/input"
)

// runSweep explores every point of a sweep file.
func (o *exploreFlags) runSweep(c *cobra.Command) error {
	for _, only := range []string{"output", "graph", "seed"} {
		if c.Flags().Changed(only) {
			return input.Mistake("--"+only, "this option is for one scenario, but --sweep explores many",
				"delete it; give seeds: in the sweep file, or explore the point by itself")
		}
	}
	set, err := o.settings.assignments()
	if err != nil {
		return err
	}
	if err := o.outputs.check(o.sweep); err != nil {
		return err
	}
	var files traces.Files
	defer files.Abort()
	var to [4]io.Writer
	for i, output := range []*output{o.json, o.junit, o.html, o.csv} {
		if to[i], err = output.open(&files); err != nil {
			return err
		}
	}
	progress, began := newProgress(c.ErrOrStderr()), time.Now()
	o.Progress = progress.explore
	report, err := o.settings.networks.ExploreSweep(c.Context(), o.sweep,
		starloom.ExploreSweepOptions{ExploreOptions: o.ExploreOptions, Set: set})
	progress.clear()
	if err != nil {
		return fault(err)
	}
	if err := o.deliver(c, &files, to[:], report,
		report.WriteJSON,
		func(w io.Writer) error { return report.WriteJUnit(w, time.Since(began)) },
		page.ExploredSweep(report, o.sweepCommand()).Write,
		report.WriteCSV); err != nil {
		return err
	}
	verdict, slots := report.Worst()
	return exploredStatus(c, verdict, slots)
}

// sweepCommand repeats the exploration.
func (o *exploreFlags) sweepCommand() string {
	words := "starloom explore --sweep " + outcome.ShellQuote(filepath.ToSlash(o.sweep))
	if o.UntilFails {
		words += " --until-fails"
	}
	if o.Out != "" {
		words += " --out " + outcome.ShellQuote(o.Out)
	}
	return words + o.settings.again()
}

// exploredStatus returns the error of a verdict, nil if the rules hold.
func exploredStatus(c *cobra.Command, verdict outcome.ExploredVerdict, slots uint32) error {
	switch {
	case verdict == outcome.Holds:
		return nil
	case verdict == outcome.Fails:
		return errFailed
	case c.Context().Err() != nil:
		return errInterrupted
	case slots == 0:
		return errUndecided
	}
	return errBounded
}
