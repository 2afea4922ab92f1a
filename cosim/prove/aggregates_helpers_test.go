//go:build linux

package prove

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// sure is a value of a reference, given by three names: its bits, the bits that are known, and the bits that are X in
// any case. Other bits are not compared.
type sure struct {
	v, ok, x string
	bits     int
}

// machine translates source text to plain Verilog with a wire for each operation, in the width of the standard.
type machine struct {
	numbers map[string]int // values of parameters and loop variables
	vars    map[string]sure
	text    *strings.Builder
	wires   *int
}

func (m *machine) wire(bits int, format string, a ...any) string {
	*m.wires++
	name := fmt.Sprintf("n%d", *m.wires)
	fmt.Fprintf(m.text, "  wire [%d:0] %s = %s;\n", bits-1, name, fmt.Sprintf(format, a...))
	return name
}

func (m *machine) constant(bits, value int) sure {
	v := uint64(value)
	if bits < 64 {
		v &= 1<<bits - 1
	}
	return sure{m.wire(bits, "%d'h%x", bits, v), m.ones(bits), m.wire(bits, "%d'd0", bits), bits}
}

func (m *machine) ones(bits int) string { return m.wire(bits, "{%d{1'b1}}", bits) }

func (m *machine) resized(a sure, bits int, signed bool) sure {
	to := func(name, above string) string {
		if signed {
			above = fmt.Sprintf("%s[%d]", name, a.bits-1)
		}
		switch {
		case bits == a.bits:
			return name
		case bits < a.bits:
			return m.wire(bits, "%s[%d:0]", name, bits-1)
		}
		return m.wire(bits, "{{%d{%s}}, %s}", bits-a.bits, above, name)
	}
	return sure{to(a.v, "1'b0"), to(a.ok, "1'b1"), to(a.x, "1'b0"), bits}
}

// whole returns a result that is known if all bits of the operands are.
func (m *machine) whole(bits int, text string, of ...sure) sure {
	all := "1'b1"
	for _, a := range of {
		all += " & &" + a.ok
	}
	return sure{m.wire(bits, "%s", text), m.wire(bits, "{%d{%s}}", bits, all), m.wire(bits, "%d'd0", bits), bits}
}

// chosen returns a or b, by c.
func (m *machine) chosen(c, a, b sure) sure {
	is, known := m.wire(1, "|%s", c.v), m.wire(1, "&%s", c.ok)
	bits := a.bits
	return sure{m.wire(bits, "%s ? %s : %s", is, a.v, b.v), m.wire(bits, "{%d{%s}} & (%s ? %s : %s)", bits, known, is, a.ok, b.ok),
		m.wire(bits, "{%d{%s}} & (%s ? %s : %s)", bits, known, is, a.x, b.x), bits}
}

func (m *machine) joined(parts ...sure) sure {
	var v, ok, x []string
	bits := 0
	for _, a := range parts {
		v, ok, x, bits = append(v, a.v), append(ok, a.ok), append(x, a.x), bits+a.bits
	}
	join := func(list []string) string { return m.wire(bits, "{%s}", strings.Join(list, ", ")) }
	return sure{join(v), join(ok), join(x), bits}
}

// number is a constant of the source, which may depend on parameters and loop variables.
type number struct {
	text string
	of   func(map[string]int) int
}

func fixed(n int) number {
	text := fmt.Sprint(n)
	if n < 0 {
		text = "(" + text + ")"
	}
	return number{text, func(map[string]int) int { return n }}
}

func named(name string) number {
	return number{name, func(of map[string]int) int { return of[name] }}
}

func (n number) plus(by int) number {
	if by == 0 {
		return n
	}
	return number{fmt.Sprintf("(%s%+d)", n.text, by), func(of map[string]int) int { return n.of(of) + by }}
}

// form is a type: a bit, an array, a structure or a union.
type form struct {
	name     string // name of the typedef
	element  *form  // element of an array
	low      int    // lowest index
	count    number
	rising   bool // [0:7]
	short    bool // [8]
	unpacked bool
	signed   bool
	members  []member
	union    bool
}

type member struct {
	name string
	*form
}

func (f *form) bits(of map[string]int) (n int) {
	switch {
	case f.element != nil:
		return f.count.of(of) * f.element.bits(of)
	case f.union:
		return f.members[0].bits(of)
	case f.members == nil:
		return 1
	}
	for _, m := range f.members {
		n += m.bits(of)
	}
	return n
}

func (f *form) isVector() bool {
	return f.element != nil && f.element.element == nil && f.element.members == nil && !f.unpacked
}

func (f *form) bounds() string {
	low, high := fmt.Sprint(f.low), f.count.plus(f.low-1).text
	switch {
	case f.short:
		return "[" + f.count.text + "]"
	case f.rising:
		return fmt.Sprintf("[%s:%s]", low, high)
	}
	return fmt.Sprintf("[%s:%s]", high, low)
}

func (f *form) declaration(name string) string {
	if f.name != "" {
		return f.name + " " + name
	}
	if f.unpacked {
		for ; f.unpacked && f.name == ""; f = f.element {
			name += f.bounds()
		}
		return f.declaration(name)
	}
	return f.packed() + " " + name
}

func (f *form) packed() string {
	switch {
	case f.name != "":
		return f.name
	case f.members != nil:
		text := "struct packed {"
		if f.union {
			text = "union packed {"
		}
		for _, m := range f.members {
			text += m.declaration(m.name) + "; "
		}
		return text + "}"
	case f.element == nil:
		return "logic"
	}
	bounds := ""
	signed := map[bool]string{true: " signed", false: ""}[f.signed]
	for ; f.element != nil && f.name == ""; f = f.element {
		bounds += f.bounds()
	}
	return f.packed() + signed + " " + bounds
}

