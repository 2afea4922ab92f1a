package flatten

import (
	"fmt"
	"math/big"
	"strings"
)

// A graph interns expressions and folds expressions with constant operands.
type graph struct {
	known   map[string]*expr
	free    []*node // places of X, by free value
	sampled [samples]map[*expr]*expr
}

func newGraph() *graph { return &graph{known: map[string]*expr{}} }

// waysMax is the maximum number of constants that are tracked for a choice, such as the count of a loop with an early
// exit.
const waysMax = 64

func (g *graph) each(e *expr, do func(*expr) *expr) *expr {
	if e.op != opMux || e.ways == 0 {
		return nil
	}
	side := func(a *expr) *expr {
		if a.op == opConst {
			return do(a)
		}
		return g.each(a, do)
	}
	return g.mux(e.args[0], side(e.args[1]), side(e.args[2]))
}

func (g *graph) intern(e expr) *expr {
	var key strings.Builder
	fmt.Fprintf(&key, "%d %d %d", e.op, e.width, e.low)
	for _, a := range e.args {
		fmt.Fprintf(&key, " %d", a.id)
	}
	if e.value != nil {
		fmt.Fprintf(&key, " %s %s", e.value.Text(62), e.x.Text(62))
	}
	if e.v != nil {
		fmt.Fprintf(&key, " v%d", e.v.index)
	}
	if old, ok := g.known[key.String()]; ok {
		return old
	}
	e.id = len(g.known)
	switch {
	case e.op == opConst:
		e.ways = 1
	case e.op == opMux && e.args[1].ways > 0 && e.args[2].ways > 0 && e.args[1].ways+e.args[2].ways <= waysMax:
		e.ways = e.args[1].ways + e.args[2].ways
	}
	made := &e
	g.known[key.String()] = made
	return made
}

func mask(width int) *big.Int {
	one := big.NewInt(1)
	return new(big.Int).Sub(new(big.Int).Lsh(one, uint(width)), one)
}

var zero = new(big.Int)

func (g *graph) constant(width int, value *big.Int) *expr { return g.partly(width, value, zero) }

func (g *graph) partly(width int, value, x *big.Int) *expr {
	x = new(big.Int).And(x, mask(width))
	value = new(big.Int).AndNot(new(big.Int).And(value, mask(width)), x)
	return g.intern(expr{op: opConst, width: width, value: value, x: x})
}

func (g *graph) number(width int, value int) *expr {
	return g.constant(width, big.NewInt(int64(value)))
}

func (g *graph) unknown(width int) *expr { return g.partly(width, zero, mask(width)) }

type two = func(g *graph, a, b *expr) *expr

func (g *graph) anything(at *node, width int) *expr {
	g.free = append(g.free, at)
	return g.intern(expr{op: opFree, width: width, low: len(g.free) - 1})
}

func (g *graph) bit(on bool) *expr {
	if on {
		return g.number(1, 1)
	}
	return g.number(1, 0)
}

func (e *expr) known() bool { return e.op == opConst && e.x.Sign() == 0 }

func (e *expr) is(value int64) bool { return e.known() && e.value.Cmp(big.NewInt(value)) == 0 }

func (e *expr) allOnes() bool { return e.known() && e.value.Cmp(mask(e.width)) == 0 }

func (e *expr) small() (int, bool) {
	if !e.known() || !e.value.IsInt64() || e.value.Int64() > 1<<31 {
		return 0, false
	}
	return int(e.value.Int64()), true
}

func (g *graph) variable(v *variable) *expr {
	return g.intern(expr{op: opVar, width: v.what.bits, v: v})
}

func (g *graph) slice(e *expr, low, width int) *expr {
	switch {
	case low == 0 && width == e.width:
		return e
	case low+width > e.width || low < 0:
		return g.beyond(e, low, width)
	}
	if made := g.each(e, func(e *expr) *expr { return g.slice(e, low, width) }); made != nil {
		return made
	}
	switch e.op {
	case opConst:
		return g.partly(width, new(big.Int).Rsh(e.value, uint(low)), new(big.Int).Rsh(e.x, uint(low)))
	case opSlice:
		return g.slice(e.args[0], e.low+low, width)
	case opConcat:
		return g.sliceOfConcat(e, low, width)
	case opSext:
		if inner := e.args[0]; low+width <= inner.width {
			return g.slice(inner, low, width)
		}
	}
	return g.intern(expr{op: opSlice, width: width, low: low, args: []*expr{e}})
}

