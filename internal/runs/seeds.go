package runs

import (
	"context"
	"slices"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/internal/outputs"
)

func (b *Batch) runRates(ctx context.Context, t *tally, o Options) error {
	if len(b.Rates) == 0 {
		return b.Each(ctx, o.counted(t))
	}
	total, err := b.Runs()
	if err != nil {
		return err
	}
	take := o.counted(t)
	for _, r := range b.Rates {
		one := *b
		one.Config, one.Rates = r.Config, nil
		t.begin(r.Rate)
		if err := one.Each(ctx, func(run *BatchRun, _ uint64) error { return take(run, total) }); err != nil {
			return err
		}
		b.about, b.slotCycles = one.about, one.slotCycles
		if ctx.Err() != nil {
			break
		}
	}
	b.total = total
	return nil
}

// detail repeats one failed run alone for a page, unless that takes long.
func (b *Batch) detail(ctx context.Context, r *outcome.SeedsReport, o Options) error {
	f, _, _ := r.MostFailed()
	if f == nil || !o.Reports.HTML.Given() || f.Permutation != nil || ctx.Err() != nil {
		return nil
	}
	if n := b.processors(); n > sceneProcessorsMax || (f.First.Cycle+1)*uint64(n) > sceneWorkMax {
		return nil
	}
	c := *b.Config
	for i := range b.Rates {
		if f.Rate != nil && b.Rates[i].Rate == *f.Rate {
			c = *b.Rates[i].Config
		}
	}
	c.Seed = f.Seed
	one, err := runOne(ctx, &c, Options{Machine: b.Options, Reports: Reports{HTML: o.Reports.HTML}}, new(outputs.Set))
	if ctx.Err() != nil {
		return nil // the page does without
	}
	r.Aside.One = one
	return err
}

func (b *Batch) report(t *tally) *outcome.SeedsReport {
	r := &outcome.SeedsReport{
		Schema: outcome.ReportSchema, Scenario: b.Config.Name, Seeds: [2]uint64{b.Seeds.First, b.Seeds.Last},
		Permutations: b.Permutations,
		Engine:       b.about.Engine, Verdict: outcome.VerdictPass, Rules: b.about.Rules, Notes: b.Config.Known.Notes,
		Runs: t.runs, RunsTotal: b.total, Statistics: t.statistics(), Failed: t.failed, FailedTotal: t.failedAll,
		Survival: t.curve(), MostSlots: t.worst, Firmware: b.firmware(t), RTL: b.about.RTL, Digest: t.digest(),
	}
	r.Provenance = b.Config.Source.Provenance
	r.Aside = outcome.Aside{Command: b.Config.Source.RunCommand, RTLCheck: b.about.Aside.RTLCheck,
		FailedSeeds: t.failedSeeds}
	if t.rate != nil {
		r.MostSlots = nil // rates differ
	}
	if built := fabric.RoutersOf(b.Config.Network); built != nil && built.Shown != "" {
		r.Notes = append(slices.Clip(r.Notes), built.Shown)
	}
	if t.firstFail != nil {
		r.Notes = t.firstFail.Notes // they name the next steps
	}
	if t.onTrust > 0 && (t.firstFail == nil || t.firstFail.Aside.OnTrust == 0) {
		r.Notes = append(r.Notes, outcome.TrustNote(t.onTrust))
	}
	if t.faulty && t.failedAll > 0 {
		r.Notes = append(slices.Clip(r.Notes), "either faults or firmware may have broken the rules; a single run shows "+
			"which violations also occur without faults")
	}
	if t.failedAll > 0 || t.runs < b.total {
		r.Verdict = outcome.VerdictFail
	}
	return r
}
