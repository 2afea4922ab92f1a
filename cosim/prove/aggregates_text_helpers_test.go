//go:build linux

package prove

import (
	"fmt"
	"strings"
)

func (d *drawer) assign(s *selection, e *expression) *statement {
	return &statement{[]string{s.text + " = " + e.text + ";"}, func(m *machine) {
		width := s.bits(m.numbers)
		m.write(s, m.resized(e.in(m, max(width, e.bits(m.numbers)), e.signed), width, e.signed))
	}}
}

func (d *drawer) statements(depth int) []*statement {
	var list []*statement
	for range 1 + d.IntN(3) {
		list = append(list, d.statement(depth))
	}
	return list
}

func indented(list []*statement) (lines []string) {
	for _, s := range list {
		for _, line := range s.lines {
			lines = append(lines, "  "+line)
		}
	}
	return lines
}

func runAll(m *machine, list []*statement) {
	for _, s := range list {
		s.run(m)
	}
}

func (d *drawer) statement(depth int) *statement {
	kind := d.IntN(8)
	switch {
	case depth == 0 || kind < 3:
		return d.assign(d.selection(pick(d, d.vars...), 2), d.expression(2))
	case kind == 3:
		return d.loop(depth)
	case kind == 4:
		return d.cases(depth)
	case kind == 5:
		s := d.selection(pick(d, d.vars...), 1)
		whole, operator := s.expression(), pick(d, "+", "^", "|", "-")
		e := d.expression(1)
		made := d.assign(s, d.binary(whole, operator, e))
		made.lines = []string{s.text + " " + operator + "= " + e.text + ";"}
		return made
	}
	c, yes, no := d.expression(1), d.statements(depth-1), d.statements(depth-1)
	lines := append([]string{"if (" + c.text + ") begin"}, indented(yes)...)
	if d.IntN(3) == 0 {
		no = nil
	} else {
		lines = append(append(lines, "end else begin"), indented(no)...)
	}
	return &statement{append(lines, "end"), func(m *machine) {
		m.branch(c.truth(m), func() { runAll(m, yes) }, func() { runAll(m, no) })
	}}
}

// loop draws a loop that counts up or down, and may end early or skip iterations.
func (d *drawer) loop(depth int) *statement {
	name := d.new("k")
	from, to := fixed(d.IntN(3)-1), pick(d, fixed(1+d.IntN(5)), named("N"), named("N").plus(1))
	d.names = append(d.names, name, name)
	body := d.statements(depth - 1)
	var c *expression
	var rest []*statement
	jump := pick(d, "", "", "break", "continue")
	if jump != "" {
		c, rest = d.expression(1), d.statements(depth-1)
	}
	d.names = d.names[:len(d.names)-2]
	head := fmt.Sprintf("for (int %s = %s; %s < %s; %s++) begin", name, from.text, name, to.text, name)
	if d.IntN(4) == 0 {
		head = fmt.Sprintf("for (int %s = %s; %s < %s; %s = %s + 1) begin", name, from.text, name, to.text, name, name)
	}
	lines := append([]string{head}, indented(body)...)
	if jump != "" {
		lines = append(append(lines, "  if ("+c.text+") "+jump+";"), indented(rest)...)
	}
	var turn func(m *machine, k int)
	turn = func(m *machine, k int) {
		if k >= to.of(m.numbers) {
			return
		}
		m.numbers[name] = k
		runAll(m, body)
		switch jump {
		case "continue":
			m.branch(c.truth(m), func() {}, func() { runAll(m, rest) })
		case "break":
			m.branch(c.truth(m), func() {}, func() {
				runAll(m, rest)
				turn(m, k+1)
			})
			return
		}
		turn(m, k+1)
	}
	return &statement{append(lines, "end"), func(m *machine) { turn(m, from.of(m.numbers)) }}
}

func (d *drawer) cases(depth int) *statement {
	width := 1 + d.IntN(3)
	subject := d.castTo(width, d.expression(1))
	inside := d.IntN(2) == 0
	lines := []string{pick(d, "case", "unique case", "priority case") + " (" + subject.text + ")" + map[bool]string{true: " inside", false: ""}[inside]}
	type item struct {
		low, high int
		body      []*statement
	}
	var items []item
	for at := d.IntN(2); at < 1<<width && len(items) < 3; {
		it := item{at, at, d.statements(depth - 1)}
		text := fmt.Sprintf("%d'd%d", width, at)
		if inside && d.IntN(2) == 0 {
			it.high = min(at+d.IntN(3), 1<<width-1)
			text = fmt.Sprintf("[%d'd%d:%d'd%d]", width, it.low, width, it.high)
		}
		lines = append(append(append(lines, "  "+text+": begin"), indented(it.body)...), "  end")
		items, at = append(items, it), it.high+1+d.IntN(2)
	}
	other := d.statements(depth - 1)
	lines = append(append(append(lines, "  default: begin"), indented(other)...), "  end", "endcase")
	return &statement{lines, func(m *machine) {
		at := m.resized(subject.alone(m), width, false)
		var choose func(i int)
		choose = func(i int) {
			if i == len(items) {
				runAll(m, other)
				return
			}
			is := m.whole(1, fmt.Sprintf("%s >= %d && %s <= %d", at.v, items[i].low, at.v, items[i].high), at)
			m.branch(is, func() { runAll(m, items[i].body) }, func() { choose(i + 1) })
		}
		choose(0)
	}}
}

