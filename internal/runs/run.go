package runs

import (
	"context"

	"starloom/fabric/outcome"
	"starloom/internal/outputs"
)

// Run runs the scenario once, or every permutation.
func (b *Batch) Run(ctx context.Context, o Options) (report *outcome.Report, err error) {
	if err := b.Expect.Check(b.Config.Rules.Checked()); err != nil {
		return nil, err
	}
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
	t := newTally(all, reports.rows)
	if all {
		report, err = runAll(ctx, b, o, t)
	} else if report, err = runOne(ctx, b.Config, o, &out); err == nil {
		err = t.add(&BatchRun{Seed: report.Seed, Report: report})
	}
	if err != nil {
		return nil, err
	}
	report.Expects(b.Expect)
	if report.Files, err = reports.commit(report, t); err != nil {
		return nil, err
	}
	return report, nil
}

// RunSeeds runs the scenario for each seed, with each rate of its faults.
func (b *Batch) RunSeeds(ctx context.Context, o Options) (*outcome.SeedsReport, error) {
	if err := o.checkSurvival(len(b.Config.Faults) > 0, len(b.Rates) > 0); err != nil {
		return nil, err
	}
	if err := o.refuseBare(b.Config); err != nil {
		return nil, err
	}
	if err := b.Expect.Check(b.Config.Rules.Checked()); err != nil {
		return nil, err
	}
	if _, err := b.Runs(); err != nil {
		return nil, err
	}
	var out outputs.Set
	defer out.Abort()
	reports, err := openReports(&out, &o)
	if err != nil {
		return nil, err
	}
	t := newTally(b.Permutations > 0, reports.rows)
	if err := b.runRates(ctx, t, o); err != nil {
		return nil, err
	}
	report := b.report(t)
	report.Expects(b.Expect)
	report.Files, err = reports.commit(report, t)
	return report, err
}
