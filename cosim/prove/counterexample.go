package prove

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"starloom/cosim"
	"starloom/cosim/lockstep"
)

// lookOn handles a counterexample that lockstep does not reproduce because it depends on values that are free in a
// proof but not in simulation. First the engines search for a counterexample with all free values 0. Then lockstep
// tries random inputs. Both searches end with the time limit.
func (p *prover) lookOn(r *decision, began time.Time) (again bool, err error) {
	left := func() time.Duration { return max(p.options.limit()-time.Since(began), 2*time.Second) }
	p.options.Progress("looks for a counterexample without free values")
	settled := &problem{whole: p.miter.graph.settled(p.miter.signals.free), files: "settled",
		groups: p.miter.groups(), on: p.miter.on}
	o := Options{Limit: left() / 2, Workers: p.options.Workers, Cycles: p.options.Cycles}
	other := settled.decide(p.ctx, p.dir, &o, p.options.Progress)
	if other.witness != nil {
		if again, err = p.show(other.witness, other.by); again || err != nil || p.report.Verdict == Differs {
			p.report.commands = append(p.report.commands, other.commands...)
			return again, err
		}
	}
	p.options.Progress("looks for a difference with random inputs")
	ctx, cancel := context.WithTimeout(p.ctx, left())
	defer cancel()
	found, err := lockstep.Run(ctx, p.m, lockstep.Options{})
	if err != nil && (p.ctx.Err() != nil || ctx.Err() == nil) {
		return false, err
	}
	if err == nil && found.Divergence != nil {
		p.report.differs(found, "random inputs")
		p.report.Took, p.report.commands = 0, nil
		return false, nil
	}
	return false, p.notShown(r, p.restsOn(r)+"; random inputs show no difference")
}

func (p *prover) notShown(r *decision, why string) error {
	b := p.miter.bits[slices.Index(p.miter.bad, r.Failed)]
	return refuse("%s has a counterexample of %s, in %s[%d], that lockstep does not confirm%s",
		r.By, cosim.Count(uint64(len(r.Witness)), "cycle"), p.miter.ports[b.port].Name, b.bit, why)
}

// needed returns the inputs that matter at the end of a counterexample: inverting any one of them removes the
// difference.
func (g *graph) needed(witness [][]bool, output int, inputs []int) (needed []int) {
	for chunk := range slices.Chunk(inputs, 64) { // one inverted input per sequence
		s, words := g.simulation(), make([]uint64, g.inputs)
		for cycle, row := range witness {
			if cycle > 0 {
				s.edge()
			}
			for i, on := range row {
				words[i] = -bit(on)
			}
			for lane, i := range chunk {
				words[i] ^= 1 << lane
			}
			s.settle(words)
		}
		for lane, i := range chunk {
			if s.of(g.outputs[output])>>lane&1 == 0 {
				needed = append(needed, i)
			}
		}
	}
	return needed
}

// restsOn describes the free values on which a counterexample depends. It returns "" if changing any single value has
// no effect.
func (p *prover) restsOn(r *decision) string {
	var registers, other []string
	begins := map[int]bool{}
	for _, i := range p.miter.signals.powerOnOf {
		begins[i] = true
	}
	for _, i := range p.miter.graph.needed(r.Witness, r.Failed, p.miter.signals.free) {
		switch text := p.registerOf(i); {
		case !begins[i]:
			other = p.unknown()
		case text != "" && !slices.Contains(registers, text):
			registers = append(registers, text)
		}
	}
	if len(registers) > 0 {
		other = append(other, "what "+listed(registers)+" has at power-on")
	}
	if len(other) == 0 {
		return ""
	}
	return ": it rests on " + strings.Join(other, " and on ") + ", which may have any value in a proof, but has one " +
		"value in simulation"
}

func (p *prover) unknown() []string {
	if places := p.print.Unknown; len(places) > 0 {
		return []string{"X at " + listed(places) + " (an index beyond the end, or no value)"}
	}
	return []string{"a net that nothing drives"}
}

func (p *prover) registerOf(input int) string {
	name, _, _ := strings.Cut(p.miter.signals.registerOf[input], "[")
	for _, r := range p.print.Registers {
		if r.Name == name {
			return fmt.Sprintf("%s (%s)", r.Source, r.Place)
		}
	}
	return name
}

const listedMost = 4

func listed(names []string) string {
	if more := len(names) - listedMost; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:listedMost], ", "), more)
	}
	return strings.Join(names, ", ")
}
