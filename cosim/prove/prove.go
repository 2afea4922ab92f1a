// Package prove proves that RTL equals the Verilog twin of its model, cycle by cycle, for all inputs, or finds inputs
// with a difference.
//
//	twin --\
//	        miter (Verilog) --yosys--> graph (AIGER) --abc--> proved | counterexample --lockstep--> case
//	RTL ---/    ^                        |
//	         pin map                  simulated beside model and RTL
//
// The miter has an output for each compared bit. An output is 1 in cycles with reset off in which the sides differ.
// Reset is on in the first cycle and free afterwards. Registers start at any value; X and undriven nets have any
// value in every cycle. No tool may choose free values (see sideScript).
//
// A verdict depends on Yosys' reading of both sides, on the engines and on the assumptions that the report lists. The
// miter is therefore simulated beside model and RTL. A counterexample is simulated, then replayed in lockstep. The
// engines must also refute the miter with an inverted bit. A counterexample that does not replay leaves the proof
// undecided.
package prove

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"starloom/cosim"
	"starloom/cosim/flatten"
	"starloom/cosim/lockstep"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
)

const agreeCycles = 10_000

type prover struct {
	ctx     context.Context
	options Options
	m       *pinmap.Map
	model   *twin.Model
	dir     string
	report  *Report
	print   *flatten.Module // the RTL as one module
	miter   *miter
	mined   *miner
}

func (p *prover) assumed(w *pinmap.Wires, terms *pinmap.Terms) []string {
	all := append([]string{}, w.Bounds()...)
	if p.report.RuleBroken != "" {
		all = append(all, p.report.neighbours())
	}
	for _, c := range terms.Assume {
		all = append(all, c.Text)
	}
	for _, instance := range p.m.Cut {
		all = append(all, fmt.Sprintf("instance %s has equal outputs on both sides while its inputs are equal, for "+
			"any inputs during reset", instance))
	}
	for i, c := range terms.Compare {
		if c != nil {
			all = append(all, fmt.Sprintf("%s counts when %s", w.Model[i].Name, c.Text))
		}
	}
	return all
}

func (p *prover) agree(clock *stopwatch) (differs bool, err error) {
	a := p.miter.agreement()
	var found *lockstep.Report
	err = clock.run(p.ctx, "runs the miter beside model and RTL", func(ctx context.Context) error {
		a.over = ctx.Err // a difference of model and RTL is reported even after the limit
		found, err = lockstep.Run(p.ctx, p.m,
			lockstep.Options{Cycles: agreeCycles, PowerOn: 1, NoExplore: true, Observe: a.see})
		return err
	})
	if err != nil {
		return false, err
	}
	p.report.AgreeCycles, p.report.AgreeBits, p.mined = a.cycles, a.compared, a.mined
	if found.Divergence != nil && p.options.engines {
		return false, nil
	}
	if found.Divergence != nil {
		p.report.differs(found, "random inputs")
		return true, nil
	}
	if a.cut {
		return false, &refusal{reason: fmt.Sprintf("Yosys has read both sides, but in %v their graph has run beside model "+
			"and RTL for %s of %s; %s",
			clock.limit, cosim.Digits(a.cycles), cosim.Count(agreeCycles, "cycle"), sizeText(p.print.Registers)), late: true}
	}
	if a.disagrees != "" {
		return false, &refusal{reason: "the miter differs from the simulation: " + a.disagrees}
	}
	if p.only() {
		return false, nil
	}
	if phase := slices.Index(a.phases, false); phase >= 0 {
		return false,
			refuse("no output could be compared %s after a reset, although the RTL is only %d cycles late",
				cosim.Count(uint64(phase+1), "cycle"), p.miter.late)
	}
	for i, seen := range a.checked {
		if !seen {
			b := p.miter.bits[i]
			return false, refuse("%s[%d] of the RTL depended on no driven signal, or did not count, in all cycles of "+
				"random inputs",
				p.miter.ports[b.port].Name, b.bit)
		}
	}
	return false, nil
}

// decide runs the engines. again means that another round must follow under assumptions added to the report.
func (p *prover) decide() (again bool, err error) {
	began := time.Now()
	text, err := os.ReadFile(filepath.Join(p.dir, "miter.aig"))
	if err != nil {
		return false, err
	}
	d, err := decided(p.ctx, p.m.Build.Cache, &p.options, []any{p.report.Tools, string(text)}, func() (*decision, error) {
		r := p.miter.problem(p.mined.relations()).decide(p.ctx, p.dir, &p.options, p.options.Progress)
		if r.witness != nil {
			return r.decision(), nil
		}
		return r.decision(), r.err
	})
	if ended := p.ctx.Err(); ended != nil {
		return false, ended
	}
	if err != nil {
		return false, &refusal{reason: err.Error()}
	}
	p.report.took(d, p.miter)
	switch {
	case d.Witness != nil:
		return p.replay(d, began)
	case d.Open == 0:
		return false, p.notVacuous()
	case p.options.Cycles > 0 && d.Frames > p.options.Cycles:
		p.report.Verdict, p.report.Depth = Bounded, p.options.Cycles
		return false, nil
	}
	reason := fmt.Sprintf("%d of %s not proved in %v", d.Open,
		cosim.Count(uint64(len(p.miter.bits)), "bit"), p.options.limit())
	if p.report.RuleBroken != "" {
		reason += " for " + p.report.neighbours()
	}
	return false, &refusal{reason: reason, late: true}
}

