package prove

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A fate is the result of the engines for one output.
type fate struct {
	proved  bool
	witness [][]bool // nil for none
	by      string
	frames  int // cycles in which the output is 0, if it is neither proved nor has a witness
}

// decide runs the engines on some goals until each is proved, has a witness, or time is over.
func (j *judgement) decide(open []int, of func(i int, f *fate) (again bool, err error)) (again bool, err error) {
	outputs := make([]int, len(open))
	for k, i := range open {
		outputs[k] = j.miter.fails[i]
	}
	before := len(j.report.commands)
	fates, err := j.engines(j.miter.graph, outputs)
	if err != nil {
		return false, err
	}
	if len(j.report.commands) > before {
		var of []string
		for _, i := range open {
			of = append(of, j.rows[i].Name)
		}
		note := "# decides " + strings.Join(slices.Compact(of), ", ")
		j.report.commands = slices.Insert(j.report.commands, before, note)
	}
	for k, i := range open {
		if again, err := of(i, fates[k]); again || err != nil {
			return again, err
		}
	}
	return false, nil
}

// engines decides outputs of a graph, each for itself. A witness of one output ends no other search.
func (j *judgement) engines(g *graph, outputs []int) ([]*fate, error) {
	fates := make([]*fate, len(outputs))
	var text bytes.Buffer
	if err := g.write(&text); err != nil {
		return nil, err
	}
	for slices.Contains(fates, nil) {
		var groups [][]int
		for k, f := range fates {
			if f == nil {
				groups = append(groups, []int{outputs[k]})
			}
		}
		j.races++
		p := &problem{whole: g, files: fmt.Sprintf("goals-%d", j.races), on: j.miter.on,
			powerOn: j.miter.signals.powerOnOf, groups: groups}
		o := j.options
		o.Limit = max(time.Until(j.until), timeLeast)
		d, err := decided(j.ctx, j.m.Build.Cache, &o, []any{"goals", j.report.Tools, text.String(), groups},
			func() (*decision, error) {
				r := p.decide(j.ctx, j.dir, &o, j.options.Progress)
				if r.witness != nil {
					return r.decision(), nil
				}
				return r.decision(), r.err
			})
		if ended := j.ctx.Err(); ended != nil {
			return nil, ended
		}
		if err != nil {
			return nil, &refusal{reason: err.Error()}
		}
		j.report.commands = append(j.report.commands, d.Commands...)
		found := j.shown(g, d.Witness, outputs, fates)
		for k, output := range outputs {
			if by, ok := d.Proved[output]; ok && fates[k] == nil {
				fates[k] = &fate{proved: true, by: by}
			}
		}
		if d.Witness != nil && !found {
			return nil, fmt.Errorf("%s has a trace that its graph does not show", d.By)
		}
		for k := range fates {
			if d.Witness == nil && fates[k] == nil {
				fates[k] = &fate{frames: d.Frames}
			}
		}
	}
	return fates, nil
}

// shown gives a witness to each output that is 1 in one of its cycles.
func (j *judgement) shown(g *graph, witness [][]bool, outputs []int, fates []*fate) (found bool) {
	s, words := g.simulation(), make([]uint64, g.inputs)
	for cycle, row := range witness {
		for i, on := range row {
			words[i] = bit(on)
		}
		s.settle(words)
		for k, output := range outputs {
			if fates[k] == nil && s.of(g.outputs[output])&1 != 0 {
				fates[k], found = &fate{witness: witness[:cycle+1], by: "an engine"}, true
			}
		}
		s.edge()
	}
	return found
}

// timeLeast is the time of engines after the limit is over.
const timeLeast = 2 * time.Second

// expandedMost is the maximum number of input bits over which assumptions are expanded.
const expandedMost = 12

// assumptions decides whether the assumptions of the RTL only restrict its inputs: in every state that can occur, some
// inputs must keep them.
//
// none means that they exclude all inputs, so that every goal is vacuous.
func (j *judgement) assumptions() (none bool, err error) {
	var assumed []*Goal
	for i := range j.miter.goals {
		if j.miter.goals[i].assumed() {
			j.rows[i].Verdict = Assumed
			assumed = append(assumed, j.rows[i])
		}
	}
	fates, err := j.engines(j.miter.graph, []int{j.miter.goalsCount})
	if err != nil {
		return false, err
	}
	if fates[0].proved {
		for _, g := range j.report.Goals {
			g.Verdict, g.Reason = Vacuous, "the assumptions exclude all inputs"
		}
		return true, nil
	}
	if len(assumed) == 0 {
		return false, nil
	}
	reason, err := j.aboutRTL()
	for _, row := range assumed {
		if reason != "" {
			row.Verdict, row.Reason = AboutRTL, reason+"; what they exclude is not examined"
		}
	}
	return false, err
}

