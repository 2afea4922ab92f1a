package cli

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"starloom"
	"starloom/fabric/outcome"
	"starloom/traces/input"
)

type runFlags struct {
	starloom.RunOptions
	outputs outputs

	settings               settings
	overrides              overrides
	seeds, breakOn, expect string
	every                  *integerValue
	replay, bank           uint32
	workers                uint16
	engine, wasm           *choice
}

func newRun(networks starloom.Networks) *cobra.Command {
	o := runFlags{settings: settings{networks: networks}}
	c := &cobra.Command{
		Use:               "run SCENARIO",
		Short:             "Run a scenario and report",
		Args:              exactly("SCENARIO"),
		ValidArgsFunction: oneFile("yaml", "yml"),
		RunE:              func(c *cobra.Command, args []string) error { return o.run(c, args[0]) },
	}
	o.declareOutputs(c)
	o.settings.declare(c)
	o.overrides.declare(c)
	o.declareExecution(c)
	o.declareWays(c)
	formerly(c, "save", "save-state")
	return c
}

func (o *runFlags) declareOutputs(c *cobra.Command) {
	f := c.Flags()
	to := &o.outputs
	to.to(f, "vcd", "write a waveform to `F`, in FST if it ends in .fst, and F.gtkw (GTKWave) and F.sucl (Surfer) "+
		"beside it", &o.Record.VCD)
	to.to(f, "pcapng", "write a packet capture to `F`, and F.lua for Wireshark beside it", &o.Record.PCAPNG)
	to.to(f, "log", "write the firmware's log lines to `F`", &o.Record.Log).shared = true
	to.tableOrPicture(f, "run-table", "write who sent to whom in each step to `F.csv`, or a picture of it to F.svg",
		&o.RunTables.CSV, &o.RunTables.SVG)
	to.pictures(c, "write a picture to `KIND=F.svg`, KIND being topology, heat, latency or timeline; once for each",
		pictureKind{"topology", &o.SVG.Topology}, pictureKind{"heat", &o.SVG.Heat}, pictureKind{"latency", &o.SVG.Latency},
		pictureKind{"timeline", &o.SVG.Timeline})
	to.to(f, "packets", "write all packets of traffic, with the times of creation, sending and receipt, to `F.csv`",
		&o.Packets)
	to.to(f, "json", "write the report as JSON to `F`", &o.Reports.JSON)
	to.to(f, "junit", "write the report as JUnit XML to `F`", &o.Reports.JUnit)
	to.to(f, "html", "write a page for a browser to `F.html`", &o.Reports.HTML)
	to.to(f, "csv", "write a table with a row for each run to `F`", &o.Reports.CSV)
	to.to(f, "stats-csv", "write a table with a row for each figure to `F`: mean, sd, se, min, median, max, histogram",
		&o.Reports.StatsCSV)
	to.tableOrPicture(f, "survival", "write the number of seeds that survive faults to `F.csv`, or a picture to F.svg",
		&o.Survival.CSV, &o.Survival.SVG)
	to.to(f, "profile", "write the cost profile of the longest call to `F`, for flame graphs", &o.Profile)
	to.add(f, "save-state", "", "write the state at the end or at the break to `F`", func(path string) error {
		if path == "-" {
			return input.Mistake("--save-state", "a state is a file, which is replaced as a whole", "give a path")
		}
		o.State.Save = path
		return nil
	})
}

func (o *runFlags) declareExecution(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.seeds, "seeds", "", "run once for every seed from A to B, or from 1 to N: `A..B|N`")
	o.engine = choose(c, "engine", "how to compute slots; auto selects the fastest way that provides the requested "+
		"outputs", "auto", "cycle", "slot")
	o.wasm = choose(c, "runtime", "how firmware is executed", "compiler", "interpreter")
	f.Uint16Var(&o.workers, "workers", 0, "use `N` threads; 0: the best number")
	f.Uint32Var(&o.bank, "bank", 0, "`N` processors per bank; 0: by size")
}

func (o *runFlags) execution() {
	o.Engine, o.Runtime = o.engine.value, o.wasm.value
	o.Workers, o.BankSize = int(o.workers), int(o.bank)
}

func (o *runFlags) declareWays(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.expect, "expect", "", "exit with 0 if the verdict is `pass|fail|fail:RULE`, otherwise with 1")
	completed(c, "expect", expectWords)
	f.StringVar(&o.breakOn, "break-on", "", "stop, and save the state, at the first `RULE|trap|slot=N`")
	o.every = integer(c, "checkpoint-every", "replace the state in --save-state F every `N` slots", 1, starloom.SlotsMax)
	f.StringVar(&o.State.Restore, "restore", "", "continue from the state in `F`")
	f.Uint32Var(&o.replay, "replay", 0, "run the handlers of `PROCESSOR` again alone, and print their inputs and actions")
	f.BoolVar(&o.Replay.Variables, "vars", false,
		"show the variables of the state by name, with --replay, also in --html F")
	f.StringArrayVar(&o.Probes, "probe", nil, "show `state.MEMBER` of every processor in --vcd F; repeatable, patterns")
}