// notVacuous requires an engine to refute the miter with an inverted bit. If no engine can, the proof is worthless.
func (p *prover) notVacuous() error {
	g := *p.miter.graph
	g.gates, g.outputs = slices.Clone(g.gates), slices.Clone(g.outputs)
	bad, counts := g.outputs[p.miter.bad[0]], g.outputs[p.miter.counts[0]]
	g.outputs = append(g.outputs, g.and(counts, bad^1))
	last := len(g.outputs) - 1
	inverted := &problem{whole: &g, files: "inverted", groups: [][]int{{last}}}
	r := inverted.decide(p.ctx, p.dir, &Options{Limit: p.options.besides(), Workers: 1}, func(text string) {
		p.options.Progress("checks whether the miter can fail: " + text)
	})
	if r.witness == nil {
		return &refusal{reason: "the same miter with a bit inverted was not refuted: the proof is worthless"}
	}
	p.report.Verdict = Equal
	return nil
}

const replayPowerOns = 8

// replay reproduces a counterexample in lockstep. If the counterexample needs power-on values that differ from the
// RTL's declared ones, replay requests another round without such values. It passes other counterexamples that
// lockstep does not reproduce to lookOn.
func (p *prover) replay(r *decision, began time.Time) (again bool, err error) {
	if again, err = p.show(r.Witness, r.By); again || err != nil || p.report.Verdict == Differs {
		return again, err
	}
	if !p.report.KeepsInitial && p.miter.declares {
		p.report.KeepsInitial = true
		return true, nil
	}
	said, err := p.twinRefuses(p.miter.rows(p.model, r.Witness))
	if err != nil {
		return false, err
	}
	if said != "" {
		return false, p.notShown(r, said)
	}
	return p.lookOn(r, began)
}

// show runs a counterexample in lockstep and reports the difference. If the inputs break a rule of the model's
// neighbours, show requests another round under that rule.
func (p *prover) show(witness [][]bool, by string) (again bool, err error) {
	p.options.Progress("replays the counterexample")
	stimulus := lockstep.StimulusOf(p.model, "the counterexample", p.miter.rows(p.model, witness))
	model, err := p.m.NewModel()
	if err != nil {
		return false, err
	}
	defer model.Close()
	if row, rule := stimulus.Broken(model); rule != "" {
		if p.report.RuleBroken != "" {
			return false, refuse("%s has a counterexample that breaks a rule of the neighbours: in cycle %d %s", by, row, rule)
		}
		p.report.RuleBroken = rule
		return true, nil
	}
	found, err := lockstep.Run(p.ctx, p.m, lockstep.Options{Stimulus: stimulus, PowerOn: replayPowerOns})
	if err == nil && found.Divergence != nil {
		p.report.differs(found, by)
	}
	return false, err
}

// twinRefuses returns the check of the twin ($fatal) that input rows violate, "" for none. The model accepts the
// rows, so a violation means that twin and model differ.
func (p *prover) twinRefuses(rows []uint64) (text string, err error) {
	if p.m.Given() != nil {
		return "", nil
	}
	m, err := pinmap.OfTwin(p.m.Library, p.m.Model, p.m.Parameters, p.m.Build.Cache)
	if err != nil {
		return "", err
	}
	defer m.Close()
	d, err := m.Open(p.ctx, cosim.Options{})
	if err != nil {
		return "", err
	}
	defer d.Close()
	words := len(d.Inputs())
	for cycle := range len(rows) / words {
		copy(d.Inputs(), rows[cycle*words:])
		err := d.Edge(cosim.ClockMask(d.Ports()))
		var fault *cosim.Fault
		if errors.As(err, &fault) {
			return fmt.Sprintf(": in cycle %d its inputs break a check of the twin (%s); restrict the inputs with assume in "+
				"the map", cycle, fault.Text), nil
		}
		if err != nil {
			return "", err
		}
	}
	return "", nil
}

func (m *miter) rows(model *twin.Model, witness [][]bool) (rows []uint64) {
	for cycle, row := range witness {
		inputs := make([]uint64, len(model.Inputs()))
		for i, p := range m.ports {
			if !p.Input || p.Clock {
				continue
			}
			for bit := range p.Bits {
				if at, ok := m.signals.inputs[fmt.Sprintf("%s[%d]", inputName(i), bit)]; ok && row[at] {
					inputs[p.Word+bit/64] |= 1 << (bit % 64)
				}
			}
		}
		if cycle == 0 && model.Clocked() {
			inputs[model.ResetWord()] = 1
		}
		rows = append(rows, inputs...)
	}
	return rows
}

// only reports whether the goals of the RTL are all that is proved.
func (p *prover) only() bool { return p.m.Goals != nil && p.m.Goals.Only }

func (r *Report) took(d *decision, m *miter) {
	clear(r.Engines)
	r.BitsProved, r.Depth, r.Took, r.Cached, r.commands = 0, max(0, d.Frames-1), d.Took, d.cached, d.Commands
	for i, output := range m.bad {
		if engine, ok := d.Proved[output]; ok {
			if r.Engines[engine]++; m.bits[i].limit == nil { // otherwise the output is a bound of the map
				r.BitsProved++
			}
		}
	}
}
