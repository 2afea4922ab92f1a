package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"starloom"
	"starloom/traces"
)

func newRun() *cobra.Command {
	var o starloom.RunOptions
	var image, seeds string
	var vcd, pcapng, log, runTable, json, junit, csv, statsCSV, survival, profile string
	var seed, permutation uint64
	var breakOn string
	c := &cobra.Command{
		Use:   "run SCENARIO",
		Short: "Run a scenario and report",
		Long: `Runs a scenario and prints the verdict, the reasons for it, and the figures of the run. Options
replace what the scenario says. Files appear when the run is over, all or none;
the path - is standard output (the report then goes to standard error; with
--log - it follows the log).

An image that --firmware puts in place of a program is held to that program's rules
and gets its schedule. A program that --firmware names brings its own.

--seeds A..B runs the scenario once for every seed and reports mean, standard
deviation (sd), standard error of the mean (se), minimum, median, maximum and a
histogram of every figure that is a number - not of lists, nor of a fraction such as
mu - and the seeds that failed. A histogram has a column for each value, or 16 from
the smallest to the largest. With workload: {permutation: all} every seed has a run
for each permutation. Runs that failed are counted, and left out of slots, cycles and
steps.

Permutations are numbered from 0 in lexicographic order, and each draws from the
seed and its number. --permutation K repeats one of them alone, with its random numbers.

--workers, --bank, --mode, --runtime and --engine change how fast a run is, never
what it finds. Nor does RTL in the place of parts of the hardware (key rtl of the
scenario), as long as it is right.

The digest covers, slot by slot, frames that were sent or held back by their medium,
receive statuses, deliveries that firmware announced and results that it gave; not timing,
packets held, logs and probes. Runs are equal if digest and report are.

A run that has lost packets is repeated, to find out where. One that has missed slots (rule
meets_budget) is repeated up to its longest call, to say where that has spent its cycles: the
stack of functions that leads to most of them, and the lines that cost most. --profile F asks for
it in any run whose firmware.cpu has a model, and writes all stacks as flame graph tools read
them: function (file:line);function (file:line) cost.

--save F writes the state at the end, at the break, or with --checkpoint-every N every
N slots: the last whole one is in F, whatever ends the process. --restore F goes on from
it, with the same scenario, firmware, engine, mode and bank size; the report is that of
a run without a break, and traces start there (save with --engine cycle to have them). --break-on stops a run when a rule is
broken (trap: firmware_trap) or before slot N; the verdict is that of the rules so far.

--replay P prints a line for each call of processor P's handlers: what its NIC told them,
and what they did. After the run they are called again alone, with the same; what they
do must be the same (rule replay). The report follows. With --restore F it begins at the
state in F.

--survival writes how many runs of many seeds with faults have broken no rule, and the
interval of Wilson at 95%: up to the end of each slot, or, if faults.random has rates,
with each of them. Every seed is run with every rate.

A run-table (workloads gossip and one_to_all) has a row for each processor and a column for
each step: S3 sent to 3, S3 S5 to both, R0 received from 0, - idle, ~ blocked; no header. On
standard output it is the table, not the picture. The picture of a broadcast in an EJ network
of one dimension is its plane.`,
		Example: `  starloom run examples/pops-16x16.yaml
  starloom run examples/pops-16x16.yaml --vcd out.vcd --pcapng out.pcapng
  starloom run examples/pops-16x16.yaml --firmware router.wasm --json - | jq .verdict
  starloom run examples/pops-16x16.yaml --seed 7 --junit results.xml
  starloom run examples/pops-16x16.yaml --seeds 1..1000 --csv runs.csv
  starloom run examples/pops-2x4-all.yaml --seed 1 --permutation 7 --vcd out.vcd
  starloom run examples/pops-16x16.yaml --break-on slot=7 --save state
  starloom run examples/pops-16x16.yaml --restore state --vcd from-7.vcd
  starloom run deadline.yaml --profile longest.folded && flamegraph.pl longest.folded > longest.svg
  starloom run examples/pops-4x4-survival.yaml --seeds 1..200 --survival survival.svg
  starloom run examples/rtl/pops-4x4.yaml`,
		Args:              exactly("SCENARIO"),
		ValidArgsFunction: files("yaml", "yml"),
	}
	f := c.Flags()
	f.StringVar(&vcd, "vcd", "", "write a waveform to `F`, and F.gtkw for GTKWave beside it")
	f.StringVar(&pcapng, "pcapng", "", "write a packet capture to `F`, and F.lua for Wireshark beside it")
	f.StringVar(&log, "log", "", "write the firmware's log lines to `F`")
	f.StringVar(&runTable, "run-table", "", "write who sent to whom in each step to `F.csv`, or a picture of it to F.svg")
	f.StringVar(&json, "json", "", "write the report as JSON to `F`")
	f.StringVar(&junit, "junit", "", "write the report as JUnit XML to `F`")
	f.StringVar(&csv, "csv", "", "write a table with a row for each run to `F`")
	f.StringVar(&statsCSV, "stats-csv", "", "write a table with a row for each figure to `F`: mean, sd, se, min, median, max, histogram")
	f.StringVar(&seeds, "seeds", "", "run once for every seed of the range `A..B`")
	f.Uint64Var(&permutation, "permutation", 0, "run only number `K` of all permutations")
	f.Uint64Var(&seed, "seed", 0, "use the seed `N`")
	f.StringVar(&o.Save, "save", "", "write the state at the end or at the break to `F`")
	f.StringVar(&o.Restore, "restore", "", "go on from the state in `F`")
	f.StringVar(&profile, "profile", "", "write where the longest call has spent its cost to `F`, for flame graphs")
	f.StringVar(&survival, "survival", "", "write how many seeds survive faults to `F.csv`, or a picture of it to F.svg")
	replay := f.Uint32("replay", 0, "run the handlers of `PROCESSOR` again alone, and print what came and what they did")
	every := integer(c, "checkpoint-every", "replace the state in --save F every `N` slots", 1, starloom.SlotsMax)
	f.StringVar(&breakOn, "break-on", "", "stop, and save the state, when `RULE|trap|slot=N` comes")
	slots := integer(c, "slots", "end a run that is not done after `N` slots", 1, starloom.SlotsMax)
	f.StringVar(&image, "firmware", "", "run the image `F`, or a built-in program, instead of the scenario's firmware")
	engine := choose(c, "engine", "how slots are computed; auto takes the fastest that shows what is asked for", "auto", "cycle", "slot")
	mode := choose(c, "mode", "one firmware instance for many processors, or one for each", starloom.ModeBanked, starloom.ModeIsolated)
	wasm := choose(c, "runtime", "how firmware is executed", "compiler", "interpreter")
	workers := f.Uint16("workers", 0, "use `N` threads; 0: as many as help")
	bank := f.Uint32("bank", 0, "`N` processors per bank; 0: by size")

	c.RunE = func(c *cobra.Command, args []string) (err error) {
		scenario, err := starloom.LoadScenario(args[0])
		if err != nil {
			return err
		}
		override := starloom.Overrides{Mode: mode.value, Image: image}
		if c.Flags().Changed("seed") {
			override.Seed = &seed
		}
		if c.Flags().Changed("permutation") {
			override.Permutation = &permutation
		}
		if c.Flags().Changed("slots") {
			override.Slots = new(uint32)
			*override.Slots = uint32(slots.value)
		}
		var many starloom.Seeds
		if c.Flags().Changed("seeds") {
			for _, one := range []string{"seed", "permutation"} {
				if c.Flags().Changed(one) {
					return &starloom.InputError{Place: "--seeds", Reason: "this is for many runs, --" + one + " for one", Remedy: "delete one of them"}
				}
			}
			if many, err = starloom.ParseSeeds(seeds); err != nil {
				return err
			}
		}
		if err := scenario.Override(c.Context(), override); err != nil {
			return err
		}

		outputs := []output{{"--vcd", vcd}, {"--pcapng", pcapng}, {"--log", log}, {"--run-table", runTable}, {"--json", json}, {"--junit", junit}, {"--csv", csv}, {"--stats-csv", statsCSV}, {"--survival", survival}, {"--profile", profile}, {"--save", o.Save}}
		if c.Flags().Changed("replay") {
			outputs = append([]output{{"--replay", "-"}}, outputs...)
			o.Replay, o.ReplayProcessor = starloom.Writer(c.OutOrStdout()), int(*replay)
		}
		if o.Save == "-" {
			return &starloom.InputError{Place: "--save", Reason: "a state is a file, which is replaced as a whole", Remedy: "give a path"}
		}
		if err := keep(outputs, append(scenario.Inputs(), args[0])...); err != nil {
			return err
		}
		o.CheckpointEvery = uint32(every.value)
		if c.Flags().Changed("break-on") {
			if o.BreakOn, err = starloom.ParseBreak(breakOn); err != nil {
				return err
			}
		}
		o.VCD, o.PCAPNG, o.Log = starloom.File(vcd), starloom.File(pcapng), starloom.File(log)
		o.JSON, o.JUnit, o.CSV, o.StatsCSV = starloom.File(json), starloom.File(junit), starloom.File(csv), starloom.File(statsCSV)
		o.Profile = starloom.File(profile)
		if err := tableOrPicture("--run-table", runTable, &o.RunTableCSV, &o.RunTableSVG); err != nil {
			return err
		}
		if err := tableOrPicture("--survival", survival, &o.SurvivalCSV, &o.SurvivalSVG); err != nil {
			return err
		}
		o.Engine, o.Runtime = engine.value, wasm.value
		o.Workers, o.BankSize = int(*workers), int(*bank)
		progress := newProgress(c.ErrOrStderr())
		o.Progress = progress.run
		text := c.OutOrStdout()
		for _, output := range outputs {
			if output.path == "-" && output.option != "--log" && output.option != "--replay" {
				text = c.ErrOrStderr()
			}
		}
		if c.Flags().Changed("seeds") {
			report, err := starloom.RunSeeds(c.Context(), scenario, many, o)
			progress.clear()
			if err != nil {
				return fault(err)
			}
			return printRun(text, report, report.Verdict)
		}
		report, err := starloom.Run(c.Context(), scenario, o)
		progress.clear()
		if err != nil {
			return fault(err)
		}
		return printRun(text, report, report.Verdict)
	}
	return c
}