// filled assigns bits of the inputs to a variable, element by element if it is unpacked.
func (d *drawer) filled(s *selection, f *form, shift number) *statement {
	if !f.unpacked {
		to := *s
		to.form = f
		wide := d.castTo(dataBits, d.inputs[5])
		from := apart(fmt.Sprintf("({%s, ~%s} >> %s)", wide.text, wide.text, shift.text), bitsOf(2*dataBits), false, func(m *machine) sure {
			a := wide.alone(m)
			return m.whole(2*dataBits, fmt.Sprintf("{%s, ~%s} >> 32'd%d", a.v, a.v, min(uint32(shift.of(m.numbers)), 2*dataBits)), a)
		})
		return d.assign(&to, from)
	}
	name := d.new("k")
	at := d.numeral(named(name))
	to := &selection{name: s.name, of: s.of, text: s.text + "[" + name + "]", steps: append(s.steps[:len(s.steps):len(s.steps)], step{index: at})}
	body := d.filled(to, f.element, number{"(" + shift.text + "+5*" + name + ")", func(of map[string]int) int { return shift.of(of) + 5*of[name] }})
	high := f.count.plus(f.low)
	head := fmt.Sprintf("for (int %s = %d; %s < %s; %s++) begin", name, f.low, name, high.text, name)
	return &statement{append(append([]string{head}, indented([]*statement{body})...), "end"), func(m *machine) {
		for k := f.low; k < high.of(m.numbers); k++ {
			m.numbers[name] = k
			body.run(m)
		}
	}}
}

func (d *drawer) function() *call {
	c := &call{name: d.new("fun"), result: d.vector()}
	outside, numbers := d.vars, d.names
	inputs := d.inputs
	var formals []string
	for range 2 {
		f := &selection{name: d.new("a"), of: d.vector()}
		c.formals, formals = append(c.formals, f), append(formals, "input "+f.of.declaration(f.name))
	}
	local := &selection{name: d.new("l"), of: d.fitting()}
	c.locals = []*selection{local, {name: c.name, of: c.result}}
	d.vars = append(append([]*selection{}, c.formals...), local)
	first, second := (&selection{name: c.formals[0].name, of: c.formals[0].of, text: c.formals[0].name,
		form: c.formals[0].of}).expression(),
		(&selection{name: c.formals[1].name, of: c.formals[1].of, text: c.formals[1].name,
			form: c.formals[1].of}).expression()
	d.inputs = []*expression{first, second, first, second, first, first}
	body := []*statement{d.filled(&selection{name: local.name, of: local.of, text: local.name}, local.of, fixed(0))}
	for _, s := range d.statements(2) {
		body = append(body, s)
	}
	result := &selection{name: c.name, of: c.result, text: c.name, form: c.result}
	body = append(body, d.assign(result, d.expression(2)))
	c.body = body
	d.vars, d.names, d.inputs = outside, numbers, inputs
	c.lines = append([]string{"function automatic " + c.result.packed() + " " + c.name + "(" + strings.Join(formals, ", ") + ");",
		"  " + local.of.declaration(local.name) + ";"},
		append(indented(body), "endfunction")...)
	return c
}

func (d *drawer) vector() *form {
	return &form{element: &form{}, count: fixed(2 + d.IntN(5)), signed: d.IntN(3) == 0}
}

func (d *drawer) fitting() *form {
	for {
		typedefs := len(d.typedef)
		f := d.form(1+d.IntN(3), d.IntN(3) == 0)
		if width := f.bits(map[string]int{"N": 3}); width > 1 && width <= 28 {
			return f
		}
		d.typedef = d.typedef[:typedefs]
	}
}

// drawn is a part of a module with one output, repeated for several parameters.
type drawn struct {
	lines []string
	run   func(m *machine) sure // result for the present parameters
	style int
}

const (
	outputBits = 24
	dataBits   = 48
)

var portsDrawn = []struct {
	name   string
	bits   int
	signed bool
}{{"s", 3, false}, {"u", 2, false}, {"x", 4, true}, {"i", 32, true}, {"w", 32, false}, {"data", dataBits, false}}

func inputsOf() (list []*expression) {
	for _, p := range portsDrawn {
		list = append(list, apart(p.name, bitsOf(p.bits), p.signed, func(*machine) sure { return sure{p.name, p.name + "_ok", p.name + "_x", p.bits} }))
	}
	return list
}

// item draws an item with at most the given number of wires.
func (d *drawer) item(wiresMax int) *drawn {
	for {
		it, wires := d.anyItem(), 0
		it.run(&machine{map[string]int{"N": parametersDrawn[len(parametersDrawn)-1]}, map[string]sure{}, &strings.Builder{}, &wires})
		if wires < wiresMax {
			return it
		}
	}
}

