package runs

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/firmware/variables"
	"starloom/internal/config"
	"starloom/internal/emulator"
	"starloom/internal/outputs"
	"starloom/internal/record"
	"starloom/traces"
	"starloom/traces/input"
)

func passes() []pass {
	return []pass{
		new(scenes),
		new(checkpoints),
		new(separation),
		new(losses),
		new(lateness),
		new(retelling),
		new(recording),
		new(runTable),
		new(packets),
		new(pictures),
		new(replay),
		new(profile),
	}
}

func runOne(ctx context.Context, c *config.Config, o Options, out *outputs.Set) (report *outcome.Report, err error) {
	if err := o.refuseBare(c); err != nil {
		return nil, err
	}
	r := &run{config: c, options: &o, settings: o.Machine, out: out}
	inOrder := passes()
	opposite := slices.Clone(inOrder)
	slices.Reverse(opposite)

	if err := each(inOrder, func(p pass) error { return p.ask(r) }); err != nil {
		return nil, err
	}
	if r.machine, err = emulator.New(ctx, c, r.settings); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.machine.Release()) }()
	for _, step := range []func(pass) error{
		func(p pass) error { return p.begin(r) },
		func(p pass) error { return p.open(r) },
		func(p pass) error { return p.run(ctx, r) },
	} {
		if err := each(inOrder, step); err != nil {
			return nil, err
		}
	}

	r.report = r.machine.Sum()
	r.report.Aside.Command = c.Source.RunCommand + c.Source.RunOne
	r.machine.Attach(nil, false, false)
	if err := each(opposite, func(p pass) error { return p.end(r) }); err != nil {
		return nil, err
	}
	if !r.machine.Paused { // a paused run cannot be repeated whole
		if err := each(inOrder, func(p pass) error { return p.repeat(ctx, r) }); err != nil {
			return nil, err
		}
	}
	if command := r.showVariables(); command != "" {
		r.report.Aside.Variables = &outcome.Variables{Command: command}
	}
	return r.report, each(opposite, func(p pass) error { return p.finish(ctx, r) })
}

func each(passes []pass, step func(pass) error) error {
	for _, p := range passes {
		if err := step(p); err != nil {
			return err
		}
	}
	return nil
}

// replay repeats the handler calls of one processor in isolation, and writes their inputs and actions.
type replay struct {
	nothing
	file   *traces.File      // nil for none
	layout *variables.Layout // nil without variables
}

func (p *replay) ask(r *run) error {
	o := r.options
	r.settings.Probes = o.Probes
	if err := o.checkVariables(r.config.Bare()); err != nil || !o.Replay.Output.Given() {
		return err
	}
	r.settings.Replay = o.Replay.Processor + 1
	return o.checkReplay(r.config.Network.Shape().Processors())
}

func (o *Options) checkReplay(processors int) error {
	if 0 <= o.Replay.Processor && o.Replay.Processor < processors {
		return nil
	}
	return input.Mistake("--replay", fmt.Sprintf("there is no processor %d", o.Replay.Processor),
		fmt.Sprintf("allowed: 0 to %d", processors-1))
}

// checkVariables rejects options about variables without the outputs that contain them.
func (o *Options) checkVariables(bare bool) error {
	option := "--vars"
	switch {
	case len(o.Probes) > 0 && !o.Record.VCD.Given() && !o.Reports.HTML.Given():
		return input.Mistake("--probe", "variables are signals of a waveform, but no waveform is requested",
			"give --vcd F or --html F")
	case o.Replay.Variables && !o.Replay.Output.Given():
		return input.Mistake("--vars", "variables belong to the replay of one processor", "give --replay P, too")
	case !o.Replay.Variables:
		option = "--probe"
	}
	if bare && (o.Replay.Variables || len(o.Probes) > 0) {
		return input.Mistake(option, "there is no firmware: processors are sources and sinks of packets", "delete it")
	}
	return nil
}

