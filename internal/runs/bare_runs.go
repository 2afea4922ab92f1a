package runs

import (
	"context"
	"errors"
	"slices"

	"starloom/internal/config"
	"starloom/internal/emulator"
	"starloom/internal/outcome"
	"starloom/internal/outputs"
	"starloom/internal/record"
	"starloom/internal/rtl"
	"starloom/traces/input"
)

// refuseBare refuses what is about firmware.
func (o *Options) refuseBare(c *config.Config) error {
	for _, x := range []struct {
		option string
		asked  bool
	}{
		{"--log", o.Record.Log.Given()}, {"--run-table", o.runTable()}, {"--profile", o.Profile.Given()}, {"--survival", o.survival()},
	} {
		if x.asked {
			return &input.Error{Place: x.option, Reason: "there is no firmware: processors are sources and sinks of packets",
				Remedy: "delete it; --packets has every packet"}
		}
	}
	if o.Machine.Engine == emulator.EngineSlot {
		return emulator.NoSlots(c.Network, false)
	}
	return nil
}

// runBare runs routers without firmware once.
func runBare(ctx context.Context, c *config.Config, o *Options, out *outputs.Set) (report *outcome.Report, ended error) {
	if err := o.refuseBare(c); err != nil {
		return nil, err
	}
	r, end, err := newBareRun(ctx, c, c.Seed, o.Machine.Workers, rtl.OfRTL)
	if err != nil {
		return nil, err
	}
	defer func() { ended = errors.Join(ended, end()) }()
	if err := r.resume(o); err != nil {
		return nil, err
	}
	file, err := out.Open("--packets", "packets", o.Packets)
	if err != nil {
		return nil, err
	}
	recorded, err := record.BeginBare(r.recorded(), o.Record, out)
	if err != nil {
		return nil, err
	}
	replay, err := r.openReplay(o, out)
	if err != nil {
		return nil, err
	}
	r.watch = recorded.Watch()
	r.look(o)
	if err := r.toStop(ctx, o, out); err != nil {
		return nil, err
	}
	if r.paused == "" {
		r.finish()
	}
	if r.watchErr != nil {
		return nil, r.watchErr
	}
	if file != nil {
		if err := r.packets.WritePackets(file); err != nil {
			return nil, err
		}
	}
	if replay != nil {
		if err := r.writeReplay(replay, o.ReplayProcessor); err != nil {
			return nil, err
		}
	}
	report = r.report()
	if note := r.stopNote(o); note != "" {
		report.Notes = append(slices.Clip(report.Notes), note)
	}
	if err := r.separate(ctx, report, o.Machine.Workers); err != nil {
		return nil, err
	}
	if err := r.record(ctx, report, recorded, o.Machine.Workers); err != nil {
		return nil, err
	}
	if o.HTML.Given() {
		r.known(report)
	}
	return report, r.draw(report, o, out)
}

// recorded is what is recorded of the run.
func (r *bareRun) recorded() *record.BareRun {
	return &record.BareRun{Config: r.config, Seed: r.seed, Network: r.network, Packets: r.packets, Begin: r.begin}
}

// record writes what is recorded when the run has ended, which is repeated for a waveform of its first violation.
func (r *bareRun) record(ctx context.Context, report *outcome.Report, recorded *record.Bare, workers int) (err error) {
	if recorded.Again(report) && r.paused == "" {
		again, end, err := newBareRun(ctx, r.config, r.seed, workers, rtl.OfRTL)
		if err != nil {
			return err
		}
		if again.watch, err = recorded.Repeat(again.recorded(), report); err == nil {
			again.run(ctx, func(uint64) {})
			err = again.watchErr
		}
		if err = errors.Join(err, end()); err != nil {
			return err
		}
	}
	return recorded.Finish(r.recorded(), report)
}

// BareRules are what a run without firmware is held to, and the paths of the routers that are RTL, none of which is compiled. An error is what refuses
// a run.
func BareRules(ctx context.Context, c *config.Config) (rules, replaced []string, err error) {
	r, end, err := newBareRun(ctx, c, c.Seed, 1, rtl.Models)
	if err != nil {
		return nil, nil, err
	}
	if r.rtl != nil {
		for _, part := range r.rtl.Recorded {
			replaced = append(replaced, part.Path)
		}
	}
	return r.rules(), replaced, end()
}

// eachBare is Each of routers without firmware, one run after the other.
func (b *Batch) eachBare(ctx context.Context, take func(r *BatchRun, total uint64) error) error {
	for i := range b.total {
		run, err := b.oneBare(ctx, i)
		if err != nil || run == nil {
			return err
		}
		if b.about == nil {
			b.about, b.slotCycles = run.Report, 1
		}
		if err := take(run, b.total); err != nil {
			return err
		}
	}
	return nil
}

// oneBare is One of routers without firmware.
func (b *Batch) oneBare(ctx context.Context, i uint64) (*BatchRun, error) {
	run := b.Numbered(i)
	r, end, err := newBareRun(ctx, b.Config, run.Seed, b.Options.Workers, rtl.OfRTL)
	if err != nil {
		return nil, err
	}
	r.run(ctx, func(uint64) {})
	run.Report, run.digest, run.Finished = r.report(), r.packets.Digest(), r.network.Done()
	if err := end(); err != nil || r.cut {
		return nil, err
	}
	return &run, nil
}

// known notes what the run knows of itself, for its page.
func (r *bareRun) known(report *outcome.Report) {
	k, n := &report.Aside.Known, r.config.Network
	shape := n.Shape()
	noteProcessors(k, n.Names(), shape.Processors())
	k.Means = means(report, n)
	if numbering := processorPaths(n.Names(), &shape); numbering != "" {
		k.Paths = append(k.Paths, numbering)
	}
	if command := report.Aside.Command; command != "" && report.Verdict == outcome.VerdictFail && report.Expect == nil {
		report.Aside.Remedies = []outcome.Remedy{meant(command, "If the run is to show this failure")}
	}
}

// separate repeats a run with faults that has failed without them: which violations are theirs.
func (r *bareRun) separate(ctx context.Context, report *outcome.Report, workers int) error {
	if r.faults == nil || report.Verdict == outcome.VerdictPass || r.cut || r.paused != "" || r.rtl != nil {
		return nil
	}
	c := *r.config
	c.Faults, c.Rules.Credits = nil, false
	sound, end, err := newBareRun(ctx, &c, r.seed, workers, rtl.OfRTL)
	if err != nil {
		return err
	}
	if sound.run(ctx, func(uint64) {}); !sound.cut {
		s := sound.report()
		report.Without = &outcome.WithoutFaults{Verdict: s.Verdict, ViolationsTotal: s.ViolationsTotal, Slots: s.Slots, Frames: s.Frames, Digest: s.Digest}
		outcome.NoteCauses(report, s)
	}
	return end()
}
