package flatten

import (
	"fmt"
	"math/big"
	"math/bits"
	"regexp"
	"strconv"
	"strings"
)

func (p *process) literal(n *node, _ *state) *expr {
	width, digits, x := p.constantOf(n)
	return p.freed(n, p.g.partly(width, digits, x))
}

// patternOf evaluates a pattern. In a constant pattern, X and Z mark bits that are not compared.
func (p *process) patternOf(n *node, s *state) *expr {
	before := p.pattern
	p.pattern = true
	e := p.eval(n, s)
	if p.pattern = before; e.op == opConst {
		return e
	}
	return p.eval(n, s)
}

func (p *process) constantOf(n *node) (width int, value, x *big.Int) {
	if text, err := strconv.Unquote(strings.TrimSpace(n.rest)); err == nil {
		return max(8*len(text), 8), new(big.Int).SetBytes([]byte(text)), zero
	}
	found := constantText.FindStringSubmatch(n.name())
	if found == nil {
		panic(p.refuse(n, "the constant "+n.name(), "declare it as a vector, or exclude it from the circuit: `ifndef "+
			"SYNTHESIS"))
	}
	width, _ = strconv.Atoi(found[1])
	x = new(big.Int)
	digits := found[4]
	if found[3] == "b" {
		for i, c := range digits {
			if c == 'x' || c == 'z' {
				x.SetBit(x, len(digits)-1-i, 1)
			}
		}
		digits = strings.NewReplacer("x", "0", "z", "0").Replace(digits)
	}
	value, ok := new(big.Int).SetString(digits, map[string]int{"b": 2, "h": 16, "d": 10}[found[3]])
	if !ok {
		panic(p.refuse(n, "the constant "+n.name(), "write it in binary"))
	}
	return width, value, x
}

func (p *process) exactly(n *node, s *state) (t target, ok bool) {
	switch n.kind {
	case "VARREF":
		v := p.variableOf(n)
		return target{v: v, width: v.what.bits, what: v.what}, !v.memory || p.initial
	case "ARRAYSEL", "SEL", "STRUCTSEL":
		below, ok := p.exactly(n.one(1), s)
		if !ok {
			return below, false
		}
		if n.kind != "STRUCTSEL" {
			if at := p.index(n, s); !at.known() {
				return below, false
			}
		}
		t := p.locate(n, s)
		return t, !t.off && t.width == p.bitsOf(n)
	}
	return t, false
}

func (p *process) bitsOf(n *node) int { return p.typeOf(n, n.dtype).bits }

func (p *process) selected(n *node, s *state) *expr {
	if t, ok := p.exactly(n, s); ok {
		return p.read(s, t.v, t.low, t.width)
	}
	g := p.g
	if n.kind == "VARREF" {
		panic(demotion{p.variableOf(n)})
	}
	inner := n.one(1)
	if n.kind == "STRUCTSEL" {
		m := p.typeOf(inner, inner.dtype).members[n.name()]
		return g.slice(p.eval(inner, s), m.low, m.what.bits)
	}
	at := p.index(n, s)
	if n.kind == "SEL" {
		return p.part(n, p.eval(inner, s), at, p.width(n))
	}
	array := p.typeOf(inner, inner.dtype)
	if array.element == nil {
		panic(p.refuse(n, "an element of something that is not an array", "select from the array itself"))
	}
	if inner.kind == "VARREF" {
		v := p.variableOf(inner)
		if i, ok := at.small(); ok && v.memory && v.constant && i < array.elements {
			return p.freed(n, v.power.get(g, i*array.element.bits, array.element.bits))
		}
		if v.memory && !p.initial {
			return g.mux(p.within(at, array.elements), g.word(v, p.address(at, array.elements)),
				p.unknown(n, array.element.bits))
		}
	}
	whole := p.eval(inner, s)
	width := array.element.bits
	product := g.binary(opMul, g.zext(at, at.width+32), g.number(at.width+32, width))
	return p.part(n, whole, product, width)
}

