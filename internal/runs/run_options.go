package runs

import (
	"context"
	"fmt"
	"starloom/internal/emulator"
	"starloom/internal/outcome"
	"starloom/internal/outputs"
	"starloom/internal/record"
	"starloom/traces/input"
)

// Options say how runs are executed and what they write: the options of package starloom.
type Options struct {
	Machine                    emulator.Options
	Record                     record.Options
	JSON, JUnit, CSV, StatsCSV outputs.Output // reports, and tables of runs and of figures
	SurvivalCSV, SurvivalSVG   outputs.Output
	RunTableCSV, RunTableSVG   outputs.Output
	Save, Restore              string // files of states, "" for none
	CheckpointEvery            uint32 // slots; 0: not
	BreakOn                    Break
	Replay                     outputs.Output
	ReplayProcessor            int
	Profile                    outputs.Output
	Progress                   func(Progress) // nil for none
}

// Progress says how far a run, or many, have come.
type Progress struct {
	Slots, SlotsLimit uint32 // that have crossed, and after which the run ends at the latest
	Done, Processors  int    // processors that are done or faulty, of all
	Runs, RunsTotal   uint64 // of many runs; else 0
	Repeated          bool   // the run is repeated to find out more
}

// CheckOne refuses what one run cannot have.
func (o *Options) CheckOne() error {
	if o.Record.VCD.Given() && o.Machine.Engine == emulator.EngineSlot {
		return record.ErrNoCycles("--engine slot")
	}
	if o.SurvivalCSV.Given() || o.SurvivalSVG.Given() {
		return &input.Error{Place: "--survival", Reason: "a survival curve needs many runs", Remedy: "give --seeds, for example --seeds 1..100"}
	}
	return nil
}

// CheckSeeds refuses what runs of many seeds cannot have.
func (o *Options) CheckSeeds(seeds outcome.Seeds) error {
	if err := o.refuseTraces("--seeds asks for many", "run one of them alone with --seed N"); err != nil {
		return err
	}
	if n := seeds.Count(); o.JUnit.Given() && n-1 >= outcome.JUnitSeedsMax {
		return &input.Error{
			Place: "--junit", Reason: fmt.Sprintf("a JUnit file has a test case for each seed, and %s are too many", seeds),
			Remedy: fmt.Sprintf("give at most %d seeds, or use --csv", outcome.JUnitSeedsMax),
		}
	}
	return nil
}

// Run runs the scenario once, or every permutation.
func (b *Batch) Run(ctx context.Context, o Options) (report *outcome.Report, err error) {
	if o.Restore != "" {
		defer refuseBroken(o.Restore, &err)
	}
	o.Machine.Watched = o.Record.VCD.Given()
	b.Options.Watched = o.Machine.Watched
	var out outputs.Set
	defer out.Abort()
	reports, err := openReports(&out, &o)
	if err != nil {
		return nil, err
	}
	all := b.Permutations > 0
	t := NewTally(all, reports.rows)
	if all {
		report, err = runAll(ctx, b, o, t)
	} else if report, err = runOne(ctx, b.Config, o, &out); err == nil {
		err = t.Add(&BatchRun{Seed: report.Seed, Report: report})
	}
	if err != nil {
		return nil, err
	}
	if report.Files, err = reports.commit(report, t); err != nil {
		return nil, err
	}
	return report, nil
}

// RunSeeds runs the scenario for each seed, with each rate of its faults.
func (b *Batch) RunSeeds(ctx context.Context, o Options) (*outcome.SeedsReport, error) {
	if err := o.checkSurvival(b); err != nil {
		return nil, err
	}
	if _, err := b.runs(); err != nil {
		return nil, err
	}
	var out outputs.Set
	defer out.Abort()
	reports, err := openReports(&out, &o)
	if err != nil {
		return nil, err
	}
	t := NewTally(b.Permutations > 0, reports.rows)
	if err := b.runRates(ctx, t, o); err != nil {
		return nil, err
	}
	report := b.report(t)
	report.Files, err = reports.commit(report, t)
	return report, err
}
