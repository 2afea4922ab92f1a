package flatten

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// limits of loop iterations: in a process, and in all initial blocks
const turnsMax, turnsMaxInitial = 1 << 15, 1 << 23

// guessesMax is the maximum number of loop conditions in a process that depend on the circuit.
const guessesMax = 1 << 10

func (p *process) assignment(n *node, s *state) *state {
	if n.one(1).kind == "COND" {
		p.alongside(n, n.one(1), n.one(2))
	}
	data := p.eval(n.one(1), s)
	if from, to, ok := p.arrays(n.one(1), n.one(2)); ok && !from.along(to) {
		data, p.design.turned[p.place(n)] = turned(p.g, data, from, to), true
	}
	p.assign(n.one(2), s, data, n.kind == "ASSIGNDLY")
	return s
}

func (p *process) arrays(a, b *node) (of, other *dtype, ok bool) {
	for _, n := range []*node{a, b} {
		if t := p.nodes[n.dtype]; t == nil || t.kind != "UNPACKARRAYDTYPE" {
			return nil, nil, false
		}
	}
	return p.typeOf(a, a.dtype), p.typeOf(b, b.dtype), true
}

func (p *process) alongside(n, a, b *node) {
	if of, other, ok := p.arrays(a, b); ok && !of.along(other) {
		panic(p.refuse(n, "arrays with ranges in opposite directions", "declare both in one direction, such as [0:3]"))
	}
}

func (p *process) chosen(n *node, s *state) *expr {
	p.alongside(n, n.one(2), n.one(3))
	c := p.condition(n.one(1), s)
	p.branched(n, c)
	return p.g.mux(c, p.eval(n.one(2), s), p.eval(n.one(3), s))
}

// called executes a function that Verilator 5.032 keeps inside an expression. The function must write only its own
// variables, so that other operands do not depend on the call.
func (p *process) called(n *node, s *state) *expr {
	stops, own := len(p.violations), newState(s)
	after := p.run(n.operands[0], own)
	if after == nil || len(p.violations) > stops {
		panic(p.refuse(n, "a function in an expression that may end the simulation", "call it in a separate statement"))
	}
	for _, k := range touched(s, after) {
		if !k.v.temp || k.later {
			panic(p.refuse(n, "a function in an expression that writes "+k.v.name,
				"call it in a separate statement, before"))
		}
	}
	result := p.eval(n.one(2), after)
	for _, k := range touched(s, after) {
		if k.v.kept { // a later call may read the variable, or this call may not be executed
			s.open(k, p.entry).set(p.g, 0, p.unknown(k.v.at, k.v.what.bits))
		}
	}
	return result
}

// turned converts an array value to another direction. Elements correspond from left to right.
func turned(g *graph, data *expr, from, to *dtype) *expr {
	if from.along(to) {
		return data
	}
	parts := make([]*expr, from.elements)
	for i := range parts {
		at := i
		if from.upward == to.upward {
			at = len(parts) - 1 - i
		}
		parts[i] = turned(g, g.slice(data, at*from.element.bits, from.element.bits), from.element, to.element)
	}
	return g.concat(parts...)
}

func (p *process) branch(n *node, s *state) *state {
	return p.split(n, p.condition(n.one(1), s), s,
		func(s *state) *state { return p.run(n.operands[1], s) },
		func(s *state) *state { return p.run(n.operands[2], s) })
}

func (p *process) split(n *node, c *expr, s *state, yes, no func(*state) *state) *state {
	if c.known() {
		if c.is(1) {
			return yes(s)
		}
		return no(s)
	}
	p.branched(n, c)
	depth, jumps := len(p.path), len(p.jumped)
	side := func(c *expr, do func(*state) *state) *state {
		p.path = append(p.path[:depth:depth], c)
		r := do(newState(s))
		p.path = p.path[:depth]
		return r
	}
	a := side(c, yes)
	between := len(p.jumped)
	b := side(p.g.not(c), no)
	to := s
	if len(p.jumped) > jumps { // jumped states refer to s
		to = newState(s)
	}
	switch {
	case a == nil && b == nil:
		return nil
	case a == nil && between == len(p.jumped):
		p.path = append(p.path, p.g.not(c))
	case b == nil && between == jumps:
		p.path = append(p.path, c)
	default:
		for _, j := range p.jumped[jumps:] {
			p.path = append(p.path, p.g.not(j.when))
		}
	}
	if a == nil {
		a = b
	} else if b == nil {
		b = a
	}
	p.merge(c, a, b, s, to)
	return to
}

func (p *process) merge(c *expr, a, b, base, to *state) {
	for _, k := range touched(base, a, b) {
		to.put(k, p.choice(c, k, a, b))
	}
}

func (p *process) choice(c *expr, k key, a, b *state) *value {
	one, other := a.find(k), b.find(k)
	if one == nil {
		one = p.entry(k)
	}
	if other == nil {
		other = p.entry(k)
	}
	if one == other {
		return &value{parts: slices.Clone(one.parts)} // either value may still change
	}
	return choose(p.g, c, one, other)
}

