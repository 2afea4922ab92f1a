package starloom

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"starloom/internal/outcome"
	"starloom/internal/strict"
)

// Seeds is a range of seeds, both ends included.
type Seeds struct{ First, Last uint64 }

// String returns A..B.
func (s Seeds) String() string { return outcome.Seeds(s).String() }

// ParseSeeds reads A..B, two integers from 0 to 18446744073709551615 of which A is not
// above B. The error is an *InputError.
func ParseSeeds(text string) (Seeds, error) {
	refuse := func(reason, remedy string) (Seeds, error) {
		return Seeds{}, &InputError{Place: "--seeds", Reason: reason, Remedy: remedy}
	}
	const write = "write the first and the last seed, for example 1..100; allowed are 0 to 18446744073709551615"
	first, last, ok := strings.Cut(text, "..")
	if !ok {
		if strict.PlainInteger(text) {
			return refuse(fmt.Sprintf("%q is one seed", strict.Clip(text)), fmt.Sprintf("write --seed %s, or a range such as 1..100", strict.Clip(text)))
		}
		return refuse(fmt.Sprintf("%q is not a range of seeds", strict.Clip(text)), write)
	}
	a, errA := strconv.ParseUint(first, 10, 64)
	b, errB := strconv.ParseUint(last, 10, 64)
	switch {
	case errA != nil || errB != nil:
		return refuse(fmt.Sprintf("%q is not a range of seeds", strict.Clip(text)), write)
	case a > b:
		return refuse(fmt.Sprintf("the range %d..%d is empty", a, b), fmt.Sprintf("write %d..%d", b, a))
	}
	return Seeds{a, b}, nil
}

// RunSeeds emulates a scenario once for every seed of a range - with `permutation:
// all` once for every seed and permutation - and sums up. The report does not depend
// on the number of workers. Bad input is an *InputError; an output that cannot be written
// ends the runs with its error. When ctx ends, report and
// files cover the runs up to the first one that is missing.
func RunSeeds(ctx context.Context, s *Scenario, seeds Seeds, o RunOptions) (*SeedsReport, error) {
	if err := o.refuseTraces("--seeds asks for many", "run one of them alone with --seed N"); err != nil {
		return nil, err
	}
	if n := outcome.Seeds(seeds).Count(); o.JUnit.given() && n-1 >= outcome.JUnitSeedsMax {
		return nil, &InputError{
			Place: "--junit", Reason: fmt.Sprintf("a JUnit file has a test case for each seed, and %s are too many", seeds),
			Remedy: fmt.Sprintf("give at most %d seeds, or use --csv", outcome.JUnitSeedsMax),
		}
	}
	b, err := s.ratedBatch(seeds, o.MachineOptions)
	if err != nil {
		return nil, err
	}
	if err := o.checkSurvival(b); err != nil {
		return nil, err
	}
	if _, err := b.runs(); err != nil {
		return nil, err
	}
	var out outputs
	defer out.abort()
	if err := out.openReports(o); err != nil {
		return nil, err
	}
	t := newTally(b.permutations > 0, out.rows)
	if err := b.runRates(ctx, t, o); err != nil {
		return nil, err
	}
	report := b.report(t)
	report.Files, err = out.commitReports(report, t)
	return report, err
}

// checkSurvival refuses outputs of runs with faults that they do not have.
func (o *RunOptions) checkSurvival(b *batch) error {
	if (o.SurvivalCSV.given() || o.SurvivalSVG.given()) && len(b.config.Faults) == 0 {
		return &InputError{Place: "--survival", Reason: "the scenario has no faults", Remedy: "write some under faults, or delete the option"}
	}
	if o.JUnit.given() && len(b.rates) > 0 {
		return &InputError{Place: "--junit", Reason: "a JUnit file has one test case for each seed, and with rates each is run several times", Remedy: "write one rate in the place of rates"}
	}
	return nil
}

// runRates runs the batch once for each rate of faults.random, or once.
func (b *batch) runRates(ctx context.Context, t *tally, o RunOptions) error {
	if len(b.rates) == 0 {
		return b.run(ctx, o.counted(t))
	}
	total, err := b.runs()
	if err != nil {
		return err
	}
	take := o.counted(t)
	for _, r := range b.rates {
		one := *b
		one.config, one.rates = r.config, nil
		t.begin(r.rate)
		if err := one.run(ctx, func(run *batchRun, _ uint64) error { return take(run, total) }); err != nil {
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

// refuseTraces refuses what shows one run only. many says why there are many.
func (o *RunOptions) refuseTraces(many, remedy string) error {
	for _, trace := range []struct {
		option string
		to     Output
		what   string
	}{
		{"--vcd", o.VCD, "a waveform"}, {"--vcd", o.GTKW, "a save file goes with a waveform, which"},
		{"--pcapng", o.PCAPNG, "a packet capture"}, {"--pcapng", o.Lua, "a dissector goes with a packet capture, which"}, {"--log", o.Log, "a log"},
		{"--run-table", o.RunTableCSV, "a run-table"}, {"--run-table", o.RunTableSVG, "a run-table"}, {"--replay", o.Replay, "a replay"}, {"--profile", o.Profile, "a profile"},
	} {
		if trace.to.given() {
			return &InputError{Place: trace.option, Reason: trace.what + " shows one run, and " + many, Remedy: remedy}
		}
	}
	return o.refuseStates(many, remedy)
}

// counted returns what adds runs to a tally and shows progress.
func (o *RunOptions) counted(t *tally) func(*batchRun, uint64) error {
	return func(r *batchRun, total uint64) error {
		if err := t.add(r); err != nil {
			return err
		}
		if o.Progress != nil {
			o.Progress(Progress{Runs: t.runs, RunsTotal: total})
		}
		return nil
	}
}

// report sums up the runs of many seeds.
func (b *batch) report(t *tally) *SeedsReport {
	r := &SeedsReport{
		Schema: ReportSchema, Scenario: b.config.Name, Seeds: [2]uint64{b.seeds.First, b.seeds.Last}, Permutations: b.permutations,
		Engine: b.about.Engine, Verdict: VerdictPass, Rules: b.about.Rules, Notes: b.config.Known.Notes,
		Runs: t.runs, RunsTotal: b.total, Statistics: t.statistics(), Failed: t.failed, FailedTotal: t.failedAll,
		Survival: t.curve(), MostSlots: t.worst, Firmware: b.firmware(t), RTL: b.about.RTL, Digest: t.digest(), Aside: outcome.Aside{Command: b.config.Source.RunCommand, RTLCheck: b.about.Aside.RTLCheck, FailedSeeds: t.seeds},
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
	if t.faulty && t.failedAll > 0 {
		r.Notes = append(slices.Clip(r.Notes), "faults and firmware may have broken the rules: a run alone says which violations it has without faults, too")
	}
	if t.failedAll > 0 || t.runs < b.total {
		r.Verdict = VerdictFail
	}
	return r
}
