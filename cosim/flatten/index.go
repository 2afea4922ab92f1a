package flatten

import (
	"math/big"
	"strings"
)

// index is the index of a selection as the source has it. Verilator cuts it to the bits that are needed for
// all elements, which would hide that it may be beyond them, and computes the rest with so few bits; the
// tree before that has it whole.
func (p *process) index(n *node, s *state) *expr {
	cut := n.one(2)
	if n.isCut() { // it is no selection of the source
		return p.eval(cut, s)
	}
	if nested := p.nestedIndex(n, s); nested != nil {
		return nested
	}
	left := p.eval(cut, s) // its sign is not that of the whole
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
		e := another
		if !ofAnother(before.parent.parent, n) {
			e = p.meant(before, cut, at, s)
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

// meant is the whole index that Verilator has cut to at, if before is the tree of that.
func (p *process) meant(before, cut *node, at *expr, s *state) *expr {
	if p.isAnother(before, cut, s) {
		return another
	}
	if e := p.computed(before, cut, s); e != nil && (e.known() || e.op != opConst) {
		return e
	}
	if left := p.eval(cut, s); p.mostBefore(before, cut, s).BitLen() <= left.width {
		return p.g.zext(left, before.bitsBefore())
	}
	return p.widen(before, cut, s)
}

// mostBefore is a bound of what Verilator has cut, or of a part of it, as a value without a sign.
func (p *process) mostBefore(before, cut *node, s *state) *big.Int {
	width := before.bitsBefore()
	bound := mask(width)
	if c := p.computed(before, cut, s); c != nil && c.known() {
		return c.value
	}
	of := func(operand int) *big.Int { return p.mostBefore(before.one(operand), cut, s) }
	positive := func(operand int) bool { return of(operand).BitLen() < before.one(operand).bitsBefore() }
	most := new(big.Int)
	switch before.kind {
	case "EXTEND":
		most = of(1)
	case "EXTENDS":
		if most = bound; positive(1) {
			most = of(1)
		}
	case "AND":
		if most = of(1); of(2).Cmp(most) < 0 {
			most = of(2)
		}
	case "OR", "XOR":
		most = mask(max(of(1).BitLen(), of(2).BitLen()))
	case "ADD":
		most.Add(of(1), of(2))
	case "MUL", "MULS":
		most.Mul(of(1), of(2))
	case "COUNTONES", "CLOG2": // of as many bits, and none is larger than it
		most.SetInt64(int64(before.one(1).bitsBefore()))
	case "COND":
		if most = of(2); of(3).Cmp(most) > 0 {
			most = of(3)
		}
	case "DIV", "MODDIV", "DIVS", "MODDIVS":
		most = bound
		by := p.fixedBefore(p.g, before.one(2))
		if by == nil || !by.known() || by.value.Sign() == 0 || strings.HasSuffix(before.kind, "S") && !(positive(1) && positive(2)) {
			break
		}
		if most = new(big.Int).Div(of(1), by.value); strings.HasPrefix(before.kind, "MOD") {
			if most = of(1); by.value.Cmp(most) <= 0 {
				most = new(big.Int).Sub(by.value, big.NewInt(1))
			}
		}
	default:
		most = bound
	}
	if most.Cmp(bound) > 0 {
		return bound
	}
	return most
}

// trials is with how many values two trees are compared.
const trials = 16

// isAnother reports whether a tree is not what Verilator has cut: with some values of the variables its low bits are others. Modules with
// other parameters and other turns of generate have trees at the same place.
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

// trial is a state in which what an expression reads has values.
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

// anywhere is an index of which only the low bits are known: it may lie within, or beyond either end.
func (p *process) anywhere(n *node, at *expr) *expr {
	return p.g.sext(p.g.concat(p.unknown(n, 2), at), max(32, at.width+2))
}

// negative makes an index with a sign so wide that it lies beyond the end where it is negative.
func (p *process) negative(n *node, at *expr) *expr {
	if n.signed() && at.op != opConst {
		return p.g.sext(at, max(at.width, 32))
	}
	return at
}

// another is the index of a module with other parameters.
var another = &expr{}

// widen computes what was cut: before is the whole expression, after what Verilator has made of it. nil if
// they are not alike.
func (p *process) widen(before, after *node, s *state) *expr {
	if e := p.widenAlike(before, after, s); e != nil {
		return e
	}
	return p.widenLess(before, after, s)
}

// neutral are the operands that Verilator leaves out: a constant whose bits that are left are those of the number.
var neutral = map[string]int64{"ADD": 0, "SUB": 0, "OR": 0, "XOR": 0, "MUL": 1, "MULS": 1}

// widenLess computes an operation of which Verilator has left out a neutral constant.
func (p *process) widenLess(before, after *node, s *state) *expr {
	number, ok := neutral[before.kind]
	if !ok {
		return nil
	}
	width := before.bitsBefore()
	for operand := 2; operand >= 1 && (operand == 2 || before.kind != "SUB"); operand-- {
		c := p.fixedBefore(p.g, before.one(operand))
		if c == nil || !c.known() || !p.g.slice(c, 0, min(p.eval(after, s).width, c.width)).is(number) {
			continue
		}
		if left := p.widen(before.one(3-operand), after, s); left != nil && left != another {
			return wholeOf[before.kind](p.g, p.g.zext(left, width), p.g.zext(c, width))
		}
	}
	return nil
}

// computed computes an index: what it consists of has the values that it has in what Verilator has made of it. nil if something is
// missing there, or stands there with several values.
func (p *process) computed(before, after *node, s *state) *expr {
	width := before.bitsBefore()
	if width == 0 {
		return nil
	}
	operand := func(n int) *expr {
		of := before.one(n)
		if e := p.computed(of, after, s); e != nil && (e.known() || e.op != opConst) {
			return e
		}
		return nil
	}
	switch before.kind {
	case "CASTCUT":
		if a := operand(1); a != nil {
			return p.g.slice(a, 0, width)
		}
		return nil
	case "EXTEND", "EXTENDS", "NOT", "NEGATE":
		if a := operand(1); a != nil {
			return extended[before.kind](p.g, a, width)
		}
		return nil
	}
	if whole := wholeOf[before.kind]; whole != nil {
		a, b := operand(1), operand(2)
		if divides := strings.Contains(before.kind, "DIV"); a != nil && b != nil && (!divides || b.known() && !b.is(0)) {
			return whole(p.g, p.g.zext(a, width), p.g.zext(b, width))
		}
		return nil
	}
	if fixed := p.fixedBefore(p.g, before); fixed != nil {
		return fixed
	}
	var found *expr
	after.each(func(n *node) {
		if (n.kind == before.kind || before.kind == "FUNCREF" && n.isResult()) && n.loc == before.loc {
			if e := p.eval(n, s); e.width == width && (found == nil || found == e) {
				found = e
			} else {
				found = p.g.unknown(width)
			}
		}
	})
	return found
}

// isResult reports whether a node is what an inlined call of a function has returned.
func (n *node) isResult() bool {
	return n.kind == "VARREF" && strings.Contains(n.rest, "__Vfuncout")
}

// widenAlike computes an expression of which all operands are left.
func (p *process) widenAlike(before, after *node, s *state) *expr {
	width := before.bitsBefore()
	switch {
	case width == 0:
		return nil
	case after.kind == "CONST":
		whole, cut := p.fixedBefore(p.g, before), p.eval(after, s)
		if whole != nil && p.g.slice(whole, 0, min(cut.width, width)) != p.g.slice(cut, 0, min(cut.width, width)) {
			return another
		}
		return whole
	case after.isCut() && p.eval(after.one(1), s).width == width:
		if whole := after.one(1); whole.loc != before.loc || whole.kind != before.kind {
			return p.widenAlike(before, whole, s) // a constant that is cut off is none
		}
		return p.eval(after.one(1), s)
	case after.shifts(before):
		return p.widenShifted(before, after, width, s)
	case before.kind == "EXTEND" || before.kind == "EXTENDS":
		if after.kind == before.kind && after.loc == before.loc {
			after = after.one(1)
		}
		inner := p.widen(before.one(1), after, s)
		switch {
		case inner == nil || inner == another:
			return inner
		case before.kind == "EXTENDS":
			return p.g.sext(inner, width)
		}
		return p.g.zext(inner, width)
	case before.kind == "COND":
		return p.widenChoice(before, after, s)
	case before.kind != after.kind:
		return nil
	}
	return p.widenSame(before, after, width, s)
}

// widenChoice computes `c ? a : b`, of which one side is left where c is a constant.
func (p *process) widenChoice(before, after *node, s *state) *expr {
	if c := p.fixedBefore(p.g, before.one(1)); c != nil && c.known() {
		chosen := before.one(3)
		if c.value.Sign() != 0 {
			chosen = before.one(2)
		}
		return p.widen(chosen, after, s)
	}
	if after.kind != "COND" {
		return nil
	}
	a, b := p.widen(before.one(2), after.one(2), s), p.widen(before.one(3), after.one(3), s)
	switch {
	case a == nil || b == nil:
		return nil
	case a == another || b == another:
		return another
	}
	return p.g.mux(p.condition(after.one(1), s), a, b)
}

// shifts reports whether a shift stands for a multiplication of the tree before.
func (n *node) shifts(before *node) bool {
	return n.kind == "SHIFTL" && n.loc == before.loc && (before.kind == "MUL" || before.kind == "MULS") && n.one(2).kind == "CONST"
}

// widenShifted computes a product by a power of 2, which Verilator makes a shift.
func (p *process) widenShifted(before, after *node, width int, s *state) *expr {
	by, ok := p.eval(after.one(2), s).small()
	for factor := 1; ok && by < width && factor <= 2; factor++ {
		constant := p.fixedBefore(p.g, before.one(factor))
		if constant == nil || constant.op != opConst || constant.value.Cmp(new(big.Int).Lsh(big.NewInt(1), uint(by))) != 0 {
			continue
		}
		a := p.widen(before.one(3-factor), after.one(1), s)
		if a == nil || a == another {
			return a
		}
		return p.g.binary(opMul, p.g.zext(a, width), p.g.zext(constant, width))
	}
	return nil
}

// widenSame computes an operation that is the same in both trees.
func (p *process) widenSame(before, after *node, width int, s *state) *expr {
	switch before.kind {
	case "ADD", "SUB", "MUL", "MULS", "AND", "OR", "XOR":
		a, b := p.widen(before.one(1), after.one(1), s), p.widen(before.one(2), after.one(2), s)
		if (a == nil || b == nil) && before.kind != "SUB" { // constants go to the left
			a, b = p.widen(before.one(1), after.one(2), s), p.widen(before.one(2), after.one(1), s)
		}
		switch {
		case a == nil || b == nil:
			return nil
		case a == another || b == another:
			return another
		}
		return wholeOf[before.kind](p.g, p.g.zext(a, width), p.g.zext(b, width))
	case "NOT", "NEGATE":
		a := p.widen(before.one(1), after.one(1), s)
		if a == nil || a == another {
			return a
		}
		if a = p.g.zext(a, width); before.kind == "NOT" {
			return p.g.not(a)
		}
		return p.g.binary(opSub, p.g.number(width, 0), a)
	}
	if e := p.eval(after, s); before.loc == after.loc && e.width == width {
		return e
	}
	return nil
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
	if !g.agree(sum, at, p.bitsLeft(n, at)) || !g.agree(g.mux(inside, sum, g.zext(at, indexBits)), at, min(indexBits, at.width)) {
		return nil
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
	left := p.bitsLeft(n, at)
	return p.g.slice(sum, 0, left) != p.g.slice(at, 0, left)
}

// bitsLeft are those of each level of an index that Verilator has left.
func (p *process) bitsLeft(n *node, at *expr) int {
	left := min(indexBits, at.width)
	n.one(2).each(func(n *node) {
		if n.isCut() {
			left = min(left, p.width(n))
		}
	})
	return left
}

// levelIndex is the index of one level of a selection; nil if it is not found there.
func (p *process) levelIndex(n *node, l level, s *state) *expr {
	of, cut := l.at, l.at.cutsAnIndex()
	if cut {
		of = of.one(1)
	}
	e := p.computed(of, n.one(2), s)
	if e == nil || e.op == opConst && !e.known() {
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
	}
	e = p.negative(of, e)
	if e.width > indexBits { // what is larger stays larger than any vector
		const low = indexBits - 2
		return p.g.concat(p.g.number(1, 0), p.g.reduce(opAny, p.g.slice(e, low, e.width-low)), p.g.slice(e, 0, low))
	}
	return p.g.zext(e, indexBits)
}
