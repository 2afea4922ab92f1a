//go:build linux

package prove

import (
	"fmt"
	"math/bits"
	"strings"
)

// form draws a type with at most depth levels.
func (d *drawer) form(depth int, unpacked bool) *form {
	f := &form{}
	switch kind := d.IntN(6); {
	case depth == 0:
		f.element, f.signed = &form{}, d.IntN(3) == 0
		d.range_(f)
		return d.maybeNamed(f)
	case kind < 4 || unpacked:
		f.element, f.unpacked = d.form(depth-1, unpacked && depth > 1 && d.IntN(2) == 0), unpacked
		for !unpacked && f.element.signed { // no signed element, whose sign after a selection is unclear
			f.element = d.form(0, false)
		}
		d.range_(f)
		if unpacked {
			f.short = f.low == 0 && d.IntN(2) == 0
		}
	case kind == 4:
		for i := range 2 + d.IntN(2) {
			f.members = append(f.members, member{fmt.Sprintf("f%d", i), d.form(d.IntN(depth), false)})
		}
		return d.named(f)
	default:
		first := d.named(d.form(depth-1, false))
		other := &form{element: &form{}, count: number{"$bits(" + first.name + ")", first.bits}}
		f.members, f.union = []member{{"f0", first}, {"f1", other}}, true
		return d.named(f)
	}
	return d.maybeNamed(f)
}

func (d *drawer) range_(f *form) {
	f.low, f.rising, f.count = pick(d, 0, 0, 0, 0, 1, 3, 4), d.IntN(3) == 0, fixed(1+d.IntN(5))
	if d.IntN(4) == 0 {
		f.count = pick(d, named("N"), named("N").plus(1), number{"(2*N)", func(of map[string]int) int { return 2 * of["N"] }})
	}
}

func (d *drawer) maybeNamed(f *form) *form {
	if d.IntN(2) == 0 {
		return d.named(f)
	}
	return f
}

func (d *drawer) named(f *form) *form {
	if f.name == "" {
		name := d.new("t")
		d.typedef = append(d.typedef, "typedef "+f.declaration(name)+";")
		f.name = name
	}
	return f
}

// fewest holds the parameters with the smallest arrays.
var fewest = map[string]int{"N": 2}

// selection draws a part of a variable: a vector, or an aggregate without unpacked levels.
func (d *drawer) selection(v *selection, depth int) *selection {
	s := &selection{name: v.name, of: v.of, text: v.name}
	for f := v.of; ; {
		if !f.unpacked && (len(s.steps) > 3 || f.element == nil && f.members == nil || d.IntN(5) == 0) {
			s.form = f
			return s
		}
		if f.members != nil {
			i := d.IntN(len(f.members))
			s.text, s.steps, f = s.text+"."+f.members[i].name, append(s.steps, step{member: i}), f.members[i].form
			continue
		}
		index := d.index(f, depth)
		if !index.variable || f.count.of(fewest) == 1 { // an index beyond the end is refused
			index = pick(d, d.constant(f.low+d.IntN(f.count.of(fewest))), d.numeral(f.count.plus(f.low-1)))
		} else if !f.unpacked && d.IntN(3) == 0 {
			s.count, s.parts = fixed(1+d.IntN(min(3, f.count.of(fewest)))), f.element
			operator := pick(d, "+:", "-:")
			s.text += fmt.Sprintf("[%s %s %s]", index.text, operator, s.count.text)
			s.steps = append(s.steps, step{index: index, part: true, falling: operator == "-:"})
			return s
		}
		s.text, s.steps, f = s.text+"["+index.text+"]", append(s.steps, step{index: index}), f.element
	}
}

func (s *selection) bits(of map[string]int) int {
	if s.form != nil {
		return s.form.bits(of)
	}
	return s.count.of(of) * s.parts.bits(of)
}

func (s *selection) expression() *expression {
	signed := s.form != nil && s.form.isVector() && s.form.signed
	return apart(s.text, s.bits, signed, func(m *machine) sure { return m.read(s) })
}

func (d *drawer) constant(value int) *expression {
	return d.numeral(fixed(value))
}

func (d *drawer) numeral(n number) *expression {
	e := apart(n.text, bitsOf(32), true, func(m *machine) sure { return m.constant(32, n.of(m.numbers)) })
	e.variable = strings.Contains(n.text, "k") // depends on a loop variable
	return e
}

func (d *drawer) sized(width, value int) *expression {
	e := apart(fmt.Sprintf("%d'd%d", width, value&(1<<width-1)), bitsOf(width), false, func(m *machine) sure { return m.constant(width, value) })
	e.variable = false
	return e
}

func (d *drawer) index(f *form, depth int) *expression {
	within := d.constant(f.low + d.IntN(5))
	switch d.IntN(12) {
	case 0:
		return within
	case 1:
		return d.numeral(f.count.plus(f.low - 1))
	case 2:
		return d.divided(d.narrow(0), "%", f.count)
	case 3:
		return d.binary(d.numeral(f.count.plus(f.low-1)), "-", d.small(depth))
	case 4:
		return d.binary(d.small(depth), pick(d, "+", "-"), within)
	case 5:
		return d.conditional(d.expression(0), d.small(depth), pick(d, within, d.small(0)))
	case 6:
		return d.expression(depth)
	}
	return d.small(depth)
}

