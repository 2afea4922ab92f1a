package flatten

import (
	"math/big"
	"strings"
)

// index returns the index of a selection as written in the source. Verilator truncates indexes to the bits that valid
// elements need, which hides overflow; the tree before this truncation contains the whole index.
func (p *process) index(n *node, s *state) *expr {
	cut := n.one(2)
	if n.isCut() { // a truncation by Verilator
		return p.eval(cut, s)
	}
	if nested := p.nestedIndex(n, s); nested != nil {
		return nested
	}
	left := p.eval(cut, s) // the sign of the truncated index may differ from that of the whole index
	at := p.negative(cut, left)
	if i, ok := at.small(); ok {
		for _, meant := range p.Beyond[p.place(n)] {
			if meant != i && meant&(1<<at.width-1) == i {
				return p.g.constant(64, new(big.Int).And(big.NewInt(int64(meant)), mask(64)))
			}
		}
	}
	var whole *expr
	for _, before := range p.whole[n.loc] {
		selection := before.parent
		if selection.isCut() {
			selection = selection.parent
		}
		e := another
		if !ofAnother(selection, n) {
			e = p.meant(before, cut, s)
		}
		if e != nil && e != another {
			e = p.negative(before, e)
		}
		switch {
		case e == another:
		case e == nil || whole != nil && e != whole:
			return p.anywhere(n, left)
		default:
			whole = e
		}
	}
	switch {
	case whole != nil && p.g.agree(whole, left, min(whole.width, left.width)):
		return whole
	case p.whole[n.loc] != nil:
		return p.anywhere(n, left)
	}
	return at
}

// meant returns the whole index that Verilator truncated to cut, or the value another if before belongs to a
// different index.
func (p *process) meant(before, cut *node, s *state) *expr {
	if p.isAnother(before, cut, s) {
		return another
	}
	return p.computed(before, cut, s)
}

const trials = 16

// isAnother reports whether before is not the source of cut, because the low bits differ for some values of the
// variables. One place may have several trees, because of other parameters of the module or iterations of generate.
func (p *process) isAnother(before, cut *node, s *state) bool {
	pair := [2]*node{before, cut}
	is, known := p.others[pair]
	for trial := 0; trial < trials && !known && !is; trial++ {
		to := p.trial(cut, trial, s)
		if e, at := p.computed(before, cut, to), p.eval(cut, to); e != nil && e.known() && at.known() {
			bits := min(e.width, at.width)
			is = p.g.slice(e, 0, bits) != p.g.slice(at, 0, bits)
		}
	}
	p.others[pair] = is
	return is
}

func (p *process) trial(n *node, trial int, s *state) *state {
	to := newState(s)
	n.each(func(n *node) {
		if n.kind == "VARREF" {
			if v := p.variableOf(n); !v.memory && !v.constant {
				value := uint64(v.index+1) * uint64(trial+1) * 0x9e3779b97f4a7c15 >> (4 * trial)
				to.open(key{v, false}, p.entry).set(p.g, 0, p.g.constant(v.what.bits, new(big.Int).SetUint64(value)))
			}
		}
	})
	return to
}

// anywhere returns an index with only the low bits known. The index may be out of range at either end.
func (p *process) anywhere(n *node, at *expr) *expr {
	return p.g.sext(p.g.concat(p.unknown(n, 2), at), max(32, at.width+2))
}

func (p *process) negative(n *node, at *expr) *expr {
	if n.signed() && at.op != opConst {
		return p.g.sext(at, max(at.width, 32))
	}
	return at
}

// another marks the index of a module instance with other parameters.
var another = &expr{}

// computed evaluates an index of the earlier tree with the operands' values in Verilator's tree. It returns nil for
// an operand that is missing or ambiguous in Verilator's tree.
func (p *process) computed(before, after *node, s *state) *expr {
	width := before.bitsBefore()
	if width == 0 {
		return nil
	}
	if fixed := p.fixedBefore(p.g, before); fixed != nil {
		return fixed
	}
	if e := p.computedOf(before, after, s); e != nil {
		return e
	}
	var found *expr
	several := false
	after.outsideCalls(func(n *node) {
		if n.isLater(before) && n.loc == before.loc && n.extendsAt(before) {
			e := p.eval(n, s)
			several = several || e.width != width || e.op == opConst && !e.known() || found != nil && found != e
			found = e
		}
	})
	if several {
		return nil
	}
	return found
}