func (g *graph) beyond(e *expr, low, width int) *expr {
	from, end := max(low, 0), min(low+width, e.width)
	if from >= end {
		return g.unknown(width)
	}
	parts := []*expr{g.slice(e, from, end-from)}
	if low+width > end {
		parts = append([]*expr{g.unknown(low + width - end)}, parts...)
	}
	if low < from {
		parts = append(parts, g.unknown(from-low))
	}
	return g.concat(parts...)
}

func (g *graph) sliceOfConcat(e *expr, low, width int) *expr {
	var parts []*expr
	top := e.width
	for _, a := range e.args {
		bottom := top - a.width
		from, end := max(low, bottom), min(low+width, top)
		if from < end {
			parts = append(parts, g.slice(a, from-bottom, end-from))
		}
		top = bottom
	}
	return g.concat(parts...)
}

// concat joins values, highest first, and merges neighbours where possible.
func (g *graph) concat(parts ...*expr) *expr {
	var flat []*expr
	var add func(e *expr)
	add = func(e *expr) {
		if e.op == opConcat {
			for _, a := range e.args {
				add(a)
			}
			return
		}
		if len(flat) > 0 {
			if joined := g.join(flat[len(flat)-1], e); joined != nil {
				flat[len(flat)-1] = joined
				return
			}
		}
		flat = append(flat, e)
	}
	for _, p := range parts {
		if p.width > 0 {
			add(p)
		}
	}
	if len(flat) == 1 {
		return flat[0]
	}
	width := 0
	for _, e := range flat {
		width += e.width
	}
	return g.intern(expr{op: opConcat, width: width, args: flat})
}

func (g *graph) join(high, low *expr) *expr {
	if high.op == opConst && low.op == opConst {
		shift := uint(low.width)
		return g.partly(high.width+low.width,
			new(big.Int).Or(new(big.Int).Lsh(high.value, shift), low.value),
			new(big.Int).Or(new(big.Int).Lsh(high.x, shift), low.x))
	}
	if high.op != opSlice && low.op != opSlice {
		return nil
	}
	of := func(e *expr) (*expr, int) {
		if e.op == opSlice {
			return e.args[0], e.low
		}
		return e, 0
	}
	a, from := of(high)
	b, at := of(low)
	if a == b && from == at+low.width {
		return g.slice(a, at, high.width+low.width)
	}
	return nil
}

func (g *graph) zext(e *expr, width int) *expr {
	if width <= e.width {
		return g.slice(e, 0, width)
	}
	return g.concat(g.number(width-e.width, 0), e)
}

func (g *graph) sext(e *expr, width int) *expr {
	switch {
	case width <= e.width:
		return g.slice(e, 0, width)
	case e.known():
		return g.constant(width, signed(e))
	}
	return g.intern(expr{op: opSext, width: width, args: []*expr{e}})
}

func signed(e *expr) *big.Int {
	if e.value.Bit(e.width-1) == 0 {
		return e.value
	}
	return new(big.Int).Sub(e.value, new(big.Int).Lsh(big.NewInt(1), uint(e.width)))
}

func (g *graph) not(e *expr) *expr {
	switch {
	case e.known():
		return g.constant(e.width, new(big.Int).Xor(e.value, mask(e.width)))
	case e.op == opNot:
		return e.args[0]
	}
	return g.intern(expr{op: opNot, width: e.width, args: []*expr{e}})
}

func (g *graph) and(a, b *expr) *expr { return g.bitwise(opAnd, a, b) }
func (g *graph) or(a, b *expr) *expr  { return g.bitwise(opOr, a, b) }
func (g *graph) xor(a, b *expr) *expr { return g.bitwise(opXor, a, b) }

func (g *graph) bitwise(op operation, a, b *expr) *expr {
	if b.known() || b.id < a.id && !a.known() {
		a, b = b, a
	}
	none := a.is(0)
	switch {
	case a.known() && b.known():
		return g.binary(op, a, b)
	case op == opAnd && none, op == opOr && a.allOnes():
		return a
	case op == opAnd && a.allOnes(), (op == opOr || op == opXor) && none:
		return b
	case op == opXor && a.allOnes():
		return g.not(b)
	case a == b && op == opXor:
		return g.number(a.width, 0)
	case a == b:
		return a
	case a.op == opNot && a.args[0] == b, b.op == opNot && b.args[0] == a:
		if op == opAnd {
			return g.number(a.width, 0)
		}
		return g.constant(a.width, mask(a.width))
	case a.known() && op != opXor: // a constant decides some bits alone
		return g.masked(op, a, b)
	}
	return g.intern(expr{op: op, width: a.width, args: []*expr{a, b}})
}

