package runs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"starloom/fabric/outcome"
	"starloom/internal/config"
	"starloom/internal/emulator"
	"starloom/internal/outputs"
	"starloom/internal/record"
	"starloom/traces/input"
	"starloom/traces/input/strict"
)

// Options control execution and output; they are the options of package starloom.
type Options struct {
	Machine             emulator.Options
	Record              record.Options
	Reports             Reports
	Survival, RunTables TableFiles
	Packets             outputs.Output
	Pictures            Pictures
	State               StateFiles
	BreakOn             Break
	Replay              ReplayOptions
	Probes              []string // patterns of variables in the waveform
	Profile             outputs.Output
	Progress            func(Progress) // nil for none
}

// TableFiles are a table and its picture.
type TableFiles struct{ CSV, SVG outputs.Output }

// StateFiles are files of states, "" for none.
type StateFiles struct {
	Save, Restore   string
	CheckpointEvery uint32 // slots between checkpoints; 0 for none
}

// ReplayOptions select the replay of one processor.
type ReplayOptions struct {
	Output    outputs.Output
	Processor int
	Variables bool // the replay includes the variables of the state
}

// Reports are the report's outputs: a page, tables of runs and figures, and forms for scripts.
type Reports struct{ JSON, JUnit, HTML, CSV, StatsCSV outputs.Output }

// Progress is the progress of a run or a batch.
type Progress struct {
	Slots, SlotsLimit uint32 // slots crossed, and the limit of slots
	Done, Processors  int    // processors done or faulty, and all processors
	Runs, RunsTotal   uint64 // for a batch, otherwise 0
	Repeated          bool   // the run is being repeated to locate its failure
}

func (o *Options) outputs() []*outputs.Output {
	r, p := &o.Record, &o.Pictures
	return []*outputs.Output{&r.VCD, &r.GTKW, &r.PCAPNG, &r.Lua, &r.Log, &o.Reports.JSON, &o.Reports.JUnit, &o.Reports.CSV,
		&o.Reports.StatsCSV, &o.Reports.HTML,
		&o.Survival.CSV, &o.Survival.SVG, &o.RunTables.CSV, &o.RunTables.SVG, &o.Packets, &o.Replay.Output, &o.Profile,
		&p.Topology, &p.Heat, &p.Latency, &p.Timeline}
}

// ToTemporary redirects all outputs to unlinked temporary files. The caller closes them with remove.
func (o *Options) ToTemporary() (remove func(), err error) {
	var files []*os.File
	remove = func() {
		for _, file := range files {
			_ = errors.Join(file.Sync(), file.Close()) // the unlinked file costs as much as a visible file
		}
	}
	for _, to := range o.outputs() {
		if !to.Given() {
			continue
		}
		file, err := os.CreateTemp(filepath.Dir(to.Path), ".starloom-*")
		if err == nil {
			err = os.Remove(file.Name())
			files = append(files, file)
		}
		if err != nil {
			remove()
			return nil, input.Refused(to.Path, err, "give a path in a writable folder")
		}
		*to = outputs.Writer(file)
	}
	o.State.Save, o.State.CheckpointEvery = "", 0
	return remove, nil
}

// Asked lists the requested outputs.
func (o *Options) Asked() (asked []bool) {
	for _, to := range o.outputs() {
		asked = append(asked, to.Given())
	}
	return asked
}

func (o *Options) survival() bool { return o.Survival.CSV.Given() || o.Survival.SVG.Given() }

func (o *Options) runTable() bool { return o.RunTables.CSV.Given() || o.RunTables.SVG.Given() }

// CheckOne rejects options that are invalid for a single run.
func (o *Options) CheckOne() error {
	if o.Record.VCD.Given() && o.Machine.Engine == emulator.EngineSlot {
		return record.ErrNoCycles("--engine slot")
	}
	if o.survival() {
		return input.Mistake("--survival", "a survival curve needs many runs", "give --seeds, for example --seeds 1..100")
	}
	return nil
}

func (o *Options) refuseBare(c *config.Config) error {
	for _, x := range []struct {
		option string
		asked  bool
	}{
		{"--log", o.Record.Log.Given()}, {"--run-table", o.runTable()}, {"--profile", o.Profile.Given()},
		{"--survival", o.survival()},
	} {
		if x.asked && c.Bare() {
			return input.Mistake(x.option, "the run has no firmware: processors are sources and sinks of packets",
				"delete it; --packets has every packet")
		}
	}
	return nil
}