// tableOrPicture makes a path the output of a table or that of a picture, by its extension; "" is
// neither.
func tableOrPicture(option, path string, csv, svg *starloom.Output) error {
	switch {
	case path == "":
	case path == "-" || strings.HasSuffix(path, ".csv"):
		*csv = starloom.File(path)
	case strings.HasSuffix(path, ".svg"):
		*svg = starloom.File(path)
	default:
		return &starloom.InputError{Place: option, Reason: path + " ends in neither .csv nor .svg", Remedy: "give a path that ends in .csv for a table, in .svg for a picture"}
	}
	return nil
}

// runReport is the report of one run, or of many.
type runReport interface {
	WriteText(io.Writer) error
	Interrupted() bool
	ToolFailed() bool
}

// printRun prints the report of runs, which may fail by their tools.
func printRun(w io.Writer, report runReport, verdict starloom.Verdict) error {
	err := printReport(w, report, verdict)
	if errors.Is(err, errFailed) && report.ToolFailed() {
		return errTool
	}
	return err
}

// output is an option that names a file to write.
type output struct{ option, path string }

// keep refuses an output that would replace one of the files the run is made from, and a second
// one on standard output. Two outputs with one path are refused when they are opened.
func keep(outputs []output, inputs ...string) error {
	first := ""
	for _, output := range outputs {
		switch {
		case output.path != "-":
		case first == "":
			first = output.option
		default:
			return &starloom.InputError{Place: output.option, Reason: "standard output has that of " + first, Remedy: fmt.Sprintf("give %s a file", output.option)}
		}
	}
	for _, input := range inputs {
		before, err := os.Stat(input)
		if err != nil {
			continue // it will be missed where it is read
		}
		for _, output := range outputs {
			if replaced, err := os.Stat(output.path); err == nil && os.SameFile(before, replaced) {
				return &starloom.InputError{
					Place: output.option, Reason: output.path + " is what the run is made from", Remedy: "give another path",
				}
			}
		}
	}
	return nil
}

// open opens an output, or nothing for "".
func open(files *traces.Files, option, path string) (io.Writer, error) {
	if path == "" {
		return nil, nil
	}
	file, err := files.Create(path)
	if err != nil {
		return nil, &starloom.InputError{Place: option, Reason: err.Error()}
	}
	return file, nil
}

// printReport prints a report and turns its verdict into an exit status.
func printReport(w io.Writer, report interface {
	WriteText(io.Writer) error
	Interrupted() bool
}, verdict starloom.Verdict) error {
	if err := report.WriteText(w); err != nil {
		return err
	}
	if report.Interrupted() {
		return errInterrupted
	}
	if verdict != starloom.VerdictPass {
		return errFailed
	}
	return nil
}