func (g *graph) masked(op operation, constant, e *expr) *expr {
	var parts []*expr
	for end := e.width; end > 0; {
		on := constant.value.Bit(end - 1)
		low := end - 1
		for low > 0 && constant.value.Bit(low-1) == on {
			low--
		}
		part := g.slice(e, low, end-low)
		if (on == 0) == (op == opAnd) {
			part = g.slice(constant, low, end-low)
		}
		parts = append(parts, part)
		end = low
	}
	return g.concat(parts...)
}

func (g *graph) binary(op operation, a, b *expr) *expr {
	if a.known() && b.known() {
		if value := compute(op, a, b); value != nil {
			return g.constant(a.width, value)
		}
		return g.unknown(a.width)
	}
	for _, e := range []*expr{a, b} {
		if e.op == opConst && !e.known() {
			return g.unknown(a.width)
		}
	}
	if b.known() {
		if e := g.each(a, func(a *expr) *expr { return g.binary(op, a, b) }); e != nil {
			return e
		}
	}
	if a.known() {
		if e := g.each(b, func(b *expr) *expr { return g.binary(op, a, b) }); e != nil {
			return e
		}
	}
	switch op {
	case opAdd:
		if a.is(0) {
			return b
		}
		fallthrough
	case opSub:
		if b.is(0) {
			return a
		}
	case opMul:
		if a.known() {
			a, b = b, a
		}
		if b.is(0) || b.is(1) {
			return map[bool]*expr{true: a, false: b}[b.is(1)]
		}
		if b.known() && b.value.TrailingZeroBits() == uint(b.value.BitLen()-1) {
			return g.shift(opShl, a, g.number(32, b.value.BitLen()-1))
		}
	}
	return g.intern(expr{op: op, width: a.width, args: []*expr{a, b}})
}

func (g *graph) product(a, b *expr) *expr {
	most := new(big.Int).Mul(g.most(a), g.most(b))
	bits := min(max(most.BitLen(), 1), a.width)
	return g.zext(g.binary(opMul, g.slice(a, 0, bits), g.slice(b, 0, bits)), a.width)
}

func compute(op operation, a, b *expr) *big.Int {
	r := new(big.Int)
	switch op {
	case opAnd:
		return r.And(a.value, b.value)
	case opOr:
		return r.Or(a.value, b.value)
	case opXor:
		return r.Xor(a.value, b.value)
	case opAdd:
		return r.Add(a.value, b.value)
	case opSub:
		return r.Sub(a.value, b.value)
	case opMul:
		return r.Mul(a.value, b.value)
	}
	if b.value.Sign() == 0 {
		return nil
	}
	switch op {
	case opDiv:
		return r.Quo(a.value, b.value)
	case opMod:
		return r.Rem(a.value, b.value)
	case opDivS:
		return r.Quo(signed(a), signed(b))
	}
	return r.Rem(signed(a), signed(b))
}

func (g *graph) shift(op operation, a, by *expr) *expr {
	n, ok := by.small()
	if !ok && by.known() {
		n, ok = a.width, true
	}
	if !ok {
		return g.intern(expr{op: op, width: a.width, args: []*expr{a, by}})
	}
	n = min(n, a.width)
	switch {
	case n == 0:
		return a
	case op == opShl:
		return g.concat(g.slice(a, 0, a.width-n), g.number(n, 0))
	case op == opSar:
		n = min(n, a.width-1)
		return g.sext(g.slice(a, n, a.width-n), a.width)
	}
	return g.zext(g.slice(a, n, a.width-n), a.width)
}

