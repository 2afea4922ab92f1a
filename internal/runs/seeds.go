package runs

import (
	"context"
	"slices"

	"starloom/internal/outcome"
)

// runRates runs the batch once for each rate of faults.random, or once.
func (b *Batch) runRates(ctx context.Context, t *tally, o Options) error {
	if len(b.Rates) == 0 {
		return b.Each(ctx, o.counted(t))
	}
	total, err := b.runs()
	if err != nil {
		return err
	}
	take := o.counted(t)
	for _, r := range b.Rates {
		one := *b
		one.Config, one.Rates = r.Config, nil
		t.Begin(r.Rate)
		if err := one.Each(ctx, func(run *BatchRun, _ uint64) error { return take(run, total) }); err != nil {
			return err
		}
		b.About, b.slotCycles = one.About, one.slotCycles
		if ctx.Err() != nil {
			break
		}
	}
	b.Total = total
	return nil
}

// report sums up the runs of many seeds.
func (b *Batch) report(t *tally) *outcome.SeedsReport {
	r := &outcome.SeedsReport{
		Schema: outcome.ReportSchema, Scenario: b.Config.Name, Seeds: [2]uint64{b.Seeds.First, b.Seeds.Last}, Permutations: b.Permutations,
		Engine: b.About.Engine, Verdict: outcome.VerdictPass, Rules: b.About.Rules, Notes: b.Config.Known.Notes,
		Runs: t.runs, RunsTotal: b.Total, Statistics: t.Statistics(), Failed: t.Failed, FailedTotal: t.FailedAll,
		Survival: t.curve(), MostSlots: t.worst, Firmware: b.Firmware(t), RTL: b.About.RTL, Digest: t.digest(),
		Aside: outcome.Aside{Command: b.Config.Source.RunCommand, RTLCheck: b.About.Aside.RTLCheck, FailedSeeds: t.Seeds},
	}
	if t.rate != nil {
		r.MostSlots = nil // of runs that are not alike
	}
	if t.firstFail != nil {
		r.Notes = t.firstFail.Notes // they say what to do next
	}
	if t.onTrust > 0 && (t.firstFail == nil || t.firstFail.Aside.OnTrust == 0) {
		r.Notes = append(r.Notes, outcome.TrustNote(t.onTrust))
	}
	if t.faulty && t.FailedAll > 0 {
		r.Notes = append(slices.Clip(r.Notes), "faults and firmware may have broken the rules: a run alone says which violations it has without faults, too")
	}
	if t.FailedAll > 0 || t.runs < b.Total {
		r.Verdict = outcome.VerdictFail
	}
	return r
}