// expression is source text with its value, which depends on the width and sign of its context.
type expression struct {
	text     string
	bits     func(map[string]int) int
	signed   bool
	in       func(m *machine, bits int, signed bool) sure
	variable bool // the expression reads a signal or a loop variable
}

// alone returns the value in the expression's own width.
func (e *expression) alone(m *machine) sure { return e.in(m, e.bits(m.numbers), e.signed) }

func (e *expression) truth(m *machine) sure {
	a := e.alone(m)
	return m.whole(1, "|"+a.v, a)
}

func bitsOf(n int) func(map[string]int) int { return func(map[string]int) int { return n } }

// apart returns an expression whose operands do not depend on the context.
func apart(text string, bits func(map[string]int) int, signed bool, value func(m *machine) sure,
	of ...*expression) *expression {
	in := func(m *machine, to int, signed bool) sure { return m.resized(value(m), to, signed) }
	return &expression{text, bits, signed, in, len(of) == 0 || variable(of)}
}

func variable(of []*expression) bool {
	return slices.ContainsFunc(of, func(e *expression) bool { return e.variable })
}

// selection is a part of a variable.
type selection struct {
	name  string
	of    *form
	steps []step
	text  string
	form  *form  // nil for a part
	count number // number of elements of a part
	parts *form  // elements of a part
}

type step struct {
	index   *expression
	member  int // member of a structure, if there is no index
	part    bool
	falling bool // -:
}

// piece is a range of bits of a variable, and whether the variable has them.
type piece struct {
	offset, within string
	bits           int
}

// pieces returns the selected bits, lowest first, and whether all indexes are known.
func (m *machine) pieces(s *selection) (list []piece, known string) {
	offset, within, f := m.wire(8, "8'd0"), m.wire(1, "1'b1"), s.of
	known = m.wire(1, "1'b1")
	for _, step := range s.steps {
		if step.index == nil {
			low := 0
			for i := len(f.members) - 1; i > step.member && !f.union; i-- {
				low += f.members[i].bits(m.numbers)
			}
			offset, f = m.wire(8, "%s + 8'd%d", offset, low), f.members[step.member].form
			continue
		}
		at := step.index.alone(m)
		known = m.wire(1, "%s & &%s", known, at.ok)
		count, width := f.count.of(m.numbers), f.element.bits(m.numbers)
		index := m.resized(at, 44, step.index.signed).v
		first, n := index, 1
		if step.part {
			if n = s.count.of(m.numbers); step.falling {
				first = m.wire(44, "%s - 44'd%d", index, n-1)
			}
		}
		low := m.wire(44, "%s - 44'h%x", first, uint64(f.low)&(1<<44-1))
		if f.rising || f.short {
			low = m.wire(44, "44'h%x - %s", uint64(f.low+count-n)&(1<<44-1), first)
		}
		for i := range n {
			here := m.wire(44, "%s + 44'd%d", low, i)
			list = append(list, piece{m.wire(8, "%s + %s[7:0] * 8'd%d", offset, here, width), m.wire(1, "%s & !%s[43] & %s < 44'd%d", within, here, here, count), width})
		}
		if step.part {
			return list, known
		}
		offset, within, f, list = list[0].offset, list[0].within, f.element, nil
	}
	return []piece{{offset, within, f.bits(m.numbers)}}, known
}

func (m *machine) read(s *selection) sure {
	whole := m.vars[s.name]
	list, known := m.pieces(s)
	var parts []sure
	for _, p := range list {
		n := p.bits
		parts = append([]sure{{m.wire(n, "%s >> %s", whole.v, p.offset), m.wire(n, "{%d{%s & %s}} & (%s >> %s)", n, known, p.within, whole.ok, p.offset),
			m.wire(n, "{%d{%s}} & ({%d{!%s}} | (%s >> %s))", n, known, n, p.within, whole.x, p.offset), n}}, parts...)
	}
	return m.joined(parts...)
}

func (m *machine) write(s *selection, data sure) {
	whole := m.vars[s.name]
	list, known := m.pieces(s)
	low, all := 0, whole.bits
	for _, p := range list {
		mask := m.wire(all, "{%d{%s}} & ({{%d{1'b0}}, {%d{1'b1}}} << %s)", all, p.within, all, p.bits, p.offset)
		put := func(old, data string) string {
			at := m.wire(all, "%s >> %d", data, low)
			return m.wire(all, "(%s & ~%s) | ((%s << %s) & %s)", old, mask, at, p.offset, mask)
		}
		whole.v, whole.ok, whole.x = put(whole.v, data.v), put(whole.ok, data.ok), put(whole.x, data.x)
		low += p.bits
	}
	whole.ok, whole.x = m.wire(all, "{%d{%s}} & %s", all, known, whole.ok), m.wire(all, "{%d{%s}} & %s", all, known, whole.x)
	m.vars[s.name] = whole
}

func (m *machine) branch(c sure, yes, no func()) {
	before := maps.Clone(m.vars)
	yes()
	after := m.vars
	m.vars = before
	no()
	for name, a := range after {
		if b := m.vars[name]; a != b {
			m.vars[name] = m.chosen(c, a, b)
		}
	}
}

// statement is source text with its effect.
type statement struct {
	lines []string
	run   func(m *machine)
}

// drawer draws source text together with its meaning.
type drawer struct {
	*rand.Rand
	names   []string // names of numbers: parameters and loop variables
	forms   []*form
	vars    []*selection // all variables
	inputs  []*expression
	calls   []*call
	typedef []string
	made    int
}

func (d *drawer) new(prefix string) string {
	d.made++
	return fmt.Sprintf("%s%d", prefix, d.made)
}

func pick[T any](d *drawer, list ...T) T { return list[d.IntN(len(list))] }