func (d *drawer) anyItem() *drawn {
	d.vars, d.calls, d.typedef, d.names, d.inputs = nil, nil, nil, []string{"N"}, inputsOf()
	var declared, lines []string
	var body []*statement
	var variables []*selection
	for i := range 1 + d.IntN(3) {
		v := &selection{name: d.new("v"), of: d.fitting()}
		variables, declared = append(variables, v), append(declared, v.of.declaration(v.name)+";")
		body = append(body, d.filled(&selection{name: v.name, of: v.of, text: v.name}, v.of, fixed(7*i)))
	}
	d.vars = variables
	if d.IntN(3) == 0 {
		d.calls = []*call{d.function()}
	}
	if d.IntN(3) > 0 {
		body = append(body, d.statements(2)...)
	}
	e := d.expression(d.IntN(3))
	lines = append(append(lines, d.typedef...), declared...)
	for _, c := range d.calls {
		lines = append(lines, c.lines...)
	}
	lines = append(append(append(lines, "always_comb begin"), indented(body)...), "end", "assign o = "+e.text+";")
	return &drawn{lines: lines, style: d.IntN(3), run: func(m *machine) sure {
		for _, v := range variables {
			m.vars[v.name] = m.constant(v.of.bits(m.numbers), 0)
		}
		runAll(m, body)
		return m.resized(e.in(m, max(outputBits, e.bits(m.numbers)), e.signed), outputBits, e.signed)
	}}
}

// parametersDrawn lists the parameters of every item.
var parametersDrawn = []int{2, 3}

func portsText(prefix string) string {
	var list []string
	for _, p := range portsDrawn {
		list = append(list, fmt.Sprintf("%s %s[%d:0] %s", prefix, map[bool]string{true: "signed "}[p.signed], p.bits-1, p.name))
	}
	return strings.Join(list, ", ")
}

// source returns the items as SystemVerilog. where maps lines to items.
func source(items []*drawn) (text string, where []int) {
	var modules, top []string
	var inModules, inTop []int
	add := func(i int, format string, a ...any) {
		top, inTop = append(top, fmt.Sprintf(format, a...)), append(inTop, i)
	}
	outputs := ""
	for i, it := range items {
		outputs += fmt.Sprintf(", output [%d:0] o%d", outputBits*len(parametersDrawn)-1, i)
		switch it.style {
		case 0: // a module with parameters
			head := fmt.Sprintf("module item%d #(parameter int N = 1) (%s, output logic [%d:0] o);", i, portsText("input logic"), outputBits-1)
			list := append([]string{head}, it.lines...)
			modules = append(append(modules, list...), "endmodule")
			for range len(list) + 1 {
				inModules = append(inModules, i)
			}
			for at, n := range parametersDrawn {
				add(i, "item%d #(.N(%d)) i%d_%d(.*, .o(o%d[%d +: %d]));", i, n, i, n, i, at*outputBits, outputBits)
			}
		default: // a loop of generate
			add(i, "for (genvar g%d = 0; g%d < %d; g%d++) begin : i%d", i, i, len(parametersDrawn), i, i)
			add(i, "localparam int N = g%d + %d;", i, parametersDrawn[0])
			add(i, "logic [%d:0] o;", outputBits-1)
			for _, line := range it.lines {
				add(i, "%s", line)
			}
			add(i, "assign o%d[g%d*%d +: %d] = o;", i, i, outputBits, outputBits)
			add(i, "end")
		}
	}
	all := append(modules, fmt.Sprintf("module m (%s%s);", portsText("input logic"), outputs))
	all, where = append(append(all, top...), "endmodule"), append(append(inModules, -1), inTop...)
	return strings.Join(all, "\n") + "\n", append(where, -1)
}

// reference returns the meaning of items as plain Verilog: for each output its value, its known bits and its X bits.
func reference(items []*drawn) string {
	var text strings.Builder
	wires := 0
	outputs := ""
	for i := range items {
		outputs += fmt.Sprintf(", output [%d:0] o%d, ok%d, x%d", outputBits*len(parametersDrawn)-1, i, i, i)
	}
	fmt.Fprintf(&text, "module r (%s%s);\n", strings.ReplaceAll(portsText("input"), "signed ", ""), outputs)
	for _, p := range portsDrawn {
		fmt.Fprintf(&text, "  wire [%d:0] %s_ok = {%d{1'b1}}, %s_x = 0;\n", p.bits-1, p.name, p.bits, p.name)
	}
	for i, it := range items {
		for at, n := range parametersDrawn {
			m := &machine{map[string]int{"N": n}, map[string]sure{}, &text, &wires}
			r := it.run(m)
			for _, pair := range [][2]string{{"o", r.v}, {"ok", r.ok}, {"x", r.x}} {
				fmt.Fprintf(&text, "  assign %s%d[%d:%d] = %s;\n", pair[0], i, (at+1)*outputBits-1, at*outputBits, pair[1])
			}
		}
	}
	return text.String() + "endmodule\n"
}