// CheckSeeds rejects options that are invalid for runs of many seeds.
func (o *Options) CheckSeeds(seeds outcome.Seeds) error {
	if err := o.refuseTraces("--seeds asks for many", "run one of them alone with --seed N"); err != nil {
		return err
	}
	if n := seeds.Count(); o.Reports.JUnit.Given() && n-1 >= outcome.JUnitSeedsMax {
		return input.Mistake("--junit",
			fmt.Sprintf("a JUnit file has a test case for each seed, but %s are too many", seeds),
			fmt.Sprintf("give at most %d seeds, or use --csv", outcome.JUnitSeedsMax))
	}
	return nil
}

func (o *Options) checkSurvival(faults, rates bool) error {
	if o.survival() && !faults {
		return input.Mistake("--survival", "the scenario has no faults", "write faults under faults:, or delete the option")
	}
	if o.Reports.JUnit.Given() && rates {
		return input.Mistake("--junit",
			"a JUnit file has one test case for each seed, but with rates each seed is run several times",
			"write a single rate instead of rates")
	}
	return nil
}

func (o *Options) refuseTraces(many, remedy string) error {
	for _, trace := range []struct {
		option string
		to     outputs.Output
		what   string
	}{
		{"--vcd", o.Record.VCD, "a waveform"},
		{"--vcd", o.Record.GTKW, "a save file belongs to a waveform, which"},
		{"--pcapng", o.Record.PCAPNG, "a packet capture"},
		{"--pcapng", o.Record.Lua, "a dissector belongs to a packet capture, which"},
		{"--log", o.Record.Log, "a log"},
		{"--run-table", o.RunTables.CSV, "a run-table"},
		{"--run-table", o.RunTables.SVG, "a run-table"},
		{"--packets", o.Packets, "a file of packets"},
		{"--replay", o.Replay.Output, "a replay"},
		{"--profile", o.Profile, "a profile"},
		{"--svg topology", o.Pictures.Topology, "a picture"},
		{"--svg heat", o.Pictures.Heat, "a picture"},
		{"--svg latency", o.Pictures.Latency, "a picture"},
		{"--svg timeline", o.Pictures.Timeline, "a picture"},
	} {
		if trace.to.Given() {
			return input.Mistake(trace.option, trace.what+" shows one run, and "+many, remedy)
		}
	}
	if o.Replay.Variables {
		return input.Mistake("--vars", "a replay shows one run, and "+many, remedy)
	}
	if len(o.Probes) > 0 {
		return input.Mistake("--probe", "signals show one run, and "+many, remedy)
	}
	return o.refuseStates(many, remedy)
}

func (o *Options) refuseStates(many, remedy string) error {
	for _, one := range []struct {
		option string
		given  bool
	}{
		{"--save-state", o.State.Save != ""},
		{"--restore", o.State.Restore != ""},
		{"--checkpoint-every", o.State.CheckpointEvery > 0},
		{"--break-on", o.BreakOn != Break{}},
	} {
		if one.given {
			return input.Mistake(one.option, "a state belongs to a single run, but "+many, remedy)
		}
	}
	return nil
}

// Break is a point at which a run stops early. The zero value is no break.
type Break struct {
	Rule string // stop after the boundary that violates this rule; RuleTrap for a trap
	Slot uint32 // stop before this slot, 1 to SlotsMax; 0 for none
}

func (b Break) check(checked []string) error {
	if b.Rule == "" || slices.Contains(checked, b.Rule) {
		return nil
	}
	return input.Mistake("--break-on", fmt.Sprintf("the run does not check the rule %q", strict.Clip(b.Rule)),
		input.DidYouMean(b.Rule, checked, "write slot=N, trap, or one of "+strings.Join(checked, ", ")))
}

func (b Break) reached(slot uint32, found []outcome.Violation) string {
	switch {
	case b.Slot > 0 && slot >= b.Slot:
		return fmt.Sprintf("slot %d", b.Slot)
	case b.Rule != "" && slices.ContainsFunc(found, func(v outcome.Violation) bool { return v.Rule == b.Rule }):
		return "the first violation of " + b.Rule
	}
	return ""
}