// narrow draws a narrow dividend, since a divider of many bits is large.
func (d *drawer) narrow(depth int) *expression {
	if e := d.small(depth); e.bits(fewest) <= 8 || !e.variable || d.IntN(20) == 0 {
		return e
	}
	return pick(d, d.inputs[:3]...)
}

// divided divides a sum by a number, in a few bits, or in 32 bits if the value is always small.
func (d *drawer) divided(a *expression, operator string, n number) *expression {
	if d.IntN(6) == 0 {
		return d.binary(d.binary(pick(d, d.inputs[:2]...), "+", d.constant(d.IntN(4))), operator, d.numeral(n))
	}
	if a.bits(fewest) <= 8 {
		a = d.binary(a, pick(d, "+", "-"), pick(d, d.inputs[:3]...))
	} else {
		a = d.castTo(1+d.IntN(6), a)
	}
	return d.binary(a, operator, d.castTo(4, d.numeral(n)))
}

// small draws an expression whose value is often small.
func (d *drawer) small(depth int) *expression {
	if len(d.names) > 0 && d.IntN(3) == 0 {
		return d.numeral(named(pick(d, d.names...)))
	}
	if depth > 0 {
		switch d.IntN(8) {
		case 0:
			return d.binary(d.small(depth-1), pick(d, "+", "-", "*", "&", "^", "|"), d.small(depth-1))
		case 1:
			return d.cast(d.small(depth - 1))
		case 2:
			return d.divided(d.narrow(depth-1), pick(d, "/", "%"), pick(d, fixed(2), fixed(3), named("N"), fixed(4)))
		case 3:
			return d.join(d.small(0), d.small(0))
		case 4:
			return d.shift(d.small(depth-1), d.constant(1+d.IntN(2)))
		case 5:
			return d.selection(pick(d, d.vars...), depth-1).expression()
		}
	}
	return pick(d, d.inputs[0], d.inputs[1], d.inputs[2], d.inputs[0], d.inputs[1], d.inputs[3],
		d.inputs[4], d.sized(3, d.IntN(5)))
}

func (d *drawer) expression(depth int) *expression {
	if depth <= 0 {
		if d.IntN(3) == 0 {
			return pick(d, append(d.inputs, d.sized(4, d.IntN(16)))...)
		}
		return d.selection(pick(d, d.vars...), 0).expression()
	}
	a := func() *expression { return d.expression(depth - 1) }
	switch d.IntN(13) {
	case 0, 1:
		return d.binary(a(), pick(d, "+", "-", "&", "|", "^"), a())
	case 2:
		return d.compare(a(), pick(d, "<", "<=", ">", ">=", "==", "!="), a())
	case 3:
		return d.conditional(a(), a(), a())
	case 4:
		return d.join(a(), a())
	case 5:
		return d.cast(a())
	case 6:
		return d.unary(pick(d, "~", "-"), a())
	case 7:
		return d.shift(a(), d.small(0))
	case 8:
		return d.reduce(pick(d, "&", "|", "^", "!"), a())
	case 9:
		if len(d.calls) > 0 {
			return d.called(pick(d, d.calls...), a)
		}
	}
	return d.selection(pick(d, d.vars...), depth).expression()
}

func (d *drawer) binary(a *expression, operator string, b *expression) *expression {
	e := &expression{text: "(" + a.text + " " + operator + " " + b.text + ")", signed: a.signed && b.signed, variable: a.variable || b.variable}
	e.bits = func(of map[string]int) int { return max(a.bits(of), b.bits(of)) }
	e.in = func(m *machine, bits int, signed bool) sure {
		x, y := a.in(m, bits, signed), b.in(m, bits, signed)
		switch operator {
		case "&", "|", "^":
			ok := m.wire(bits, "%s & %s", x.ok, y.ok)
			r := sure{m.wire(bits, "%s %s %s", x.v, operator, y.v), ok, m.wire(bits, "%d'd0", bits), bits}
			if operator == "^" {
				r.x = m.wire(bits, "(%s & %s) | (%s & %s)", x.x, y.ok, x.ok, y.x)
			}
			return r
		case "/", "%":
			if signed {
				return m.whole(bits, fmt.Sprintf("$signed(%s) %s $signed(%s)", x.v, operator, y.v), x, y)
			}
		}
		return m.whole(bits, x.v+" "+operator+" "+y.v, x, y)
	}
	return e
}

func (d *drawer) compare(a *expression, operator string, b *expression) *expression {
	return apart("("+a.text+" "+operator+" "+b.text+")", bitsOf(1), false, func(m *machine) sure {
		bits, signed := max(a.bits(m.numbers), b.bits(m.numbers)), a.signed && b.signed
		x, y := a.in(m, bits, signed), b.in(m, bits, signed)
		if signed {
			return m.whole(1, fmt.Sprintf("$signed(%s) %s $signed(%s)", x.v, operator, y.v), x, y)
		}
		return m.whole(1, x.v+" "+operator+" "+y.v, x, y)
	}, a, b)
}