func (o *runFlags) run(c *cobra.Command, path string) error {
	scenario, err := o.settings.load(path)
	if err != nil {
		return err
	}
	if len(scenario.RTL) > 0 {
		sayTemporaryCache(c)
	}
	many, err := o.manySeeds(c.Flags())
	if err != nil {
		return err
	}
	if err := override(c, scenario, o.overrides.given(c.Flags())); err != nil {
		return err
	}
	if c.Flags().Changed("replay") {
		o.outputs.stream = "--replay"
		o.Replay.Output, o.Replay.Processor = starloom.Writer(input.Printer(product(c))), int(o.replay)
	}
	if err := o.outputs.check(inputs(scenario, path)...); err != nil {
		return err
	}
	if c.Flags().Changed("break-on") {
		if o.BreakOn, err = starloom.ParseBreak(o.breakOn); err != nil {
			return err
		}
	}
	if c.Flags().Changed("expect") {
		if o.Expect, err = outcome.ParseExpectation("--expect", o.expect); err != nil {
			return err
		}
	}
	o.State.CheckpointEvery = uint32(o.every.value)
	o.execution()
	return o.start(c, scenario, many)
}

func (o *runFlags) manySeeds(f *pflag.FlagSet) (many starloom.Seeds, err error) {
	if !f.Changed("seeds") {
		return many, nil
	}
	for _, one := range []string{"seed", "permutation"} {
		if f.Changed(one) {
			return many, input.Mistake("--seeds", "this option is for many runs; use --"+one+" for one", "delete one of them")
		}
	}
	return starloom.ParseSeeds(o.seeds)
}

func (o *runFlags) start(c *cobra.Command, scenario *starloom.Scenario, many starloom.Seeds) error {
	progress := newProgress(c.ErrOrStderr())
	o.Progress = progress.run
	text := o.outputs.text(c)
	if c.Flags().Changed("seeds") {
		report, err := starloom.RunSeeds(c.Context(), scenario, many, o.RunOptions)
		progress.clear()
		if err != nil {
			return fault(err)
		}
		return printRun(text, report, report.Expect.Judged(report.Verdict))
	}
	report, err := starloom.Run(c.Context(), scenario, o.RunOptions)
	progress.clear()
	if err != nil {
		return fault(err)
	}
	return printRun(text, report, report.Expect.Judged(report.Verdict))
}

func newEstimate(networks starloom.Networks) *cobra.Command {
	o := runFlags{settings: settings{networks: networks}}
	var again bool
	c := &cobra.Command{
		Use:               "estimate SCENARIO",
		Short:             "Estimate the memory and time of a run, and of larger runs",
		Args:              exactly("SCENARIO"),
		ValidArgsFunction: oneFile("yaml", "yml"),
	}
	f := c.Flags()
	json := o.outputs.file(f, "json", "write everything as JSON to `F`")
	html := o.outputs.file(f, "html", "write a page for a browser to `F.html`")
	o.outputs.to(f, "vcd", "include the cost of a waveform; `F` is not written", &o.Record.VCD)
	o.outputs.to(f, "pcapng", "include the cost of a packet capture; `F` is not written", &o.Record.PCAPNG)
	o.outputs.to(f, "log", "include the cost of the firmware's log lines; `F` is not written", &o.Record.Log)
	o.settings.declare(c)
	o.overrides.declare(c)
	o.declareExecution(c)
	f.BoolVar(&again, "recalibrate", false, "ignore earlier measurements on this machine")
	c.RunE = func(c *cobra.Command, args []string) error {
		scenario, err := o.settings.load(args[0])
		if err != nil {
			return err
		}
		many, err := o.manySeeds(f)
		if err != nil {
			return err
		}
		if err := override(c, scenario, o.overrides.given(f)); err != nil {
			return err
		}
		return withPage(c, &o.outputs, json, html, inputs(scenario, args[0]), func() (textAndJSON, error) {
			o.execution()
			asked := starloom.EstimateOptions{Run: o.RunOptions, Cache: estimatesFolder(), Again: again}
			if f.Changed("seeds") {
				asked.Seeds = &many
			}
			return scenario.Estimate(c.Context(), asked)
		})
	}
	return c
}

func estimatesFolder() string {
	folder, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(folder, "starloom", "estimates")
}