func (p *process) computedOf(before, after *node, s *state) *expr {
	do := operations[before.kind]
	if do == nil {
		return nil
	}
	if before.kind == "COND" {
		if c := p.fixedBefore(p.g, before.one(1)); c != nil {
			return p.computed(before.one(3-c.value.Sign()), after, s)
		}
	}
	var of []*expr
	for i := 1; i <= len(before.operands) && before.one(i) != nil; i++ {
		e := p.computed(before.one(i), after, s)
		if e == nil {
			return nil
		}
		of = append(of, e)
	}
	return do(p.g, of, before.bitsBefore())
}

// isLater reports whether a node of the later tree may correspond to a node of the earlier tree. Verilator 5.048
// replaces 2 ** e by 1 << e.
func (n *node) isLater(before *node) bool {
	return n.kind == before.kind || before.kind == "FUNCREF" && n.isResult() ||
		n.kind == "SHIFTL" && strings.HasPrefix(before.kind, "POW")
}

// extendsAt reports whether two extensions extend the same place. In Verilator 5.032 several extensions may share a
// place.
func (n *node) extendsAt(before *node) bool {
	return n.kind != "EXTEND" || before.kind != n.kind || n.one(1).loc == before.one(1).loc
}

func (n *node) isResult() bool {
	return n.kind == "EXPRSTMT" || n.kind == "VARREF" && strings.Contains(n.rest, "__Vfuncout")
}

// nestedIndex returns the index of a selection that Verilator merged from several selections. If one of the merged
// indexes is out of its own range, the result is far out of range. For a selection that is not merged, nestedIndex
// returns nil.
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

// total adds the indexes of all levels. It returns nil if Verilator's tree lacks one of the indexes, and another if
// an index belongs to a different instance.
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
	if !g.agree(sum, at, p.bitsLeft(n, at)) ||
		!g.agree(g.mux(inside, sum, g.zext(at, indexBits)), at, min(indexBits, at.width)) {
		return nil
	}
	far := g.mux(inside, sum, g.number(indexBits, 1<<(indexBits-2)))
	if partly.is(0) {
		return far
	}
	written := false
	n.each(func(n *node) { written = written || n.kind == "VARREF" && strings.Contains(n.rest, "[LV]") })
	if written {
		panic(p.refuse(n, "a slice that may extend beyond its element",
			"write it bit by bit, or at multiples of its width"))
	}
	return g.mux(partly, p.g.zext(p.anywhere(n, at), indexBits), far)
}

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

func (p *process) differ(n *node, sum, at *expr) bool {
	left := p.bitsLeft(n, at)
	return p.g.slice(sum, 0, left) != p.g.slice(at, 0, left)
}

func (p *process) bitsLeft(n *node, at *expr) int {
	left := min(indexBits, at.width)
	n.one(2).outsideCalls(func(n *node) {
		if n.isCut() {
			left = min(left, p.width(n))
		}
	})
	return left
}

func (p *process) levelIndex(n *node, l level, s *state) *expr {
	of, cut := l.at, l.at.cutsAnIndex()
	if cut {
		of = of.one(1)
	}
	e := p.computed(of, n.one(2), s)
	if e == nil {
		for !cut && of.kind == "EXTEND" {
			of = of.one(1)
		}
		look := of
		if cut {
			look = l.at
		}
		var leaf *node
		n.one(2).outsideCalls(func(n *node) {
			if n.kind == look.kind && n.loc == look.loc && n.isCut() == cut {
				leaf = n // the deepest node, because an addition of levels shares the place of one level
			}
		})
		if leaf == nil {
			return nil
		}
		if e = p.eval(leaf, s); cut {
			e = p.meant(of, leaf, s)
		}
		if e == nil || e == another {
			return e
		}
	}
	e = p.negative(of, e)
	if e.width > indexBits { // the shortened index is still out of the range of any vector
		const low = indexBits - 2
		return p.g.concat(p.g.number(1, 0), p.g.reduce(opAny, p.g.slice(e, low, e.width-low)), p.g.slice(e, 0, low))
	}
	return p.g.zext(e, indexBits)
}
