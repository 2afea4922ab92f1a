package starloom

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/internal/estimate"
	"starloom/internal/record"
	"starloom/internal/runs"
	"starloom/traces/input"
	"starloom/traces/input/strict"
)

// RunOptions say how a run is executed and what it writes. What shows one run only - VCD,
// PCAPNG, Log, a run-table - is refused for many.
type RunOptions struct {
	MachineOptions
	VCD      Output // waveform, FST if the path ends in .fst; EngineAuto takes EngineCycle for it
	GTKW     Output // save file that arranges it in GTKWave; beside VCD if that is a file
	PCAPNG   Output // packet capture
	Lua      Output // dissector for Wireshark and tshark; beside PCAPNG if that is a file
	Log      Output // what firmware logs: a line for each call of sl_log
	JSON     Output // report, see Report.WriteJSON
	JUnit    Output // report as JUnit XML
	HTML     Output // report as a page for a browser
	CSV      Output // a table with a row for each run
	StatsCSV Output // a table with a row for each figure of the report

	// The survival curve of many runs with faults, with its intervals: SeedsReport.Survival.
	SurvivalCSV Output // a row for each point
	SurvivalSVG Output // a picture of it

	// Who did what in each step: a row for each processor, a column for each step. Not every
	// network and workload has a run-table.
	// Cells S3 (sent to 3; S3 S5 to both), R0 (received from 0), - (idle), ~ (blocked), without a
	// header; of gossip on buses the number is that of the bus.
	RunTableCSV Output
	RunTableSVG Output // a picture of it

	SVG Pictures // pictures of one run

	// All packets of the workload traffic: a row for each, in order of arrival, then source, those that have not arrived
	// at the end, with a header; times are cycles. A scenario reads it as workload.traffic.file.
	Packets Output

	// The state of the run, with which another process goes on: the report of the run is the
	// same. Traces start where it was restored.
	Save            string // file for the state at the end or at the break
	Restore         string // file of the state to begin with, of the same scenario, firmware, engine, bank size and mode
	CheckpointEvery uint32 // replace the file Save by the state every so many slots; 0: not
	BreakOn         Break  // stop before the end

	// How the run is to end, nil for no expectation: it changes no verdict, but what JUnit says of it, and Report.Expect.
	Expect *Expectation

	// What the handlers of one processor were told and did, a line for each call. They are called
	// again alone; what they do then must be the same, which is the rule RuleReplay.
	Replay          Output
	ReplayProcessor int

	// Where the longest call of a slot handler has spent its cost: a line for each stack, as flame
	// graph tools read it. For firmware.cpu with a model. The run is repeated for it.
	Profile Output

	// Progress, if set, is called often: at every boundary of one run, after every run of
	// many. It runs on the goroutine of the run, or one at a time, so it delays it.
	Progress func(Progress)
}

func (o *RunOptions) own() runs.Options {
	own := runs.Options{
		Machine:     o.MachineOptions.own(),
		Record:      record.Options{VCD: o.VCD, GTKW: o.GTKW, PCAPNG: o.PCAPNG, Lua: o.Lua, Log: o.Log},
		Reports:     runs.Reports{JSON: o.JSON, JUnit: o.JUnit, HTML: o.HTML, CSV: o.CSV, StatsCSV: o.StatsCSV},
		SurvivalCSV: o.SurvivalCSV, SurvivalSVG: o.SurvivalSVG, RunTableCSV: o.RunTableCSV, RunTableSVG: o.RunTableSVG, Packets: o.Packets, Pictures: o.SVG,
		Save: o.Save, Restore: o.Restore, CheckpointEvery: o.CheckpointEvery, BreakOn: runs.Break(o.BreakOn),
		Replay: o.Replay, ReplayProcessor: o.ReplayProcessor, Profile: o.Profile,
	}
	if o.Progress != nil {
		own.Progress = func(p runs.Progress) { o.Progress(Progress(p)) }
	}
	return own
}

// Progress says how far a run has come.
type Progress struct {
	Slots, SlotsLimit uint32 // that have crossed, and after which the run ends at the latest
	Done, Processors  int    // processors that are done or faulty, of all
	Runs, RunsTotal   uint64 // of many runs; else 0
	Repeated          bool   // the run is repeated to find out more: where packets were lost, what faults have done, where the longest call has spent its cycles
}