func (g *graph) compare(op operation, a, b *expr) *expr {
	switch {
	case a.known() && b.known():
		switch op {
		case opLt:
			return g.bit(a.value.Cmp(b.value) < 0)
		case opLtS:
			return g.bit(signed(a).Cmp(signed(b)) < 0)
		}
		return g.bit(a == b)
	case a == b && a.op != opConst:
		return g.bit(op == opEq)
	case op == opEq && a.width == 1 && b.known():
		a, b = b, a
		fallthrough
	case op == opEq && a.width == 1 && a.known():
		if a.is(1) {
			return b
		}
		return g.not(b)
	case op == opEq && b.id < a.id:
		a, b = b, a
	case op == opLt && b.is(0):
		return g.bit(false)
	}
	if b.known() {
		if e := g.each(a, func(a *expr) *expr { return g.compare(op, a, b) }); e != nil {
			return e
		}
	}
	if a.known() {
		if e := g.each(b, func(b *expr) *expr { return g.compare(op, a, b) }); e != nil {
			return e
		}
	}
	if op == opEq {
		if differ := g.neverEqual(a, b); differ {
			return g.bit(false)
		}
	}
	return g.intern(expr{op: op, width: 1, args: []*expr{a, b}})
}

func (g *graph) neverEqual(a, b *expr) bool {
	if !a.known() {
		a, b = b, a
	}
	if !a.known() || b.op != opConcat {
		return false
	}
	top := b.width
	for _, part := range b.args {
		top -= part.width
		if part.known() && g.slice(a, top, part.width) != part {
			return true
		}
	}
	return false
}

func (g *graph) mux(c, t, f *expr) *expr {
	if c.op == opNot {
		c, t, f = c.args[0], f, t
	}
	if c.known() {
		if c.is(0) {
			return f
		}
		return t
	}
	for t.op == opMux && t.args[0] == c {
		t = t.args[1]
	}
	for f.op == opMux && f.args[0] == c {
		f = f.args[2]
	}
	switch {
	case t == f:
		return t
	case t.is(1) && f.is(0) && t.width == 1:
		return c
	case t.is(0) && f.is(1) && t.width == 1:
		return g.not(c)
	}
	return g.intern(expr{op: opMux, width: t.width, args: []*expr{c, t, f}})
}

func (g *graph) reduce(op operation, e *expr) *expr {
	switch {
	case e.known() && op == opAll:
		return g.bit(e.allOnes())
	case e.known() && op == opAny:
		return g.bit(e.value.Sign() != 0)
	case e.known():
		odd := false
		for i := range e.width {
			odd = odd != (e.value.Bit(i) == 1)
		}
		return g.bit(odd)
	case e.width == 1:
		return e
	case op == opAny && e.op == opConcat:
		var parts []*expr
		for _, a := range e.args {
			if !a.is(0) {
				parts = append(parts, a)
			}
			if a.known() && !a.is(0) {
				return g.bit(true)
			}
		}
		if len(parts) < len(e.args) {
			return g.reduce(op, g.concat(parts...))
		}
	}
	return g.intern(expr{op: op, width: 1, args: []*expr{e}})
}

// dyn returns a slice that begins at a variable position. The caller guarantees that the slice ends within e.
func (g *graph) dyn(e, at *expr, width int) *expr {
	if width == e.width { // only one position exists, and a one-bit vector is printed as a scalar without an index
		return e
	}
	if low, ok := at.small(); ok {
		return g.slice(e, low, width)
	}
	return g.intern(expr{op: opDyn, width: width, args: []*expr{e, at}})
}

func (e *expr) allUnknown() bool { return e.op == opConst && e.x.Cmp(mask(e.width)) == 0 }

func (g *graph) word(v *variable, address *expr) *expr {
	return g.intern(expr{op: opWord, width: v.what.element.bits, args: []*expr{address}, v: v})
}

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
	case (e.op == opMod || e.op == opModS) && e.args[1].known() && e.args[1].value.Sign() > 0:
		a, by := g.most(e.args[0]), e.args[1].value
		if e.op == opMod || a.BitLen() < e.width && by.BitLen() < e.width {
			if by.Cmp(a) <= 0 {
				return new(big.Int).Sub(by, big.NewInt(1))
			}
			return a
		}
	}
	return bound
}

func (g *graph) stride(e *expr) int {
	if value, ok := e.small(); ok && value > 0 {
		return value
	}
	switch {
	case e.op == opConcat && e.args[0].is(0):
		return g.stride(g.concat(e.args[1:]...))
	case e.op == opConcat && e.args[len(e.args)-1].is(0) && e.args[len(e.args)-1].width < 16:
		return 1 << e.args[len(e.args)-1].width
	case e.op == opMul && g.most(e).Cmp(mask(e.width)) < 0:
		for _, a := range e.args {
			if value, ok := a.small(); ok && value > 0 {
				return value
			}
		}
	}
	return 1
}
