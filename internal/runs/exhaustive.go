package runs

import (
	"context"
	"fmt"
	"slices"
	"starloom/internal/outcome"
	"starloom/internal/outputs"
)

// AllProcessorsMax bounds `permutation: all`: 10! is 3,628,800 runs.
const AllProcessorsMax = 10

// runAll runs every permutation of a small network with the scenario's seed, and
// reports the one that takes the most slots and the first that fails.
func runAll(ctx context.Context, b *Batch, o Options, t *tally) (*outcome.Report, error) {
	if err := o.refuseTraces("permutation: all is many", "run one of them alone with --permutation K"); err != nil {
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

// locateFirst repeats the first permutation that fails alone, which says where its
// packets were lost.
func (b *Batch) locateFirst(ctx context.Context, t *tally) error {
	if t.firstFail == nil || len(t.firstFail.Aside.Missing) == 0 {
		return nil
	}
	if ctx.Err() != nil {
		b.cutShort = true
		return nil
	}
	one, err := b.Alone(*t.Failed[0].Permutation)
	if err != nil {
		return err
	}
	located, err := runOne(ctx, one, Options{Machine: b.Options}, new(outputs.Set))
	if err == nil && located.Digest == t.firstFail.Digest {
		t.firstFail = located
	}
	if ctx.Err() != nil {
		b.cutShort = true
		return nil // the report is that of the runs before
	}
	return err
}

// reportAll sums up. Slots are the most that any run took; frames, violations and
// what handlers took are those of all runs.
func (b *Batch) reportAll(t *tally) *outcome.Report {
	c, n := b.Config, b.processors()
	r := &outcome.Report{
		Schema: outcome.ReportSchema, Scenario: c.Name, Seed: c.Seed, Engine: b.About.Engine, Verdict: outcome.VerdictPass,
		Rules: b.About.Rules, ViolationsTotal: t.broken,
		Slots: t.slotsMax, Cycles: t.slotsMax * b.slotCycles, Frames: t.frames,
		Firmware: b.Firmware(t),
		Notes:    c.Known.Notes,
		Digest:   t.digest(),
		Aside:    outcome.Aside{CutShort: b.cutShort},
	}
	r.NoteTrust(t.onTrust)
	statistics := t.Statistics()
	r.Metrics.Add("permutations", int(t.runs))
	r.Metrics.Add("failed", int(t.FailedAll))
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
		first := t.Failed[0].Permutation
		failing := PermutationNumber(n, *first)
		r.Verdict = outcome.VerdictFail
		r.Metrics.Add("failing_permutation", failing)
		r.Notes = append(r.Notes, fmt.Sprintf("permutation %d is the first that fails; alone: %s", *first, outcome.Alone(c.Seed, first)))
		if t.worst != nil {
			r.Notes = append(r.Notes, "slots and cycles are the most that any run took; "+
				"slots_mean, slots_max, steps_max and worst_permutation are those of the runs that passed")
		}
		for _, v := range t.firstFail.Violations {
			v.Message = fmt.Sprintf("permutation %v: %s", failing, v.Message)
			r.Violations = append(r.Violations, v)
		}
	}
	if t.runs < b.Total {
		r.Verdict = outcome.VerdictFail
		r.ViolationsTotal++
		r.Violations = append(r.Violations, outcome.Violation{
			Rule: outcome.RuleInterrupted, Path: c.Network.Kind(),
			Message: fmt.Sprintf("interrupted after %d of %d permutations", t.runs, b.Total),
		})
	}
	return r
}

// PermutationNumber returns permutation k of 0..n-1 in lexicographic order.
func PermutationNumber(n int, k uint64) []uint32 {
	radix := uint64(1)
	for i := range n {
		radix *= uint64(i + 1)
	}
	left := make([]uint32, n)
	for i := range left {
		left[i] = uint32(i)
	}
	p := make([]uint32, 0, n)
	for i := n; i > 0; i-- {
		radix /= uint64(i)
		at := int(k / radix)
		k %= radix
		p = append(p, left[at])
		left = slices.Delete(left, at, at+1)
	}
	return p
}

// NextPermutation changes p into the next one in lexicographic order; the last
// one stays.
func NextPermutation(p []uint32) {
	i := len(p) - 2
	for i >= 0 && p[i] >= p[i+1] {
		i--
	}
	if i < 0 {
		return
	}
	j := len(p) - 1
	for p[j] <= p[i] {
		j--
	}
	p[i], p[j] = p[j], p[i]
	slices.Reverse(p[i+1:])
}
