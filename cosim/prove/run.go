package prove

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"starloom/cosim"
	"starloom/cosim/lockstep"
	"starloom/cosim/pinmap"
)

// Run proves that RTL equals the twin of its model, or finds a difference.
//
// Errors are the context's error and the errors of lockstep.Run about the map and the RTL. An undecided proof is a
// verdict, not an error.
func Run(ctx context.Context, m *pinmap.Map, o Options) (*Report, error) {
	if o.Workers == 0 {
		o.Workers = 2
	}
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	if err := m.Prepare(ctx); err != nil {
		return nil, err
	}
	if g := m.Given(); g != nil && g.Shape.Verilog == "" {
		return nil, &cosim.InputError{Place: m.Place("model"), Reason: "there is no Verilog of the model " + m.Model,
			Remedy: "compare it by `starloom cosim check`, or prove the RTL against other RTL: " +
				"model: {top: MODULE, sources: [FILE]}"}
	}
	model, err := m.NewModel()
	if err != nil {
		return nil, err
	}
	defer model.Close()
	p := &prover{ctx: ctx, options: o, m: m, model: model, report: newReport(m)}
	if p.report.Tools, err = toolVersions(ctx); err != nil {
		return nil, err
	}
	if p.dir = o.Folder; p.dir == "" {
		if p.dir, err = os.MkdirTemp("", "starloom-prove-"); err != nil {
			return nil, err
		}
		defer os.RemoveAll(p.dir)
	}
	err = p.run()
	var refused *refusal
	if errors.As(err, &refused) {
		p.report.undecided(refused.reason)
		p.report.Late, err = refused.late, nil
	}
	if found := p.report.Case; p.report.Verdict == Differs && found.Divergence.Alone {
		p.report.undecided(fmt.Sprintf("%s differs in Verilator, but with the same inputs not in Icarus "+
			"Verilog, which reads it independently: "+
			"one simulator misreads the RTL (usually an index out of range); cosim check shows the "+
			"case", found.Divergence.Signal))
	}
	if err == nil && o.Folder != "" {
		err = writeFolder(p.dir, p.report)
	}
	return p.report, err
}

func (p *prover) run() error {
	p.report.KeepsInitial = p.only() && p.m.KeepsState()
	p.options.Progress("builds the RTL")
	d, err := p.m.Open(p.ctx, cosim.Options{})
	var fault *cosim.Fault
	if errors.As(err, &fault) {
		found, err := lockstep.Run(p.ctx, p.m, lockstep.Options{Cycles: 10})
		if err == nil && found.Divergence != nil {
			p.report.differs(found, "its power-on")
		}
		return err
	}
	if err != nil {
		return err
	}
	if left := p.model.Left(); len(left) > 0 {
		reason := fmt.Sprintf("%s accepts %s from the RTL within bounds; a proof needs a model that defines them", p.m.Model,
			strings.Join(left, ", "))
		return errors.Join(d.Close(), &refusal{reason: reason})
	}
	p.report.Warnings = append(p.report.Warnings, p.m.Warnings()...)
	wires, terms := d.(*pinmap.Device).Wires, d.(*pinmap.Device).Terms()
	if err := d.Close(); err != nil {
		return err
	}
	p.report.count(wires)
	if p.report.Compared == 0 {
		_, err := lockstep.Run(p.ctx, p.m, lockstep.Options{Cycles: 10, NoExplore: true}) // returns the error
		return err
	}
	if p.only() {
		p.report.Outputs, p.report.Compared, p.report.Bits, p.report.Unread = 0, 0, 0, nil
	}
	if clocks := max(clocksOf(wires.Model), clocksOf(wires.RTL)); clocks > 1 {
		return refuse("the map has %d clocks, but a proof needs a single clock", clocks)
	}
	valued, values, err := p.m.Valued()
	if err != nil {
		return err
	}
	p.report.Values = values
	for again := true; again; {
		r := p.report
		b := &builder{
			ctx: p.ctx, dir: p.dir, m: valued, model: p.model, wires: wires, terms: terms, keepInitial: r.KeepsInitial,
			rules: r.RuleBroken != "",
			clock: stopwatch{limit: p.options.besides(), tell: p.options.Progress},
		}
		p.options.Progress("makes the miter")
		if p.miter, err = b.build(); err != nil {
			return p.inVain(err)
		}
		if p.print == nil { // the print is equal in every round
			if r.Second, err = b.compare(); err != nil {
				return err
			}
			if !p.only() {
				err = b.readModelAgain(r)
			}
			if err == nil && p.options.Third {
				err = b.third(r)
			}
			if err != nil {
				return err
			}
		}
		p.print, r.Front, r.Checks, r.Dropped, r.Assumed = b.print, front, b.checks, b.dropped, p.assumed(wires, terms)
		if differs, err := p.agree(&b.clock); err != nil || differs {
			return err
		}
		if again, err = p.proof(); err != nil {
			return err
		}
	}
	return nil
}

// proof decides whether the sides are equal, and then the goals. An undecided comparison does not prevent the goals.
func (p *prover) proof() (again bool, err error) {
	var undecided *refusal
	if p.report.Verdict = GoalsOnly; !p.only() {
		p.report.Verdict = Undecided
		again, err = p.decide()
		if again || p.m.Goals == nil || err != nil && !errors.As(err, &undecided) || p.report.Verdict == Differs {
			return again, err
		}
	}
	if again, other := p.judge(); again || other != nil {
		return again, other
	}
	return false, err
}

func (p *prover) inVain(err error) error {
	var refused *refusal
	if !errors.As(err, &refused) || !refused.late || p.options.engines {
		return err
	}
	p.options.Progress("looks for a difference with random inputs")
	found, err := lockstep.Run(p.ctx, p.m, lockstep.Options{Cycles: agreeCycles, PowerOn: 1, NoExplore: true})
	if err != nil {
		return err
	}
	if found.Divergence != nil {
		p.report.differs(found, "random inputs")
		return nil
	}
	refused.reason += fmt.Sprintf("; %s of random inputs show no difference", cosim.Count(agreeCycles, "cycle"))
	return refused
}

func clocksOf(ports []cosim.Port) (count int) {
	for _, p := range ports {
		if p.Clock {
			count++
		}
	}
	return count
}
