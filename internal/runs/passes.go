package runs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"starloom/fabric"
	"starloom/internal/config"
	"starloom/internal/emulator"
	"starloom/internal/outcome"
	"starloom/internal/outputs"
	"starloom/internal/record"
	"starloom/traces"
	"starloom/traces/input"
)

// refuseStates refuses what is about the state of one run. many says why there are many.
func (o *Options) refuseStates(many, remedy string) error {
	for _, one := range []struct {
		option string
		given  bool
	}{
		{"--save", o.Save != ""}, {"--restore", o.Restore != ""}, {"--checkpoint-every", o.CheckpointEvery > 0}, {"--break-on", o.BreakOn != Break{}},
	} {
		if one.given {
			return &input.Error{Place: one.option, Reason: "a state is that of one run, and " + many, Remedy: remedy}
		}
	}
	return nil
}

// checkReplay refuses a replay of a processor that is not there.
func (o *Options) checkReplay(c *config.Config) error {
	if n := c.Network.Shape().Processors(); o.ReplayProcessor < 0 || o.ReplayProcessor >= n {
		return &input.Error{Place: "--replay", Reason: fmt.Sprintf("there is no processor %d", o.ReplayProcessor), Remedy: fmt.Sprintf("allowed are 0 to %d", n-1)}
	}
	return nil
}

// runOne emulates one permutation and writes its traces.
func runOne(ctx context.Context, c *config.Config, o Options, out *outputs.Set) (report *outcome.Report, err error) {
	if o.Profile.Given() && c.Firmware.CPU == nil {
		return nil, &input.Error{
			Place: "--profile", Reason: "firmware.cpu has no model: handlers take no time",
			Remedy: "add cpu: {model: rv32-inorder} to the key firmware",
		}
	}
	machine := o.Machine
	machine.RunTable = o.RunTableCSV.Given() || o.RunTableSVG.Given()
	if o.Replay.Given() {
		if err := o.checkReplay(c); err != nil {
			return nil, err
		}
		machine.Replay = o.ReplayProcessor + 1
	}
	m, err := emulator.New(ctx, c, machine)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.Release()) }()
	table := m.RunTable()
	if p := m.Program; machine.RunTable && table == nil && p != nil && p.Workloads == nil {
		return nil, &input.Error{Place: "--run-table", Reason: "the program " + p.Name + " has no run-table", Remedy: "delete the option"}
	}
	if machine.RunTable && table == nil {
		remedy := fmt.Sprintf("run a scenario with workload: {%s: %s} or {%s: %s}",
			fabric.WorkloadGossip, config.WorkloadExample[fabric.WorkloadGossip], fabric.WorkloadOneToAll, config.WorkloadExample[fabric.WorkloadOneToAll])
		if kind := c.Workload.Kind(); kind == fabric.WorkloadGossip || kind == fabric.WorkloadOneToAll {
			remedy = "delete the option"
		}
		return nil, &input.Error{
			Place:  "--run-table",
			Reason: fmt.Sprintf("%s with the workload %s has no run-table", m.Network.Kind(), c.Workload.Kind()),
			Remedy: remedy,
		}
	}
	points, err := openCheckpoints(m, &o, out)
	if err != nil {
		return nil, err
	}
	if o.Replay.Given() && o.Restore != "" {
		if err := m.ResumeReplay(); err != nil {
			return nil, err
		}
	}
	recording, err := record.Begin(m, o.Record, out)
	if err != nil {
		return nil, err
	}
	csv, err := out.Open("--run-table", "run-table", o.RunTableCSV)
	if err != nil {
		return nil, err
	}
	svg, err := out.Open("--run-table", "run-table", o.RunTableSVG)
	if err != nil {
		return nil, err
	}
	replay, err := out.OpenQuietly("--replay", "replay", o.Replay)
	if err != nil {
		return nil, err
	}
	folded, err := out.OpenQuietly("--profile", "profile", o.Profile)
	if err != nil {
		return nil, err
	}
	if err := points.run(ctx, m, func() error {
		if o.Progress != nil {
			o.Progress(Progress{Slots: m.Slots(), SlotsLimit: c.Slots, Done: m.Done, Processors: m.Shape.Processors()})
		}
		return nil
	}); err != nil {
		return nil, err
	}
	report = m.Sum()
	m.Attach(nil, false, false)
	if replay != nil {
		if err := m.WriteReplay(replay, report); err != nil {
			return nil, err
		}
	}
	if err := points.finish(m, report, out); err != nil {
		return nil, err
	}
	if csv != nil {
		err = table.WriteCSV(csv)
	}
	if svg != nil {
		err = errors.Join(err, table.WriteSVG(svg))
	}
	if err != nil {
		return nil, err
	}
	repeated := func() error {
		if o.Progress != nil {
			o.Progress(Progress{Slots: m.Slots(), SlotsLimit: uint32(report.Slots), Done: m.Done, Processors: m.Shape.Processors(), Repeated: true})
		}
		return nil
	}
	if !m.Paused { // these repeat the whole run
		if err := m.Separate(ctx, report, repeated); err != nil {
			return nil, err
		}
		if err := m.LocateLosses(ctx, report, repeated); err != nil {
			return nil, err
		}
		if err := recording.RepeatWaveform(ctx, m, report, repeated); err != nil {
			return nil, err
		}
	}
	if err := m.ProfileWorst(ctx, report, folded != nil, repeated); err != nil {
		return nil, err
	}
	if err := writeProfile(folded, report, out); err != nil {
		return nil, err
	}
	return report, recording.Finish(report.Violations, report.Cycles)
}