func (p *process) part(n *node, e, at *expr, width int) *expr {
	g := p.g
	if low, ok := at.small(); ok && low < e.width {
		if over := low + width - e.width; over > 0 {
			return g.concat(p.unknown(n, over), g.slice(e, low, width-over))
		}
		return g.slice(e, low, width)
	}
	if at.known() {
		return p.unknown(n, width)
	}
	if most := g.most(at); most.Cmp(big.NewInt(int64(e.width-width))) <= 0 {
		return g.dyn(e, g.slice(at, 0, max(most.BitLen(), 1)), width)
	}
	inside := p.within(at, e.width)
	if width > 1 {
		e = g.concat(p.unknown(n, width-1), e)
	}
	return g.mux(inside, g.dyn(e, at, width), p.unknown(n, width))
}

// address truncates an address to the bits required by a memory of the given number of words.
func (p *process) address(at *expr, words int) *expr {
	return p.g.slice(at, 0, min(at.width, max(bits.Len(uint(words-1)), 1)))
}

func (p *process) sliceOfArray(n *node, s *state) *expr {
	inner := n.one(1)
	whole, array := p.eval(inner, s), p.typeOf(inner, inner.dtype)
	at, ok := p.eval(n.one(2), s).small()
	if array.element == nil || !ok || at*array.element.bits+p.width(n) > whole.width {
		panic(p.unknownNode(n))
	}
	return p.g.slice(whole, at*array.element.bits, p.width(n))
}

var itemOfArray = regexp.MustCompile(`\[(\d+)\]=(0x[0-9a-f]+)`)

func (p *process) arrayOf(n *node, s *state) *expr {
	array := p.typeOf(n, n.dtype)
	if array.element == nil {
		panic(p.unknownNode(n))
	}
	items := map[int]*node{}
	for _, found := range itemOfArray.FindAllStringSubmatch(n.rest, -1) {
		i, _ := strconv.Atoi(found[1])
		items[i] = p.nodes[found[2]]
	}
	parts := make([]*expr, array.elements)
	for i := range parts {
		e := p.unknown(n, array.element.bits)
		if item := items[i]; item != nil {
			e = p.eval(item.one(1), s)
		} else if n.one(1) != nil {
			e = p.eval(n.one(1), s)
		}
		parts[len(parts)-1-i] = p.g.zext(e, array.element.bits)
	}
	return p.g.concat(parts...)
}

func (p *process) streamed(n *node, s *state) *expr {
	e := p.eval(n.one(1), s)
	size, ok := p.eval(n.one(2), s).small()
	if !ok || size < 1 {
		panic(p.unknownNode(n))
	}
	var parts []*expr
	for low := 0; low < e.width; low += size {
		parts = append(parts, p.g.slice(e, low, min(size, e.width-low)))
	}
	return p.g.concat(parts...)
}

func (p *process) power(n *node, s *state) *expr {
	g, base, exponent := p.g, p.eval(n.one(1), s), p.eval(n.one(2), s)
	if base.is(2) && !strings.HasSuffix(n.kind, "S") {
		return g.shift(opShl, g.number(base.width, 1), exponent)
	}
	e, square, vary := g.number(base.width, 1), base, 0
	for i := range exponent.width {
		bit := g.slice(exponent, i, 1)
		if !bit.known() {
			vary++
		}
		e, square = g.mux(bit, g.binary(opMul, square, e), e), g.binary(opMul, square, square)
	}
	negative := strings.HasSuffix(n.kind, "S") && !g.slice(exponent, exponent.width-1, 1).is(0)
	if negative || vary > powerBitsMost || exponent.op == opConst && vary > 0 {
		panic(p.refuse(n,
			fmt.Sprintf("a power whose exponent may be negative or has more than %d varying bits", powerBitsMost),
			"write 1 << n, or multiply"))
	}
	return e
}

const powerBitsMost = 8

// literally evaluates === and !==. In a circuit, a comparison with X may yield either result.
func (p *process) literally(n *node, s *state) *expr {
	a, b := p.patternOf(n.one(1), s), p.patternOf(n.one(2), s)
	width := max(a.width, b.width)
	equal := p.g.compare(opEq, p.g.zext(a, width), p.g.zext(b, width))
	for _, e := range []*expr{a, b} {
		switch {
		case a.op == opConst && b.op == opConst:
			equal = p.g.bit(a == b)
		case e.op == opConst && !e.known():
			equal = p.isX(n, s)
		}
	}
	if n.kind == "NEQCASE" {
		return p.g.not(equal)
	}
	return equal
}