// Run emulates a scenario and returns its report. Bad input is an *InputError; an output
// that cannot be written ends the run with its error. When ctx ends, the report says so,
// and it and all outputs end with the last whole slot, whatever the firmware does.
// Firmware that does not even get ready gives no report: then the error is that of ctx.
// With `permutation: all` every permutation is run, and the report sums up.
func Run(ctx context.Context, s *Scenario, o RunOptions) (*Report, error) {
	own := o.own()
	if err := own.CheckOne(); err != nil {
		return nil, err
	}
	b, err := s.batch(Seeds{s.Seed, s.Seed}, own.Machine)
	if err != nil {
		return nil, err
	}
	b.Expect = o.Expect
	return b.Run(ctx, own)
}

// RunSeeds emulates a scenario once for every seed of a range - with `permutation:
// all` once for every seed and permutation - and sums up. The report does not depend
// on the number of workers. Bad input is an *InputError; an output that cannot be written
// ends the runs with its error. When ctx ends, report and
// files cover the runs up to the first one that is missing.
func RunSeeds(ctx context.Context, s *Scenario, seeds Seeds, o RunOptions) (*SeedsReport, error) {
	own := o.own()
	if err := own.CheckSeeds(outcome.Seeds(seeds)); err != nil {
		return nil, err
	}
	b, err := s.ratedBatch(seeds, own.Machine)
	if err != nil {
		return nil, err
	}
	b.Expect = o.Expect
	return b.RunSeeds(ctx, own)
}

// EstimateOptions say what is estimated, and what that may cost.
type EstimateOptions struct {
	Run     RunOptions    // as it would be run; what is given as an output is made, and goes nowhere
	Seeds   *Seeds        // of many runs, nil for one
	Longest time.Duration // for which the scenario is run at most, and as long for smaller ones; 0: a few seconds
	Cache   string        // folder in which measurements are kept for the next time; "": they are not
	Again   bool          // measure again what is kept there
}

// Estimate is what a run will take on this machine, and runs at larger sizes; its JSON form is stable and versioned.
type Estimate = estimate.Estimate

// Estimate says what memory and time a run will take on this machine, and what larger networks would. For
// that the scenario is run for some seconds, and smaller networks are to their end. Bad input is an *InputError.
func (s *Scenario) Estimate(ctx context.Context, o EstimateOptions) (*Estimate, error) {
	seeds, own := Seeds{s.Seed, s.Seed}, o.Run.own()
	if o.Seeds != nil {
		seeds = *o.Seeds
	}
	at := func(steps int) (*runs.Batch, []estimate.Key, error) {
		one, keys := s.resized(steps)
		if one == nil {
			return nil, nil, nil
		}
		b, err := one.ratedBatch(seeds, own.Machine)
		return b, keys, err
	}
	r := estimate.Runs{At: at, Many: o.Seeds != nil, Seeds: outcome.Seeds(seeds), Options: own, Inputs: s.Inputs(), Keys: s}
	return estimate.Of(ctx, r, o.Longest, o.Cache, o.Again)
}

// resized is the scenario with a network so many steps larger, and the keys that differ; nil if it has none.
func (s *Scenario) resized(steps int) (*Scenario, []estimate.Key) {
	if steps == 0 {
		return s, nil
	}
	return s.on(fabric.Resized(s.Fabric.network(), steps))
}

// ParseSeeds reads A..B, two integers from 0 to 18446744073709551615 of which A is not
// above B. The error is an *InputError.
func ParseSeeds(text string) (Seeds, error) {
	seeds, err := outcome.ParseSeeds("--seeds", text)
	return Seeds(seeds), err
}

// Break says where a run stops before its end. The zero value is nowhere.
type Break struct {
	Rule string // at the end of the boundary at which this rule is broken; RuleTrap for a trap
	Slot uint32 // before this slot, 1 to SlotsMax; 0: at no slot
}

const breakTrap = "trap"

// ParseBreak reads slot=N, trap or the name of a rule. The error is an *InputError.
func ParseBreak(text string) (Break, error) {
	if number, ok := strings.CutPrefix(text, "slot="); ok {
		slot, err := strconv.ParseUint(number, 10, 32)
		if err != nil || slot < 1 || slot > SlotsMax {
			return Break{}, input.Mistake("--break-on", fmt.Sprintf("%q is not a slot", strict.Clip(number)),
				fmt.Sprintf("allowed are 1 to %d", SlotsMax))
		}
		return Break{Slot: uint32(slot)}, nil
	}
	if text == breakTrap {
		text = RuleTrap
	}
	return Break{Rule: text}, nil
}
