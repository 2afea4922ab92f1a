package flatten

import (
	"math/big"
	"strings"
)

// A level is one of several selections, such as those of s[i].member[k +: 2], that Verilator has made one: its index adds theirs, and hides
// that one of them lies beyond what it selects from.
type level struct {
	at          *node // its index in the tree before
	room, width int   // bits of what it selects from, and that it selects
}

// nestedSelections are selections from selections of a tree, by their places.
func nestedSelections(root *node) map[string][]*node {
	nested := map[string][]*node{}
	root.each(func(n *node) {
		if n.kind == "SEL" && n.one(1).kind == "SEL" && !n.cutsAnIndex() {
			nested[n.loc] = append(nested[n.loc], n)
		}
	})
	return nested
}

func levels(before *node) (list []level) {
	for ; before.kind == "SEL"; before = before.one(1) {
		list = append(list, level{before.one(2), before.one(1).bitsBefore(), before.bitsBefore()})
	}
	return list
}

// nestedIndex is the index of a selection that stands for several: far beyond the end where one of those is. nil if it stands for itself.
func (p *process) nestedIndex(n *node, s *state) *expr {
	before := p.nested[n.loc]
	if len(before) == 0 || n.kind != "SEL" || n.one(1).kind == "SEL" {
		return nil
	}
	at := p.eval(n.one(2), s)
	var whole *expr
	for _, b := range before {
		switch e := p.total(n, b, at, s); {
		case e == another:
		case e == nil || whole != nil && e != whole:
			return p.anywhere(n, at)
		default:
			whole = e
		}
	}
	if whole == nil {
		return p.anywhere(n, at)
	}
	return whole
}

// indexBits are those of an index that stands for several.
const indexBits = 40

// total adds the indexes of all levels; nil if one of them is not found in what Verilator has made of them, another if that is of other ones.
func (p *process) total(n, before *node, at *expr, s *state) *expr {
	g := p.g
	if ofAnother(innermost(before), n) || p.isAnotherSum(before, n, s) {
		return another
	}
	sum, inside, partly := g.number(indexBits, 0), g.bit(true), g.bit(false)
	for _, l := range levels(before) {
		e := p.levelIndex(n, l, s)
		if e == nil || e == another {
			return e
		}
		sum = g.binary(opAdd, sum, e)
		if last := l.room - l.width; g.most(e).Cmp(big.NewInt(int64(last))) > 0 {
			whole := g.not(g.compare(opLt, g.number(indexBits, last), e))
			inside = g.and(inside, whole)
			if stride := g.stride(e); stride < l.width || l.room%stride != 0 {
				partly = g.or(partly, g.and(g.not(whole), g.compare(opLt, e, g.number(indexBits, l.room))))
			}
		}
	}
	if at.known() && sum.known() && p.differ(n, sum, at) {
		return another
	}
	far := g.mux(inside, sum, g.number(indexBits, 1<<(indexBits-2)))
	if partly.is(0) {
		return far
	}
	written := false
	n.each(func(n *node) { written = written || n.kind == "VARREF" && strings.Contains(n.rest, "[LV]") })
	if written {
		panic(p.refuse(n, "a slice of an element that may reach beyond it", "write it bit by bit, or at multiples of its width"))
	}
	return g.mux(partly, p.g.zext(p.anywhere(n, at), indexBits), far)
}

// isAnotherSum reports whether levels do not add up to what Verilator has made of them.
func (p *process) isAnotherSum(before, n *node, s *state) bool {
	pair := [2]*node{before, n}
	is, known := p.others[pair]
	for trial := 0; trial < trials && !known && !is; trial++ {
		to := p.trial(n, trial, s)
		sum := p.g.number(indexBits, 0)
		for _, l := range levels(before) {
			if e := p.levelIndex(n, l, to); e != nil && e != another {
				sum = p.g.binary(opAdd, sum, e)
			} else {
				sum = p.g.unknown(indexBits)
			}
		}
		if at := p.eval(n.one(2), to); sum.known() && at.known() {
			is = p.differ(n, sum, at)
		}
	}
	p.others[pair] = is
	return is
}

// differ compares the bits of an index that Verilator has left.
func (p *process) differ(n *node, sum, at *expr) bool {
	left := min(indexBits, at.width)
	n.one(2).each(func(n *node) {
		if n.isCut() {
			left = min(left, p.width(n))
		}
	})
	return p.g.slice(sum, 0, left) != p.g.slice(at, 0, left)
}

func innermost(n *node) *node {
	for n.one(1).kind == "SEL" {
		n = n.one(1)
	}
	return n
}

// levelIndex is the index of one level of a selection; nil if it is not found there.
func (p *process) levelIndex(n *node, l level, s *state) *expr {
	of, cut := l.at, l.at.cutsAnIndex()
	if cut {
		of = of.one(1)
	}
	e := p.fixedBefore(of)
	if e == nil || !e.known() {
		for !cut && of.kind == "EXTEND" {
			of = of.one(1)
		}
		look := of
		if cut {
			look = l.at
		}
		var leaf *node
		n.one(2).each(func(n *node) {
			if n.kind == look.kind && n.loc == look.loc && n.isCut() == cut {
				leaf = n // the deepest one: what adds levels has the place of one of them
			}
		})
		if leaf == nil {
			return nil
		}
		if e = p.eval(leaf, s); cut {
			e = p.meant(of, leaf, e, s)
		}
		if e == nil || e == another {
			return e
		}
		e = p.negative(of, e)
	}
	if e.width > indexBits {
		return nil
	}
	return p.g.zext(e, indexBits)
}

// most is a bound of a value.
func (g *graph) most(e *expr) *big.Int {
	bound := mask(e.width)
	switch {
	case e.known():
		return e.value
	case e.op == opConcat:
		sum := new(big.Int)
		for _, a := range e.args {
			sum.Add(sum.Lsh(sum, uint(a.width)), g.most(a))
		}
		return sum
	case e.op == opAdd, e.op == opMul:
		a, b := g.most(e.args[0]), g.most(e.args[1])
		sum := new(big.Int).Add(a, b)
		if e.op == opMul {
			sum.Mul(a, b)
		}
		if sum.Cmp(bound) < 0 {
			return sum
		}
	}
	return bound
}

// stride is a number that divides a value; 1 if none is known.
func (g *graph) stride(e *expr) int {
	if value, ok := e.small(); ok && value > 0 {
		return value
	}
	switch low := e; {
	case e.op == opConcat && e.args[0].is(0):
		return g.stride(g.concat(e.args[1:]...))
	case e.op == opConcat && e.args[len(e.args)-1].is(0) && e.args[len(e.args)-1].width < 16:
		return 1 << e.args[len(e.args)-1].width
	case e.op == opMul && g.most(e).Cmp(mask(e.width)) < 0:
		for _, low = range e.args {
			if value, ok := low.small(); ok && value > 0 {
				return value
			}
		}
	}
	return 1
}