// writeProfile writes the profile of the longest call, if there is one.
func writeProfile(folded *traces.File, report *outcome.Report, out *outputs.Set) error {
	switch worst := report.Firmware.Cycles; {
	case folded == nil || worst == nil:
		return nil
	case worst.Worst == nil || worst.Worst.Profile == nil:
		folded.Abort()
		return nil
	}
	out.Written = append(out.Written, outcome.OutputFile{Kind: "profile", Path: folded.Path()})
	return report.Firmware.Cycles.Worst.Profile.WriteFolded(folded)
}

// checkSurvival refuses outputs of runs with faults that they do not have.
func (o *Options) checkSurvival(b *Batch) error {
	if (o.SurvivalCSV.Given() || o.SurvivalSVG.Given()) && len(b.Config.Faults) == 0 {
		return &input.Error{Place: "--survival", Reason: "the scenario has no faults", Remedy: "write some under faults, or delete the option"}
	}
	if o.JUnit.Given() && len(b.Rates) > 0 {
		return &input.Error{
			Place: "--junit", Reason: "a JUnit file has one test case for each seed, and with rates each is run several times",
			Remedy: "write one rate in the place of rates",
		}
	}
	return nil
}

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

// refuseTraces refuses what shows one run only. many says why there are many.
func (o *Options) refuseTraces(many, remedy string) error {
	for _, trace := range []struct {
		option string
		to     outputs.Output
		what   string
	}{
		{"--vcd", o.Record.VCD, "a waveform"}, {"--vcd", o.Record.GTKW, "a save file goes with a waveform, which"},
		{"--pcapng", o.Record.PCAPNG, "a packet capture"}, {"--pcapng", o.Record.Lua, "a dissector goes with a packet capture, which"},
		{"--log", o.Record.Log, "a log"}, {"--run-table", o.RunTableCSV, "a run-table"}, {"--run-table", o.RunTableSVG, "a run-table"},
		{"--replay", o.Replay, "a replay"}, {"--profile", o.Profile, "a profile"},
	} {
		if trace.to.Given() {
			return &input.Error{Place: trace.option, Reason: trace.what + " shows one run, and " + many, Remedy: remedy}
		}
	}
	return o.refuseStates(many, remedy)
}

// counted returns what adds runs to a tally and shows progress.
func (o *Options) counted(t *tally) func(*BatchRun, uint64) error {
	return func(r *BatchRun, total uint64) error {
		if err := t.Add(r); err != nil {
			return err
		}
		if o.Progress != nil {
			o.Progress(Progress{Runs: t.runs, RunsTotal: total})
		}
		return nil
	}
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
