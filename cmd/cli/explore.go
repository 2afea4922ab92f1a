package cli

import (
	"cmp"
	"errors"
	"io"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"starloom"
	"starloom/internal/explore"
	"starloom/internal/page"
	"starloom/traces"
	"starloom/traces/input"
)

type exploreFlags struct {
	starloom.ExploreOptions
	settings settings
	outputs  outputs
	workers  uint16

	json, junit, html, graph, csv *output

	guide bool
	slots uint64
	seed  uint64
	sweep string // file, "" for one scenario
}

func newExplore(networks starloom.Networks) *cobra.Command {
	o := exploreFlags{settings: settings{networks: networks}}
	c := &cobra.Command{
		Use:               "explore SCENARIO | --sweep FILE",
		Short:             "Explore all runs of a scenario with faults within given bounds",
		Args:              func(c *cobra.Command, args []string) error { return o.arguments(c, args) },
		ValidArgsFunction: oneFile("yaml", "yml"),
	}
	f := c.Flags()
	o.outputs.add(f, "output", "o", "write a scenario that repeats the shortest schedule that breaks a rule to `F.yaml`",
		func(path string) error {
			o.Counterexample = starloom.File(path)
			return nil
		})
	o.json = o.outputs.file(f, "json", "write the verdict as JSON to `F`")
	o.junit = o.outputs.file(f, "junit", "write the verdict as JUnit XML to `F`")
	o.html = o.outputs.file(f, "html", "write the verdict as a page for a browser to `F.html`: one file that needs "+
		"nothing else")
	o.graph = o.outputs.file(f, "graph", "write the graph of states, at most 500, for Graphviz to `F.dot`")
	o.settings.declare(c)
	f.Uint64Var(&o.seed, "seed", 0, "use the seed `N` instead of the scenario's")
	f.StringVar(&o.Out, "out", "", "keep the search in the folder `DIR`; the same command continues it")
	f.StringVar(&o.sweep, "sweep", "", "explore every point of the sweep file `FILE` in place of a scenario")
	completed(c, "sweep", oneFile("yaml", "yml"))
	o.csv = o.outputs.file(f, "csv", "with --sweep, write a row for each point as CSV to `F`")
	engine := choose(c, "engine", "how slots are computed; routers and RTL need cycle", "auto", "cycle", "slot")
	f.BoolVar(&o.UntilFails, "until-fails", false, "raise the maximum number of faults one by one until a rule breaks")
	f.BoolVar(&o.guide, "guide", false, "try runs, guided by states and branches that they show, in place of all runs")
	f.Uint64Var(&o.slots, "max-slots", explore.GuideSlots, "with --guide, end after `N` slots")
	f.Uint16Var(&o.workers, "workers", 0, "use `N` threads; 0: all cores")
	c.RunE = func(c *cobra.Command, args []string) error {
		o.Engine, o.Workers = engine.value, cmp.Or(int(o.workers), runtime.GOMAXPROCS(0))
		if o.guide {
			o.Guide = o.slots
		}
		if o.sweep != "" {
			return o.runSweep(c)
		}
		scenario, err := o.settings.load(args[0])
		if err != nil {
			return err
		}
		if f.Changed("seed") {
			scenario.Seed = o.seed
		}
		return o.run(c, scenario, args[0])
	}
	return c
}

func (o *exploreFlags) arguments(c *cobra.Command, args []string) error {
	switch {
	case !o.guide && c.Flags().Changed("max-slots"):
		return input.Mistake("--max-slots", "a search of all runs ends by itself, or by a limit under explore",
			"add --guide, or set explore.slots")
	case o.guide && o.slots == 0:
		return input.Mistake("--max-slots", "nothing is tried in 0 slots", "give the number of slots to run")
	case o.guide && o.UntilFails:
		return input.Mistake("--guide", "--until-fails shows that bounds hold, and a guided search never does",
			"delete one of the two")
	case o.guide && c.Flag("graph").Value.String() != "":
		return input.Mistake("--graph", "a guided search has no whole graph", "delete it, or --guide")
	case o.sweep == "" && c.Flag("csv").Value.String() != "":
		return input.Mistake("--csv", "a table has a row for each point of a sweep", "add --sweep FILE, or use --json")
	case o.sweep == "":
		return exactly("SCENARIO")(c, args)
	case len(args) > 0:
		return input.Mistake("--sweep", "the sweep file names the scenario", "delete "+input.Printable(args[0]))
	}
	return nil
}

func (o *exploreFlags) run(c *cobra.Command, scenario *starloom.Scenario, path string) error {
	if err := o.outputs.check(inputs(scenario, path)...); err != nil {
		return err
	}
	var files traces.Files
	defer files.Abort()
	var to [4]io.Writer
	for i, output := range []*output{o.json, o.junit, o.html, o.graph} {
		var err error
		if to[i], err = output.open(&files); err != nil {
			return err
		}
	}
	progress, began := newProgress(c.ErrOrStderr()), time.Now()
	o.Progress, o.Pictured = progress.explore, to[2] != nil
	o.Graph = to[3] != nil
	report, err := starloom.Explore(c.Context(), scenario, o.ExploreOptions)
	progress.clear()
	if err != nil {
		return fault(err)
	}
	if err := o.deliver(c, &files, to[:], report,
		report.WriteJSON,
		func(w io.Writer) error { return report.WriteJUnit(w, time.Since(began)) },
		page.Explored(report, scenario.ExploreCommand()).Write,
		report.Graph.WriteDOT); err != nil {
		return err
	}
	return exploredStatus(c, report.Verdict, report.Slots)
}

// deliver writes a report to its files, one for each element of writes, and as text. A file that was not requested is
// nil.
func (o *exploreFlags) deliver(c *cobra.Command, files *traces.Files, to []io.Writer,
	report interface{ WriteText(w io.Writer) error }, writes ...func(w io.Writer) error) (err error) {
	for i, write := range writes {
		if to[i] != nil {
			err = errors.Join(err, write(to[i]))
		}
	}
	if err := errors.Join(err, files.Commit()); err != nil {
		return fault(err)
	}
	return report.WriteText(o.outputs.text(c))
}
