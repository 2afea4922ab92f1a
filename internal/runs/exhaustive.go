package runs

import (
	"context"
	"fmt"

	"starloom/fabric/outcome"
	"starloom/internal/outputs"
)

// runAll runs every permutation of a small network with one seed. It reports the slowest run and the first failure.
func runAll(ctx context.Context, b *Batch, o Options, t *tally) (*outcome.Report, error) {
	if err := o.refuseTraces("permutation: all makes many", "run one of them alone with --permutation K"); err != nil {
		return nil, err
	}
	if err := b.Each(ctx, o.counted(t)); err != nil {
		return nil, err
	}
	if err := b.locateFirst(ctx, t); err != nil {
		return nil, err
	}
	return b.reportAll(t), nil
}

func (b *Batch) locateFirst(ctx context.Context, t *tally) error {
	if t.firstFail == nil || len(t.firstFail.Aside.Missing) == 0 {
		return nil
	}
	if ctx.Err() != nil {
		b.cutShort = true
		return nil
	}
	one, err := b.Alone(*t.failed[0].Permutation)
	if err != nil {
		return err
	}
	located, err := runOne(ctx, one, Options{Machine: b.Options}, new(outputs.Set))
	if err == nil && located.Digest == t.firstFail.Digest {
		t.firstFail = located
	}
	if ctx.Err() != nil {
		b.cutShort = true
		return nil // keep the report of the runs before
	}
	return err
}

func (b *Batch) reportAll(t *tally) *outcome.Report {
	c, n := b.Config, b.processors()
	r := &outcome.Report{
		Schema: outcome.ReportSchema, Scenario: c.Name, Seed: c.Seed, Engine: b.about.Engine, Verdict: outcome.VerdictPass,
		Rules: b.about.Rules, ViolationsTotal: t.broken,
		Slots: t.slotsMax, Cycles: t.slotsMax * b.slotCycles, Frames: t.frames,
		Firmware: b.firmware(t),
		Notes:    c.Known.Notes,
		Digest:   t.digest(),
		Beside: outcome.Beside{Provenance: c.Source.Provenance,
			Aside: outcome.Aside{CutShort: b.cutShort, Command: c.Source.RunCommand}},
	}
	r.NoteTrust(t.onTrust)
	statistics := t.statistics()
	r.Metrics.Add("permutations", int(t.runs))
	r.Metrics.Add("failed", int(t.failedAll))
	if t.worst != nil {
		slots, steps := statistics.Get("slots"), statistics.Get("steps")
		r.Metrics.Add("slots_mean", *slots.Mean)
		r.Metrics.Add("slots_max", int(*slots.Max))
		r.Metrics.Add("steps_max", int(*steps.Max))
		r.Metrics.Add("worst_permutation", PermutationNumber(n, *t.worst.Permutation))
		r.Notes = append(r.Notes, fmt.Sprintf("of the permutations that passed, %d takes the most slots; alone: %s",
			*t.worst.Permutation, outcome.Alone(c.Seed, t.worst.Permutation)))
	}
	if held := statistics.Get("packets_per_processor_max"); held != nil {
		r.Metrics.Add("packets_per_processor_max", int(*held.Max))
	}
	if t.firstFail != nil {
		first := t.failed[0].Permutation
		failing := PermutationNumber(n, *first)
		r.Aside.Alone = outcome.Alone(c.Seed, first)
		r.Verdict = outcome.VerdictFail
		r.Metrics.Add("failing_permutation", failing)
		r.Notes = append(r.Notes,
			fmt.Sprintf("permutation %d is the first that fails; alone: %s", *first, outcome.Alone(c.Seed, first)))
		if t.worst != nil {
			r.Notes = append(r.Notes, "slots and cycles are the most that any run took; "+
				"slots_mean, slots_max, steps_max and worst_permutation are those of the runs that passed")
		}
		for _, v := range t.firstFail.Violations {
			v.Message = fmt.Sprintf("permutation %v: %s", failing, v.Message)
			r.Violations = append(r.Violations, v)
		}
	}
	if t.runs < b.total {
		r.Verdict = outcome.VerdictFail
		r.ViolationsTotal++
		r.Violations = append(r.Violations, outcome.Violation{
			Rule: outcome.RuleInterrupted, Path: c.Network.Kind(),
			Message: fmt.Sprintf("interrupted after %d of %d permutations", t.runs, b.total),
		})
	}
	return r
}
