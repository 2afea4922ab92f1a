package flatten

import (
	"fmt"
	"math/big"
	"math/bits"
)

type target struct {
	v     *variable
	low   int
	width int
	what  *dtype
	steps []step
	off   bool // the target is out of range, and nothing is written
	skip  int  // number of low bits of the value below bit 0, which are not written
}

// A step moves the target by at*stride; at is below count.
type step struct {
	at            *expr
	stride, count int
	room          int
}

func (p *process) locate(n *node, s *state) target {
	p.covered[n.kind] = true
	switch n.kind {
	case "VARREF":
		v := p.variableOf(n)
		return target{v: v, width: v.what.bits, what: v.what}
	case "ARRAYSEL":
		t := p.locate(n.one(1), s)
		if t.what == nil || t.what.element == nil {
			panic(p.refuse(n, "an element of something that is not an array", "select from the array itself"))
		}
		at, count := p.index(n, s), t.what.elements
		t.what = t.what.element
		t.width = t.what.bits
		return t.move(p.g, at, t.width, count, 0)
	case "STRUCTSEL":
		t := p.locate(n.one(1), s)
		m, ok := t.what.members[n.name()]
		if !ok {
			panic(p.refuse(n, "an unknown member of a structure", "declare the structure packed"))
		}
		t.low, t.what, t.width = t.low+m.low, m.what, m.what.bits
		return t
	case "SEL":
		t := p.locate(n.one(1), s)
		room := t.width
		t.what, t.width = nil, p.width(n)
		return t.move(p.g, p.index(n, s), 1, room, room)
	}
	panic(p.unknownNode(n))
}

func (t target) move(g *graph, at *expr, stride, count, room int) target {
	if i, ok := at.small(); ok {
		t.low += i * stride
		t.off = t.off || i >= count
		if room > 0 && i < count {
			t.width = min(t.width, room-i)
		}
		return t
	}
	if at.known() {
		below := new(big.Int).Neg(signed(at))
		if room == 0 || !below.IsInt64() || below.Sign() <= 0 || below.Int64() >= int64(t.width) {
			t.off = true
			return t
		}
		t.skip, t.width = int(below.Int64()), t.width-int(below.Int64())
		return t
	}
	t.steps = append(t.steps[:len(t.steps):len(t.steps)], step{at, stride, count, room})
	return t
}

func (p *process) assign(n *node, s *state, data *expr, later bool) {
	switch n.kind {
	case "CONCAT":
		high, low := n.one(1), n.one(2)
		p.covered[n.kind] = true
		p.assign(high, s, p.g.slice(data, p.width(low), p.width(high)), later)
		p.assign(low, s, p.g.slice(data, 0, p.width(low)), later)
		return
	case "EXTEND", "EXTENDS", "SLICESEL", "STREAML", "STREAMR":
		panic(p.unknownNode(n))
	}
	t := p.locate(n, s)
	if t.off || t.width <= 0 {
		return
	}
	data = p.g.slice(data, t.skip, t.width)
	later = later && !p.initial
	if t.v.memory && !p.initial {
		p.writeMemory(n, t, data, later)
		return
	}
	cells := 1
	for _, step := range t.steps {
		cells *= step.count
	}
	if cells > 1<<16 {
		panic(p.refuse(n, fmt.Sprintf("%s, an array of %d bits with a variable index in a write",
			t.v.name, t.v.what.bits),
			"write it in an always block with one clock and no asynchronous reset, so that it is a memory"))
	}
	p.spread(s.open(key{t.v, later}, p.entry), t, t.low, t.steps, p.g.bit(true), data)
}

func (p *process) spread(v *value, t target, low int, steps []step, when, data *expr) {
	if len(steps) == 0 {
		v.set(p.g, low, p.g.mux(when, data, v.get(p.g, low, t.width)))
		return
	}
	at, stride, count := steps[0].at, steps[0].stride, steps[0].count
	if room := steps[0].room; room > 0 {
		// trailing zeros of the position increase the stride
		for stride < t.width && len(steps) == 1 && at.width > 1 && p.g.slice(at, 0, 1).is(0) {
			at, stride = p.g.slice(at, 1, at.width-1), stride*2
		}
		if stride < t.width || len(steps) > 1 || room%stride != 0 {
			p.slide(v, t, low, steps, when, data)
			return
		}
		count = room / stride
	}
	for i := range count {
		if bits.Len(uint(i)) > at.width {
			break
		}
		here := p.g.and(when, p.g.compare(opEq, at, p.g.number(at.width, i)))
		p.spread(v, t, low+i*stride, steps[1:], here, data)
	}
}

func (p *process) slide(v *value, t target, low int, steps []step, when, data *expr) {
	if len(steps) > 1 {
		for i := range steps[0].count {
			at := steps[0].at
			if bits.Len(uint(i)) > at.width {
				break
			}
			here := p.g.and(when, p.g.compare(opEq, at, p.g.number(at.width, i)))
			p.spread(v, t, low+i, steps[1:], here, data)
		}
		return
	}
	// a slice may begin below bit 0, so the vector is extended downwards
	g, room, below := p.g, steps[0].room, t.width-1
	at := steps[0].at
	if at.width < 32 {
		at = g.zext(at, 32)
		// the position is negative if signed, otherwise out of range
	} else if sign := g.slice(at, at.width-1, 1); below > 0 && !sign.is(0) {
		when = g.and(when, g.or(g.not(sign), g.anything(t.v.at, 1)))
	}
	at = g.binary(opAdd, at, g.number(at.width, below))
	old := v.get(g, low, room)
	hole := g.slice(g.shift(opShl, g.zext(g.constant(t.width, mask(t.width)), room+below), at), below, room)
	full := g.slice(g.shift(opShl, g.zext(data, room+below), at), below, room)
	v.set(g, low, g.mux(when, g.or(g.and(old, g.not(hole)), full), old))
}

func (p *process) writeMemory(n *node, t target, data *expr, later bool) {
	word := t.v.what.element.bits
	several := t.low%word+t.width > word // an assignment such as '{default: 0} writes several words
	if several || !later || !p.clocked || len(t.steps) > 1 || p.fixedReset || len(t.steps) == 1 && t.steps[0].room > 0 {
		panic(demotion{t.v})
	}
	address := p.g.number(32, t.low/word)
	when := p.when(0)
	if len(t.steps) == 1 {
		at, count := t.steps[0].at, t.steps[0].count
		address, when = p.address(at, count), p.g.and(when, p.within(at, count))
	} else if p.fixedWords[t.v]++; p.fixedWords[t.v] > 4 { // a register file with reset
		panic(demotion{t.v})
	}
	p.writes = append(p.writes, memoryWrite{t.v, when, address, t.low % word, t.width, data})
}

func (p *process) within(at *expr, count int) *expr {
	if at.width < 31 && 1<<at.width <= count {
		return p.g.bit(true)
	}
	return p.g.compare(opLt, at, p.g.number(at.width, count))
}