func (p *process) loop(n *node, s *state) *state {
	for {
		if s = p.run(n.operands[0], s); s == nil {
			return nil
		}
		c := p.condition(n.one(2), s)
		if c.is(0) {
			return s
		}
		p.turns++
		if limit := map[bool]int{false: turnsMax,
			true: turnsMaxInitial}[p.initial]; p.turns > limit || p.guesses > guessesMax {
			panic(p.refuse(n, fmt.Sprintf("a loop with more than %d iterations, or with a bound that depends on values of "+
				"the circuit",
				limit),
				"give it a constant bound: `for (i = 0; i < N; i++)`"))
		}
		if !c.known() {
			p.guesses++
			return p.split(n, c, s, func(s *state) *state {
				if s = p.turn(n, s); s == nil {
					return nil
				}
				return p.loop(n, s)
			}, func(s *state) *state { return s })
		}
		if s = p.turn(n, s); s == nil {
			return nil
		}
	}
}

func (p *process) turn(n *node, s *state) *state {
	if s = p.run(n.operands[2], s); s == nil {
		return nil
	}
	return p.run(n.operands[3], s)
}

func (p *process) block(n *node, s *state) *state {
	depth, jumps := len(p.path), len(p.jumped)
	l := &landing{depth: depth}
	p.blocks[n.id] = l
	fall := p.run(n.operands[0], s)
	delete(p.blocks, n.id)
	if len(l.jumps) == 0 {
		return fall
	}
	// Later statements run if the path arrives here rather than at the end of an outer block.
	arrives := p.g.bit(false)
	for _, j := range l.jumps {
		arrives = p.g.or(arrives, j.when)
	}
	if fall != nil {
		arrives = p.g.or(arrives, p.when(depth))
	}
	p.path = p.path[:depth]
	p.jumped = slices.DeleteFunc(p.jumped, func(j away) bool { return j.to == l })
	if len(p.jumped) > jumps {
		p.path = append(p.path, arrives)
	}
	for _, j := range slices.Backward(l.jumps) { // the first jump taken counts
		if fall == nil {
			fall = j.s
			continue
		}
		to := newState(s)
		p.merge(j.when, j.s, fall, s, to)
		fall = to
	}
	return newState(fall)
}

func (p *process) jump(n *node, s *state) *state {
	found := jumpTarget.FindStringSubmatch(n.rest)
	if found == nil || p.blocks[found[1]] == nil {
		panic(p.refuse(n, "a jump out of its block", "write it with if"))
	}
	l := p.blocks[found[1]]
	l.jumps = append(l.jumps, jump{p.when(l.depth), s})
	p.jumped = append(p.jumped, away{l, p.when(l.depth)})
	return nil
}

func (p *process) stop(n *node, s *state) *state {
	text, scope := "", ""
	for _, beside := range n.parent.operands {
		for _, d := range beside {
			if d.kind == "DISPLAY" && d.loc == n.loc && d.one(1) != nil {
				text, scope = d.one(1).rest, p.scopeOf(d)
			}
		}
	}
	if _, after, ok := strings.Cut(text, "%m: "); ok {
		text = after
	}
	text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), `\n`))
	p.violations = append(p.violations, violation{p.when(0), n, text, scope})
	return s
}

var scopeText = regexp.MustCompile(`"__DOT__([^"]*)"`)

// scopeOf returns the instance that contains a message, "" for the top module.
func (d *design) scopeOf(message *node) string {
	var parts []string
	message.each(func(n *node) {
		if n.kind != "SCOPENAME" || len(parts) > 0 {
			return
		}
		for _, text := range n.operands[2] {
			if found := scopeText.FindStringSubmatch(text.rest); found != nil {
				parts = append(parts, found[1])
			}
		}
	})
	return strings.TrimPrefix(strings.TrimPrefix(d.plainName(strings.Join(parts, ".")), d.top), ".")
}

func (p *process) forget(n *node, s *state) *state {
	name, ok := strings.CutPrefix(strings.TrimSpace(n.rest), functionHere)
	if !ok {
		return s
	}
	own := regexp.MustCompile(`^__V(?:func|task)_` + regexp.QuoteMeta(name) + `__\d+__`)
	prefix, here := "", false
	for _, list := range n.parent.operands {
		for _, beside := range list {
			here = here || beside == n
			beside.each(func(n *node) {
				if here && prefix == "" && n.kind == "VARREF" {
					prefix = own.FindString(n.name())
				}
			})
		}
	}
	for _, v := range p.variables {
		if prefix != "" && v.temp && strings.HasPrefix(v.at.name(), prefix) && s.find(key{v, false}) != nil {
			s.open(key{v, false}, p.entry).set(p.g, 0, p.unknown(v.at, v.what.bits))
		}
	}
	return s
}