func (p *replay) begin(r *run) (err error) {
	if r.options.Replay.Variables {
		if p.layout, err = r.machine.StateLayout(); err != nil {
			return err
		}
	}
	if r.options.Replay.Output.Given() && r.options.State.Restore != "" {
		return r.machine.ResumeReplay()
	}
	return nil
}

func (p *replay) open(r *run) (err error) {
	p.file, err = r.out.OpenQuietly("--replay", "replay", r.options.Replay.Output)
	return err
}

func (p *replay) end(r *run) error {
	if p.file == nil {
		return nil
	}
	return r.machine.WriteReplay(p.file, r.report, p.layout)
}

// separation repeats a failed run without its faults to separate the violations that they cause. For a page it also
// repeats the run with each fault alone, unless that takes long.
type separation struct{ nothing }

func (separation) repeat(ctx context.Context, r *run) error {
	defer r.machine.TellWays(r.report)
	if err := r.machine.Separate(ctx, r.report, r.repeated()); err != nil || !r.options.Reports.HTML.Given() {
		return err
	}
	if _, long := r.long(uint32(r.report.Slots)); long {
		return nil
	}
	return r.machine.Blame(ctx, r.report, r.repeated())
}

type lateness struct{ nothing }

func (lateness) repeat(ctx context.Context, r *run) error {
	return r.machine.Lateness(ctx, r.report, r.repeated())
}

type losses struct{ nothing }

func (losses) repeat(ctx context.Context, r *run) error {
	return r.machine.LocateLosses(ctx, r.report, r.repeated())
}

type retelling struct{ nothing }

func (retelling) repeat(ctx context.Context, r *run) error {
	if err := r.machine.Retell(ctx, r.report, r.repeated()); err != nil || !r.options.Reports.HTML.Given() {
		return err
	}
	return r.machine.Resume(ctx, r.report, r.repeated())
}

type recording struct {
	nothing
	*record.Recording
}

func (p *recording) open(r *run) (err error) {
	p.Recording, err = record.Begin(r.machine, r.options.Record, r.out)
	return err
}

func (p *recording) end(*run) error { return p.End() }

func (p *recording) repeat(ctx context.Context, r *run) error {
	return p.RepeatWaveform(ctx, r.machine, r.report, r.repeated())
}

func (p *recording) finish(_ context.Context, r *run) error {
	p.MarkFaults(r.report)
	p.MarkLatest(r.report)
	return p.Finish(r.report.Violations, r.report.Cycles)
}

// profile repeats the run up to its longest call, and writes the cost of this call by place.
type profile struct {
	nothing
	folded *traces.File // nil for none
}

func (p *profile) ask(r *run) error {
	if r.options.Profile.Given() && r.config.Firmware.CPU == nil {
		return input.Mistake("--profile", "firmware.cpu has no model: handlers take no time",
			"add cpu: {model: rv32-inorder} under firmware")
	}
	return nil
}

func (p *profile) open(r *run) (err error) {
	p.folded, err = r.out.OpenQuietly("--profile", "profile", r.options.Profile)
	return err
}

// finish repeats the run even after a break, because an interrupted run also has a longest call.
func (p *profile) finish(ctx context.Context, r *run) error {
	if err := r.machine.ProfileWorst(ctx, r.report, p.folded != nil, r.repeated()); err != nil {
		return err
	}
	switch worst := r.report.Firmware.Cycles; {
	case p.folded == nil || worst == nil:
		return nil
	case worst.Worst == nil || worst.Worst.Profile == nil:
		p.folded.Abort()
		return nil
	}
	r.out.Written = append(r.out.Written, outcome.OutputFile{Kind: "profile", Path: p.folded.Path()})
	return r.report.Firmware.Cycles.Worst.Profile.WriteFolded(p.folded)
}

type runTable struct {
	nothing
	csv, svg *traces.File
}

