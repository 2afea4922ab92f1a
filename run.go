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

// RunOptions control the execution and the outputs of a run. Outputs of a single run (Record, a run-table) are rejected
// for several runs.
type RunOptions struct {
	MachineOptions
	Record   RecordOptions // waveform, capture and log; for a waveform EngineAuto selects EngineCycle
	Reports  ReportFiles   // forms of the report
	SVG      Pictures      // pictures of one run
	Survival TableFiles    // survival curve of many runs with faults, see SeedsReport.Survival: a row for each point

	// Run-table: a row for each processor, a column for each step, without a header. Cells are S3 (sent to 3; S3 S5
	// to both), R0 (received from 0), - (idle) and ~ (blocked). For gossip on buses a cell contains the number of the
	// bus instead. Some networks and workloads have no run-table.
	RunTables TableFiles

	// all packets of the workload traffic, one per row, with a header; times are in cycles. Rows are in order of
	// arrival, then source; packets that have not arrived come last. A scenario can read the file as
	// workload.traffic.file.
	Packets Output

	State   StateFiles    // saved state of the run
	BreakOn Break         // stop before the end
	Replay  ReplayOptions // handlers of one processor

	// expected end of the run, nil for none. It affects Report.Expect and the JUnit report, but no verdict.
	Expect *Expectation

	// members of all processors' state (state_t) as signals of the waveform: state.NAME, with the patterns of
	// traces.vcd.signals. They require an image with debug information, from C, C++ or Rust.
	Probes []string

	// cost profile of the longest call of a slot handler: a line for each stack, in the format of flame graph tools.
	// It requires firmware.cpu with a model. The run is repeated for the profile.
	Profile Output

	// Progress, unless nil, is called at every boundary of one run, or after each of several runs. The calls are
	// never concurrent, and the run waits for each of them.
	Progress func(Progress)
}

// ReportFiles are the forms of the report.
type ReportFiles struct {
	JSON     Output // see Report.WriteJSON
	JUnit    Output // JUnit XML
	HTML     Output // a page for a browser
	CSV      Output // a table with a row for each run
	StatsCSV Output // a table with a row for each figure of the report
}

// TableFiles are a table and its picture.
type TableFiles struct{ CSV, SVG Output }

// StateFiles are files with the state of a run. Another process can restore the state and continue, with the same
// report. Its traces start at the restored slot.
type StateFiles struct {
	Save            string // file for the state at the end or at the break
	Restore         string // file of the initial state, of the same scenario, firmware, engine, bank size and mode
	CheckpointEvery uint32 // number of slots between two writes of the state to the file Save; 0 for none
}

// ReplayOptions select one processor, whose handlers are called again in isolation. They must behave identically;
// otherwise the rule RuleReplay is broken.
type ReplayOptions struct {
	Output    Output // inputs and actions of the handlers, a line for each call
	Processor int

	// members of the handlers' state (state_t) by name after each call, in the replay and on the page. They require an
	// image with debug information, from C, C++ or Rust.
	Variables bool
}

func (o *RunOptions) own() runs.Options {
	own := runs.Options{
		Machine: o.MachineOptions.own(), Record: record.Options(o.Record), Reports: runs.Reports(o.Reports),
		Survival: runs.TableFiles(o.Survival), RunTables: runs.TableFiles(o.RunTables), Packets: o.Packets,
		Pictures: o.SVG, State: runs.StateFiles(o.State), BreakOn: runs.Break(o.BreakOn),
		Replay: runs.ReplayOptions(o.Replay), Probes: o.Probes, Profile: o.Profile,
	}
	if o.Progress != nil {
		own.Progress = func(p runs.Progress) { o.Progress(Progress(p)) }
	}
	return own
}