func (p *process) isX(n *node, _ *state) *expr {
	if p.initial {
		return p.g.bit(false)
	}
	e := p.unknown(n, 1)
	if e.op == opFree {
		p.aboutX[e] = true
	}
	return e
}

// wildly evaluates ==? and !=?, in which unknown bits on the right match every value.
func (p *process) wildly(n *node, s *state) *expr {
	a, b := p.eval(n.one(1), s), p.patternOf(n.one(2), s)
	width := max(a.width, b.width)
	equal := p.matches(p.g.zext(a, width), p.g.zext(b, width), true)
	if n.kind == "NEQWILD" {
		return p.g.not(equal)
	}
	return equal
}

func (p *process) matches(e, pattern *expr, wild bool) *expr {
	if pattern.op != opConst || pattern.known() {
		return p.g.compare(opEq, e, pattern)
	}
	if !wild {
		return p.g.bit(false)
	}
	var have, want []*expr
	for end := e.width; end > 0; {
		free := pattern.x.Bit(end - 1)
		low := end - 1
		for low > 0 && pattern.x.Bit(low-1) == free {
			low--
		}
		if free == 0 {
			have, want = append(have, p.g.slice(e, low, end-low)), append(want, p.g.slice(pattern, low, end-low))
		}
		end = low
	}
	if len(have) == 0 {
		return p.g.bit(true)
	}
	return p.g.compare(opEq, p.g.concat(have...), p.g.concat(want...))
}

func (p *process) bitsLike(n *node, s *state) *expr {
	e, width := p.eval(n.one(1), s), p.width(n)
	sum, has := p.g.number(width, 0), [2]bool{}
	for operand := 2; operand <= 4; operand++ {
		if c := n.one(operand); c != nil {
			kind := p.patternOf(c, s)
			if !kind.known() {
				continue // a circuit has no X or Z bits
			}
			has[kind.value.Bit(0)] = true
		}
	}
	if has[1] {
		sum = p.g.binary(opAdd, sum, p.g.count(e, width))
	}
	if has[0] {
		sum = p.g.binary(opAdd, sum, p.g.count(p.g.not(e), width))
	}
	return sum
}

// divided evaluates a division, whose value is X for a zero divisor. A printed division never has a zero divisor.
func divided(op operation) expression {
	return func(p *process, n *node, s *state) *expr {
		g, width := p.g, p.width(n)
		a, b := g.zext(p.eval(n.one(1), s), width), g.zext(p.eval(n.one(2), s), width)
		if b.is(0) {
			return p.unknown(n, width)
		}
		if b.known() {
			return g.binary(op, a, b)
		}
		divides := g.reduce(opAny, b)
		return g.mux(divides, g.binary(op, a, g.mux(divides, b, g.number(width, 1))), p.unknown(n, width))
	}
}

// insideVerilator evaluates Verilator's C++ test for enabled assertions, which are always enabled.
func (p *process) insideVerilator(n *node, _ *state) *expr {
	if text := n.one(1); text != nil &&
		(strings.Contains(text.rest, "assertOn()") || strings.Contains(text.rest, "assertOnGet(")) {
		return p.g.bit(true)
	}
	panic(p.refuse(n, "C++ inside of Verilog", "exclude it from the circuit: `ifndef SYNTHESIS"))
}

var twoStates = regexp.MustCompile(`\b(bit|byte|shortint|int|longint)\b`)

// unset returns the default value of a variable: X, or 0 for a two-state type (IEEE 1800-2017 table 6-7).
func (p *process) unset(n *node, _ *state) *expr {
	if of := p.nodes[n.dtype]; of != nil && of.kind == "BASICDTYPE" && twoStates.MatchString(of.rest) {
		return p.g.constant(p.width(n), zero)
	}
	return p.unknown(n, p.width(n))
}
