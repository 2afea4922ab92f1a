package flatten

import (
	"fmt"
	"slices"
	"strings"
)

func (d *design) elaborate() {
	d.powerOn()
	var clocked []*node
	for _, n := range d.processes {
		d.covered[n.kind] = true
		if n.kind == "ALWAYS" && d.edges(n) {
			clocked = append(clocked, n)
			continue
		}
		d.combine(n)
	}
	for _, n := range clocked {
		d.clock(n)
	}
	for _, v := range d.variables { // memories with constant addresses only are registers
		if len(v.ports) > 0 && !slices.ContainsFunc(v.ports, func(w writePort) bool { return !w.address.known() }) {
			panic(demotion{v})
		}
	}
}

func (d *design) edges(n *node) bool {
	tree := n.one(1)
	if tree == nil {
		return false
	}
	edges, levels := 0, 0
	for _, item := range tree.operands[0] {
		d.covered[item.kind] = true
		switch {
		case strings.Contains(item.rest, "[POS]"), strings.Contains(item.rest, "[NEG]"):
			edges++
		case strings.Contains(item.rest, "[BOTH]"):
			panic(d.refuse(item, "both edges of a clock", "use one edge"))
		default:
			levels++
		}
	}
	if edges > 0 && levels > 0 {
		panic(d.refuse(n, "edges and levels in one sensitivity list", "write one always for each"))
	}
	return edges > 0
}

func (d *design) combine(n *node) {
	p := d.newProcess()
	s := newState(nil)
	if n.kind == "ASSIGNW" {
		s = p.run([]*node{n}, s)
	} else {
		s = p.run(n.operands[1], s)
	}
	own := map[*variable][]part{}
	for _, k := range touched(nil, s) {
		if both := s.find(key{k.v, !k.later}); both != nil && k.later {
			panic(d.refuse(n, k.v.name+" has blocking and nonblocking assignments in one process", "use one kind"))
		}
		for _, part := range s.find(k).parts {
			if part.written {
				own[k.v] = append(own[k.v], part)
			}
		}
	}
	for _, k := range touched(nil, s) {
		k.v.comb = append(k.v.comb, own[k.v]...)
		if n.kind != "ASSIGNW" {
			for _, part := range own[k.v] {
				d.latches = append(d.latches, latch{n, k.v, part, own})
			}
		}
	}
	for _, v := range p.violations {
		d.check(v, "", v.when)
	}
	if n.kind != "ASSIGNW" {
		d.listens(n, own, p)
	}
}

func (d *design) listens(n *node, own map[*variable][]part, p *process) {
	tree := n.one(1)
	if tree == nil || len(tree.operands[0]) == 0 {
		return
	}
	heard := map[*variable]bool{}
	for _, item := range tree.operands[0] {
		if of := item.one(1); of != nil && of.kind == "VARREF" {
			heard[d.variableOf(of)] = true
		}
	}
	var needed []*expr
	for _, v := range d.variables {
		for _, part := range own[v] {
			needed = append(needed, part.e)
		}
	}
	walk(needed, func(e *expr) {
		if e.v != nil && !heard[e.v] && own[e.v] == nil {
			panic(d.refuse(n, "its sensitivity list lacks "+e.v.name, "write always @*"))
		}
	})
}

func (d *design) powerOn() {
	p := d.newProcess()
	p.initial = true
	s := newState(nil)
	for _, v := range d.variables {
		for _, child := range v.at.operands[2] {
			s.open(key{v, false}, p.entry).set(d.g, 0, d.g.zext(p.eval(child, s), v.what.bits))
		}
	}
	for _, n := range d.initials {
		p.path = nil
		d.covered[n.kind] = true
		if s = p.run(n.operands[1], s); s == nil {
			panic(d.refuse(n, "a jump out of an initial block", "write it with if"))
		}
	}
	for _, v := range p.violations {
		if v.when.is(1) {
			panic(d.refuse(v.at, "the design ends before its first cycle: "+v.text, "give parameters that it allows"))
		}
		d.drop(v.at, "an assertion of an initial block")
	}
	for _, k := range touched(nil, s) {
		known := s.find(k)
		if k.v.temp {
			continue
		}
		k.v.power = &value{}
		for _, part := range known.parts {
			if part.written && part.e.op != opConst {
				d.drop(k.v.at, fmt.Sprintf("the power-on value of %s, which is not a constant", k.v.name))
				part.e, part.written = d.g.unknown(part.width), false
			}
			k.v.power.parts = append(k.v.power.parts, part)
		}
		rom := k.v.what.element != nil || len(k.v.at.operands[2]) > 0
		k.v.constant = rom && !k.v.input && !d.written[k.v]
	}
}