// Progress is the progress of a run.
type Progress struct {
	Slots, SlotsLimit uint32 // number of crossed slots, and the limit after which the run ends
	Done, Processors  int    // number of processors that are done or faulty, and of all processors
	Runs, RunsTotal   uint64 // number of finished runs and of all runs, if there are several; otherwise 0
	// the run is being repeated for details: places of lost packets, effects of faults, profile of the longest call
	Repeated bool
}

// Run emulates a scenario and returns its report. Invalid input yields an *InputError; an output that cannot be
// written ends the run with an error. If ctx ends, the report notes the interruption, and all outputs end with the
// last whole slot, even if the firmware is in an endless loop. If ctx ends before the firmware is ready, Run returns
// only the error of ctx. For `permutation: all`, Run runs every permutation, and the report summarises the runs.
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

// RunSeeds emulates a scenario once for every seed of a range, and summarises the runs. For `permutation: all`, it
// emulates every permutation with every seed. The report does not depend on the number of workers. Invalid input
// yields an *InputError; an output that cannot be written ends the runs with an error. If ctx ends, report and files
// cover the runs before the first missing one.
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

// EstimateOptions select the estimated run and limit the cost of the estimate.
type EstimateOptions struct {
	Run     RunOptions    // options of the run; its outputs are produced and discarded
	Seeds   *Seeds        // seeds of many runs, nil for one run
	Longest time.Duration // time limit for the scenario, and for all smaller sizes together; 0 selects a few seconds
	Cache   string        // folder for cached measurements; "": none
	Again   bool          // ignore cached measurements
}

// Estimate is the predicted cost of a run on this machine, and of runs at larger sizes. Its JSON form is stable and
// versioned.
type Estimate = estimate.Estimate

// Estimate predicts the memory and the time of a run on this machine, and of runs on larger networks. It runs the
// scenario for several seconds, and smaller networks to their end. Invalid input yields an *InputError.
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
	r := estimate.Runs{At: at, Many: o.Seeds != nil, Seeds: outcome.Seeds(seeds), Options: own,
		Inputs: s.Inputs(), Keys: s}
	e, err := estimate.Of(ctx, r, o.Longest, o.Cache, o.Again)
	if err != nil {
		return nil, err
	}
	if e.RunCommand = s.runCommand(); o.Seeds != nil && e.RunCommand != "" {
		e.RunCommand += fmt.Sprintf(" --seeds %d..%d", seeds.First, seeds.Last)
	}
	return e, nil
}

// resized returns the scenario with a network larger by steps, and the differing keys, or nil if the network cannot
// have that size.
func (s *Scenario) resized(steps int) (*Scenario, []estimate.Key) {
	if steps == 0 {
		return s, nil
	}
	return s.on(fabric.Resized(s.Fabric.network(), steps))
}

// ParseSeeds parses A..B, two integers from 0 to 18446744073709551615 with A <= B, or N for 1..N. The error is an
// *InputError.
func ParseSeeds(text string) (Seeds, error) {
	seeds, err := outcome.ParseSeeds("--seeds", text)
	return Seeds(seeds), err
}

// Break is a stop before the end of a run. The zero value is no break.
type Break struct {
	Rule string // stop at the end of the boundary that violates this rule; RuleTrap for a trap
	Slot uint32 // stop before this slot, 1 to SlotsMax; 0 for none
}

const breakTrap = "trap"

// ParseBreak parses slot=N, trap or the name of a rule. The error is an *InputError.
func ParseBreak(text string) (Break, error) {
	if number, ok := strings.CutPrefix(text, "slot="); ok {
		slot, err := strconv.ParseUint(number, 10, 32)
		if err != nil || slot < 1 || slot > SlotsMax {
			return Break{}, input.Mistake("--break-on", fmt.Sprintf("%q is not a slot", strict.Clip(number)),
				fmt.Sprintf("allowed: 1 to %d", SlotsMax))
		}
		return Break{Slot: uint32(slot)}, nil
	}
	if text == breakTrap {
		text = RuleTrap
	}
	return Break{Rule: text}, nil
}
