package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"starloom"
	"starloom/internal/explore"
	"starloom/traces"
)

type exploreFlags struct {
	starloom.ExploreOptions
	settings settings
	outputs  outputs
	workers  uint16
	seed     uint64
}

func newExplore(networks starloom.Networks) *cobra.Command {
	o := exploreFlags{settings: settings{networks: networks}}
	c := &cobra.Command{
		Use:               "explore SCENARIO",
		Short:             "Run a scenario through all faults within bounds, to a verdict for all of them",
		Args:              exactly("SCENARIO"),
		ValidArgsFunction: oneFile("yaml", "yml"),
	}
	f := c.Flags()
	o.outputs.add(f, "output", "o", "write a scenario that repeats the shortest schedule that breaks a rule to `F.yaml`",
		func(path string) error {
			o.Counterexample = starloom.File(path)
			return nil
		})
	json := o.outputs.file(f, "json", "write the verdict as JSON to `F`")
	o.settings.declare(c)
	f.Uint64Var(&o.seed, "seed", 0, "take the seed `N` in place of the scenario's")
	engine := choose(c, "engine", "how slots are computed; routers and RTL need cycle", "auto", "cycle", "slot")
	f.Uint16Var(&o.workers, "workers", 0, "use `N` threads; 0: all cores")
	c.RunE = func(c *cobra.Command, args []string) error {
		scenario, err := o.settings.load(args[0])
		if err != nil {
			return err
		}
		if f.Changed("seed") {
			scenario.Seed = o.seed
		}
		o.Engine = engine.value
		return o.run(c, scenario, args[0], json)
	}
	return c
}

func (o *exploreFlags) run(c *cobra.Command, scenario *starloom.Scenario, path string, json *output) error {
	if err := o.outputs.check(inputs(scenario, path)...); err != nil {
		return err
	}
	var files traces.Files
	defer files.Abort()
	to, err := json.open(&files)
	if err != nil {
		return err
	}
	progress := newProgress(c.ErrOrStderr())
	o.Workers, o.Progress = int(o.workers), progress.explore
	report, err := starloom.Explore(c.Context(), scenario, o.ExploreOptions)
	progress.clear()
	if err != nil {
		return fault(err)
	}
	if to != nil {
		err = report.WriteJSON(to)
	}
	if err := errors.Join(err, files.Commit()); err != nil {
		return fault(err)
	}
	if err := report.WriteText(o.outputs.text(c)); err != nil {
		return err
	}
	switch {
	case report.Verdict == explore.Holds:
		return nil
	case report.Verdict == explore.Fails:
		return errFailed
	case c.Context().Err() != nil:
		return errInterrupted
	case report.Slots == 0:
		return errUndecided
	}
	return errBounded
}
