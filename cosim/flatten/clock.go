package flatten

import (
	"fmt"
	"slices"
	"strings"
)

// An item of a sensitivity list.
type sensitivity struct {
	event
	v *variable
}

// clock runs a process that waits for edges: once with all asynchronous resets off, once for each
// of them on.
func (d *design) clock(n *node) {
	items := d.sensitivities(n)
	at := d.clockOf(n, items)
	clock := items[at]
	resets := slices.Delete(slices.Clone(items), at, at+1)
	off := map[*variable]*expr{}
	for _, r := range resets {
		if r.v == nil {
			panic(d.refuse(n, "an asynchronous reset that is an expression", "give it a name: `wire rst = ...`"))
		}
		off[r.v] = d.g.bit(r.falling)
	}
	run := func(fixed map[*variable]*expr, on bool) (*process, *state) {
		p := d.newProcess()
		p.clocked, p.fixed, p.fixedReset = true, fixed, on
		s := p.run(n.operands[1], newState(nil))
		return p, s
	}
	p, s := run(off, false)
	held := make([]*state, len(resets))
	for i, r := range resets {
		fixed := map[*variable]*expr{}
		for _, before := range resets[:i] {
			fixed[before.v] = off[before.v]
		}
		fixed[r.v] = d.g.not(off[r.v])
		var q *process
		q, held[i] = run(fixed, true)
		for _, v := range q.violations {
			d.drop(v.at, "an assertion while an asynchronous reset is on")
		}
	}
	for _, k := range touched(nil, append([]*state{s}, held...)...) {
		d.register(n, p, k, s, resets, held, clock.event)
	}
	active := d.g.bit(true) // no reset is on
	for _, r := range resets {
		on := d.g.variable(r.v)
		if r.falling {
			on = d.g.not(on)
		}
		active = d.g.and(active, d.g.not(on))
	}
	for _, w := range p.writes {
		w.when = d.g.and(w.when, active)
		w.v.ports = append(w.v.ports, writePort{w, clock.event})
	}
	for _, v := range p.violations {
		d.check(v, d.eventText(clock.event), d.g.and(v.when, active))
	}
}

func (d *design) sensitivities(n *node) (items []sensitivity) {
	p := d.newProcess()
	for _, item := range n.one(1).operands[0] {
		s := sensitivity{event: event{falling: strings.Contains(item.rest, "[NEG]")}}
		s.e = p.eval(item.one(1), newState(nil))
		if item.one(1).kind == "VARREF" {
			s.v = d.variableOf(item.one(1))
		}
		if s.e.op == opConst || s.e.width != 1 {
			panic(d.refuse(item, "a clock that is not one bit", "name one bit: posedge clk[0]"))
		}
		items = append(items, s)
	}
	return items
}

// clockOf finds which item is the clock: one that was named, or the only one that the process
// does not read.
func (d *design) clockOf(n *node, items []sensitivity) int {
	if len(items) == 1 {
		return 0
	}
	var unread []int
	for i, item := range items {
		if item.v != nil && slices.Contains(d.clocks, item.v.name) {
			return i
		}
		read := false
		for _, statement := range n.operands[1] {
			statement.each(func(n *node) { read = read || n.kind == "VARREF" && item.v != nil && d.variableOf(n) == item.v })
		}
		if !read {
			unread = append(unread, i)
		}
	}
	if len(unread) != 1 {
		panic(d.refuse(n, "several edges, and which one is the clock does not show", "name the clock, and test every asynchronous reset"))
	}
	return unread[0]
}

