package runs

import (
	"context"
	"fmt"
	"io"

	"starloom/fabric"
	"starloom/hw"
	"starloom/internal/emulator"
	"starloom/internal/outcome"
	"starloom/internal/outputs"
	"starloom/traces"
	"starloom/traces/input"
)

// bareState is a run of bare packets as a hw.Stateful.
type bareState struct {
	*bareRun
	err error // the first reason why what was read cannot be
}

// Path implements hw.Stateful: what is the same in states of other machines has the same name.
func (s *bareState) Path() string { return "machine" }

// State implements hw.Stateful. What was to be sent follows from scenario and seed.
func (s *bareState) State(v *hw.StateVisitor) {
	fail := func(err error) {
		if s.err == nil {
			s.err = err
		}
	}
	rtl := ""
	if s.rtl != nil {
		rtl = s.rtl.Identity()
	}
	emulator.StateIdentity(v, emulator.IdentityOf(s.config, outcome.ImageNone, s.seed), emulator.Identity{Name: "rtl", Text: rtl, Other: "other RTL"})
	emulator.StateViolations(v, &s.missing, fail)
	if s.faults != nil {
		hw.StateColumn(v, "harm", s.packets.Harm)
		s.faults.State(v)
	}
	v.Within(s.kernel)
	v.AfterRestore(func() {
		if cycle := s.kernel.Cycle(); cycle > uint64(s.config.Slots) {
			fail(fmt.Errorf("it is of cycle %d, and the run ends with cycle %d", cycle, s.config.Slots))
		}
		if s.rtl != nil {
			fail(s.rtl.Loop.Restored())
		}
	})
}

func (r *bareRun) save(to io.Writer) error { return hw.Save(to, &bareState{bareRun: r}) }

func (r *bareRun) restore(from io.Reader) error {
	s := &bareState{bareRun: r}
	if err := hw.Restore(from, s); err != nil || s.err == nil {
		return err
	}
	return fmt.Errorf("restoring state: %w", s.err)
}

// resume refuses what no run can stop at or save, and brings the run to the state that is restored.
func (r *bareRun) resume(o *Options) error {
	if err := o.checkSave(); err != nil {
		return err
	}
	if err := o.BreakOn.check(r.rules()); err != nil {
		return err
	}
	if rule := o.BreakOn.Rule; rule == fabric.RuleInOrder || rule == fabric.RuleFinishBy {
		return &input.Error{Place: "--break-on", Reason: "without firmware " + rule + " is looked at when the run has ended",
			Remedy: "take the cycle that the violation names: --break-on slot=N"}
	}
	r.breakOn = Break{Rule: o.BreakOn.Rule}
	if o.Restore != "" {
		if err := restoreFile(r.restore, o.Restore); err != nil {
			return err
		}
		r.begin = r.kernel.Cycle()
		if err := o.past(uint32(r.begin), r.missing); err != nil {
			return err
		}
	}
	if o.Save != "" && r.rtl != nil { // not every simulator can save its state: say so before the run
		if err := r.save(io.Discard); err != nil {
			return &input.Error{Place: "--save", Reason: err.Error(), Remedy: "use the backend wasm, or delete --save"}
		}
	}
	return nil
}

// toStop runs to the end or the break, and writes the states that are wanted: on the way, and where it ends.
func (r *bareRun) toStop(ctx context.Context, o *Options, out *outputs.Set) error {
	limit := uint64(r.config.Slots)
	file, err := (*traces.File)(nil), error(nil)
	if o.Save != "" {
		if file, err = out.OpenQuietly("--save", "state", outputs.File(o.Save)); err != nil {
			return err
		}
	}
	for {
		stop := limit
		if every := uint64(o.CheckpointEvery); every > 0 {
			stop = min(stop, (r.kernel.Cycle()/every+1)*every)
		}
		if o.BreakOn.Slot > 0 {
			stop = min(stop, uint64(o.BreakOn.Slot))
		}
		goesOn := r.cycles(ctx, stop, func(cycles uint64) {
			if o.Progress != nil {
				o.Progress(Progress{Slots: uint32(cycles), SlotsLimit: r.config.Slots, Processors: len(r.network.Packets.Source)})
			}
		})
		if !goesOn {
			break
		}
		if r.paused = o.BreakOn.reached(uint32(r.kernel.Cycle()), r.missing); r.paused != "" {
			break
		}
		if err := writeState(r.save, o.Save); err != nil {
			return err
		}
	}
	if file == nil {
		return nil
	}
	if r.rtl != nil && r.rtl.Failed() {
		file.Abort()
		return nil
	}
	out.Written = append(out.Written, outcome.OutputFile{Kind: "state", Path: o.Save})
	return r.save(file)
}

// stopNote says how to go on, "" for a run that has ended.
func (r *bareRun) stopNote(o *Options) string {
	switch {
	case r.paused != "":
		return o.stopped(uint32(r.kernel.Cycle()), r.paused)
	case r.cut && o.Save != "":
		return fmt.Sprintf("go on with --restore %s, the state before slot %d", outcome.ShellQuote(o.Save), r.kernel.Cycle())
	}
	return ""
}