func (d *drawer) conditional(c, a, b *expression) *expression {
	return &expression{"(" + c.text + " ? " + a.text + " : " + b.text + ")",
		func(of map[string]int) int { return max(a.bits(of), b.bits(of)) }, a.signed && b.signed,
		func(m *machine, bits int, signed bool) sure {
			return m.chosen(c.truth(m), a.in(m, bits, signed), b.in(m, bits, signed))
		}, a.variable || b.variable}
}

func (d *drawer) shift(a, by *expression) *expression {
	operator := pick(d, "<<", ">>", ">>>")
	return &expression{"(" + a.text + " " + operator + " " + by.text + ")", a.bits, a.signed, func(m *machine, bits int, signed bool) sure {
		x, y := a.in(m, bits, signed), m.shiftable(by.alone(m))
		if operator == ">>>" && signed {
			return m.whole(bits, fmt.Sprintf("$signed(%s) >>> %s", x.v, y.v), x, y)
		}
		return m.whole(bits, x.v+" "+strings.Replace(operator, ">>>", ">>", 1)+" "+y.v, x, y)
	}, a.variable || by.variable}
}

// shiftable truncates a shift distance to a few bits, since Yosys reads a constant of at least 2^31 as negative.
func (m *machine) shiftable(by sure) sure {
	const few = 7
	if by.bits <= few {
		return by
	}
	return m.whole(few, fmt.Sprintf("|%s[%d:%d] ? %d'd127 : %s[%d:0]", by.v, by.bits-1, few, few, by.v, few-1), by)
}

func (d *drawer) unary(operator string, a *expression) *expression {
	return &expression{"(" + operator + a.text + ")", a.bits, a.signed, func(m *machine, bits int, signed bool) sure {
		x := a.in(m, bits, signed)
		if operator == "~" {
			return sure{m.wire(bits, "~%s", x.v), x.ok, x.x, bits}
		}
		return m.whole(bits, "-"+x.v, x)
	}, a.variable}
}

func (d *drawer) reduce(operator string, a *expression) *expression {
	return apart("("+operator+"("+a.text+"))", bitsOf(1), false, func(m *machine) sure {
		x := a.alone(m)
		return m.whole(1, operator+x.v, x)
	}, a)
}

func (d *drawer) join(a, b *expression) *expression {
	a, b = d.castTo(4, a), d.castTo(1+d.IntN(4), b) // operands of a concatenation need a width
	return apart("{"+a.text+", "+b.text+"}", func(of map[string]int) int { return a.bits(of) + b.bits(of) }, false,
		func(m *machine) sure { return m.joined(a.alone(m), b.alone(m)) }, a, b)
}

func (d *drawer) cast(e *expression) *expression {
	switch d.IntN(4) {
	case 0:
		return apart("int'("+e.text+")", bitsOf(32), true, func(m *machine) sure { return m.resized(e.alone(m), 32, e.signed) }, e)
	case 1:
		signed := d.IntN(2) == 0
		name := map[bool]string{true: "$signed", false: "$unsigned"}[signed]
		return apart(name+"("+e.text+")", e.bits, signed, e.alone, e)
	case 2:
		n := pick(d, fixed(2), fixed(5), fixed(8), fixed(9))
		return apart(fmt.Sprintf("($clog2(%s))'(%s)", n.text, e.text), bitsOf(bits.Len(uint(n.of(nil)-1))), e.signed,
			func(m *machine) sure { return m.resized(e.alone(m), bits.Len(uint(n.of(nil)-1)), e.signed) }, e)
	}
	return d.castTo(1+d.IntN(6), e)
}

func (d *drawer) castTo(width int, e *expression) *expression {
	return apart(fmt.Sprintf("%d'(%s)", width, e.text), bitsOf(width), e.signed, func(m *machine) sure { return m.resized(e.alone(m), width, e.signed) }, e)
}

type call struct {
	name    string
	result  *form
	formals []*selection
	locals  []*selection
	body    []*statement
	lines   []string
}

func (d *drawer) called(c *call, argument func() *expression) *expression {
	var arguments []*expression
	var texts []string
	for range c.formals {
		e := argument()
		arguments, texts = append(arguments, e), append(texts, e.text)
	}
	return apart(c.name+"("+strings.Join(texts, ", ")+")", c.result.bits, c.result.signed, func(m *machine) sure {
		of := &machine{m.numbers, map[string]sure{}, m.text, m.wires}
		for i, f := range c.formals {
			width := f.of.bits(m.numbers)
			e := arguments[i]
			of.vars[f.name] = m.resized(e.in(m, max(width, e.bits(m.numbers)), e.signed), width, e.signed)
		}
		for _, l := range c.locals {
			of.vars[l.name] = m.constant(l.of.bits(m.numbers), 0)
		}
		for _, s := range c.body {
			s.run(of)
		}
		return of.vars[c.name]
	})
}