// aboutRTL returns why assumptions of the RTL may restrict more than its inputs, "" if they do not.
func (j *judgement) aboutRTL() (reason string, err error) {
	g := *j.miter.graph
	g.gates, g.outputs = slices.Clone(g.gates), slices.Clone(g.outputs)
	count, begin := g.outputs[j.miter.goalsCount], g.outputs[j.miter.goalsBegin]
	inputs, _ := j.support(&g, count)
	if len(inputs) > expandedMost {
		if _, latches := j.support(&g, g.outputs[j.miter.goalsObeyed]); !latches {
			return "", nil // true for one state, so true for all
		}
		return fmt.Sprintf("the assumptions read registers and %d input bits, and at most %d are examined", len(inputs),
			expandedMost), nil
	}
	g.outputs = append(g.outputs, g.and(j.forAll(&g, count^1, inputs), begin))
	fates, err := j.engines(&g, []int{len(g.outputs) - 1})
	switch {
	case err != nil || fates[0].proved:
		return "", err
	case fates[0].witness != nil:
		return fmt.Sprintf("in cycle %d no inputs keep the assumptions", len(fates[0].witness)-1), nil
	}
	return "a state may occur in which no inputs keep the assumptions", nil
}

// support returns the inputs of the model in a literal's logic, except reset, and whether it reads registers.
func (j *judgement) support(g *graph, literal uint32) (inputs []int, latches bool) {
	named := map[int]bool{}
	reset := -1
	for name, at := range j.miter.signals.inputs {
		named[at] = strings.HasPrefix(name, "in")
	}
	for i, p := range j.miter.ports {
		if at, ok := j.miter.signals.inputs[inputName(i)+"[0]"]; ok && p.Input && p.Name == "reset" {
			reset = at
		}
	}
	seen := make([]bool, g.variables())
	var down func(v uint32)
	down = func(v uint32) {
		if seen[v] || v == 0 {
			return
		}
		seen[v] = true
		switch {
		case v >= g.firstGate():
			in := g.gates[v-g.firstGate()]
			down(in[0] / 2)
			down(in[1] / 2)
		case v >= g.firstLatch():
			latches = true
		case named[int(v)-1] && int(v)-1 != reset:
			inputs = append(inputs, int(v)-1)
		}
	}
	down(literal / 2)
	slices.Sort(inputs)
	return inputs, latches
}

// forAll returns a literal that is 1 if the given literal is 1 for all values of some inputs, while reset is inactive.
func (j *judgement) forAll(g *graph, literal uint32, inputs []int) uint32 {
	for i, p := range j.miter.ports {
		if at, ok := j.miter.signals.inputs[inputName(i)+"[0]"]; ok && p.Input && p.Name == "reset" {
			literal = g.fixed(literal, uint32(at)+1, 0)
		}
	}
	for _, in := range inputs {
		v := uint32(in) + 1
		literal = g.and(g.fixed(literal, v, 0), g.fixed(literal, v, 1))
	}
	return literal
}

// fixed returns a literal with a variable replaced by a constant. It adds gates to the graph.
func (g *graph) fixed(literal, variable, value uint32) uint32 {
	known := map[uint32]uint32{variable: value}
	hashed := map[[2]uint32]uint32{}
	var of func(v uint32) uint32
	of = func(v uint32) uint32 {
		if made, ok := known[v]; ok {
			return made
		}
		made := 2 * v
		if v >= g.firstGate() {
			in := g.gates[v-g.firstGate()]
			a, b := of(in[0]/2)^in[0]&1, of(in[1]/2)^in[1]&1
			if a != in[0] || b != in[1] {
				key := [2]uint32{max(a, b), min(a, b)}
				if made, _ = hashed[key]; hashed[key] == 0 {
					made = g.and(key[0], key[1])
					hashed[key] = made
				}
			}
		}
		known[v] = made
		return made
	}
	return of(literal/2) ^ literal&1
}