// register makes registers of what a clocked process has written to a variable.
func (d *design) register(n *node, p *process, k key, s *state, resets []sensitivity, held []*state, clock event) {
	if both := s.find(key{k.v, !k.later}); both != nil && k.later {
		panic(d.refuse(n, k.v.name+" has blocking and nonblocking assignments in one process", "use one kind"))
	}
	if k.v.temp {
		return
	}
	plain := &process{design: d} // without fixed inputs
	take := func(s *state) *value {
		if v := s.find(k); v != nil {
			return v
		}
		return plain.entry(k)
	}
	values := []*value{take(s)}
	for _, h := range held {
		values = append(values, take(h))
	}
	for _, bounds := range cuts(values) {
		low, width := bounds[0], bounds[1]-bounds[0]
		written := false
		for _, v := range values {
			written = written || v.parts[v.at(low)].written
		}
		if !written {
			continue
		}
		self := d.g.slice(d.g.variable(k.v), low, width)
		r := register{low: low, width: width, clock: clock, next: values[0].get(d.g, low, width)}
		for i, v := range values[1:] {
			e := v.get(d.g, low, width)
			if e != self && e.op != opConst {
				e = d.settle(e, resets[i])
			}
			switch {
			case e == self:
				e = nil
			case e.op != opConst:
				panic(d.refuse(n, fmt.Sprintf("%s takes a value that is not a constant while %s is on", k.v.name, resets[i].v.name),
					"reset it to a constant, or synchronously"))
			}
			r.resets = append(r.resets, reset{resets[i].event, e})
		}
		k.v.registers = append(k.v.registers, r)
	}
}

// cuts are the ranges in which no value has a boundary.
func cuts(values []*value) (ranges [][2]int) {
	var bounds []int
	for _, v := range values {
		for _, p := range v.parts {
			bounds = append(bounds, p.low, p.end())
		}
	}
	slices.Sort(bounds)
	bounds = slices.Compact(bounds)
	for i := 1; i < len(bounds); i++ {
		ranges = append(ranges, [2]int{bounds[i-1], bounds[i]})
	}
	return ranges
}

// settle computes a value again while a reset is on, through nets that follow the reset.
func (d *design) settle(e *expr, r sensitivity) *expr {
	known := map[*expr]*expr{}
	var again func(e *expr, depth int) *expr
	again = func(e *expr, depth int) *expr {
		if r, ok := known[e]; ok {
			return r
		}
		made := e
		switch {
		case e.op == opVar && e.v == r.v:
			made = d.g.bit(!r.falling)
		case e.op == opVar && depth < 64 && len(e.v.comb) > 0 && e.v.what.bits == 1:
			known[e] = e
			if found := again(e.v.comb[0].e, depth+1); found.op == opConst {
				made = found
			}
		case len(e.args) > 0:
			args := make([]*expr, len(e.args))
			for i, a := range e.args {
				args[i] = again(a, depth)
			}
			made = d.g.rebuild(e, args)
		}
		known[e] = made
		return made
	}
	return again(e, 0)
}

// rebuild makes an expr with other operands.
func (g *graph) rebuild(e *expr, args []*expr) *expr {
	switch e.op {
	case opSlice:
		return g.slice(args[0], e.low, e.width)
	case opDyn:
		return g.dyn(args[0], args[1], e.width)
	case opConcat:
		return g.concat(args...)
	case opSext:
		return g.sext(args[0], e.width)
	case opNot:
		return g.not(args[0])
	case opAnd, opOr, opXor:
		return g.bitwise(e.op, args[0], args[1])
	case opShl, opShr, opSar:
		return g.shift(e.op, args[0], args[1])
	case opEq, opLt, opLtS:
		return g.compare(e.op, args[0], args[1])
	case opMux:
		return g.mux(args[0], args[1], args[2])
	case opAll, opAny, opOdd:
		return g.reduce(e.op, args[0])
	case opWord:
		return g.word(e.v, args[0])
	}
	return g.binary(e.op, args[0], args[1])
}

func (d *design) eventText(e event) string {
	edge := "posedge "
	if e.falling {
		edge = "negedge "
	}
	if e.e.v != nil {
		return edge + e.e.v.name
	}
	return edge + "of an expression"
}