func (p *runTable) ask(r *run) error {
	r.settings.RunTable = r.options.runTable()
	return nil
}

func (p *runTable) begin(r *run) error {
	m := r.machine
	if m.RunTable() != nil || !r.options.runTable() {
		return nil
	}
	if program := m.Program; program != nil && program.Workloads == nil {
		return input.Mistake("--run-table", "the program "+program.Name+" has no run-table", "delete the option")
	}
	kind, remedy := r.config.Workload.Kind(), "delete the option"
	if own := tabled(m.Network); own != "" {
		remedy = own
	} else if kind != fabric.WorkloadGossip && kind != fabric.WorkloadOneToAll {
		remedy = fmt.Sprintf("run a scenario with workload: {%s: %s} or {%s: %s}",
			fabric.WorkloadGossip, config.WorkloadExample[fabric.WorkloadGossip],
			fabric.WorkloadOneToAll, config.WorkloadExample[fabric.WorkloadOneToAll])
	}
	return &input.Error{Place: "--run-table",
		Reason: fmt.Sprintf("%s with the workload %s has no run-table", m.Network.Kind(), kind), Remedy: remedy}
}

// tabled names a program and a workload with a run-table on the network, "" for none.
func tabled(network fabric.Network) string {
	for _, w := range []fabric.Workload{{Gossip: &fabric.Gossip{}}, {OneToAll: &fabric.OneToAll{}}, {}} {
		for _, p := range network.Programs() {
			if _, ok := network.Referee(&w, &p).(fabric.Tabled); ok && slices.Contains(p.Workloads, w.Kind()) {
				return fmt.Sprintf("write firmware: {program: %s} and workload: {%s: %s}", p.Name, w.Kind(),
					config.WorkloadExample[w.Kind()])
			}
		}
	}
	return ""
}

func (p *runTable) open(r *run) (err error) {
	if p.csv, err = r.out.Open("--run-table", "run-table", r.options.RunTables.CSV); err != nil {
		return err
	}
	p.svg, err = r.out.Open("--run-table", "run-table", r.options.RunTables.SVG)
	return err
}

func (p *runTable) end(r *run) (err error) {
	if p.csv != nil {
		err = r.machine.RunTable().WriteCSV(p.csv)
	}
	if p.svg != nil {
		err = errors.Join(err, r.machine.RunTable().WriteSVG(p.svg))
	}
	return err
}

type packets struct {
	nothing
	file *traces.File // nil for none
}

func (p *packets) ask(r *run) error {
	if r.settings.Packets = r.options.Packets.Given(); !r.settings.Packets || r.config.Traffic != nil ||
		fabric.RoutersOf(r.config.Network) != nil {
		return nil
	}
	return &input.Error{Place: "--packets",
		Reason: fmt.Sprintf("the workload %s has no packets of traffic", r.config.Workload.Kind()),
		Remedy: fmt.Sprintf("run a scenario with workload: {%s: %s}", fabric.WorkloadTraffic,
			config.WorkloadExample[fabric.WorkloadTraffic])}
}

func (p *packets) open(r *run) (err error) {
	p.file, err = r.out.Open("--packets", "packets", r.options.Packets)
	return err
}

func (p *packets) end(r *run) error {
	if p.file == nil {
		return nil
	}
	return r.machine.WritePackets(p.file)
}

// Run runs the scenario once, or once for every permutation.
func (b *Batch) Run(ctx context.Context, o Options) (report *outcome.Report, err error) {
	if err := b.Expect.Check(b.Config.Rules.Checked()); err != nil {
		return nil, err
	}
	if o.State.Restore != "" {
		defer refuseBroken(o.State.Restore, &err)
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

// RunSeeds runs the scenario for each seed and rate of its faults.
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
	if err := b.detail(ctx, report, o); err != nil {
		return nil, err
	}
	report.Files, err = reports.commit(report, t)
	return report, err
}
