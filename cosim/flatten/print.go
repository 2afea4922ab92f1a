package flatten

import (
	"fmt"
	"math/bits"
	"regexp"
	"slices"
	"strings"

	"starloom/cosim"
)

// A printer writes a design as one module. Every operation has its own wire, so that the context of the operation
// cannot widen it.
type printer struct {
	*design
	ports     []cosim.Port
	needed    map[*variable]bool
	order     []*variable
	names     map[string]bool
	registers map[string]bool
	wires     map[*expr]string
	body      strings.Builder
	declare   strings.Builder
	unknown   []string

	branchPort string
	taken      []Branch
}

var plainName = regexp.MustCompile(`[^A-Za-z0-9_]+`)

func (pr *printer) nameOf(name string) string {
	plain := strings.Trim(plainName.ReplaceAllString(name, "_"), "_")
	if plain == "" || plain[0] >= '0' && plain[0] <= '9' {
		plain = "v" + plain
	}
	unique := plain
	for i := 2; pr.names[unique] || cosim.IsKeyword(unique); i++ {
		unique = fmt.Sprintf("%s_%d", plain, i)
	}
	pr.names[unique] = true
	return unique
}

func vectorOf(width int) string {
	if width == 1 {
		return ""
	}
	return fmt.Sprintf("[%d:0] ", width-1)
}

func (pr *printer) print() string {
	for _, p := range pr.ports {
		pr.names[p.Name] = true
	}
	for i := range pr.checks {
		pr.names[pr.checks[i].Net] = true
	}
	pr.find()
	pr.lint()
	pr.oneDriver()
	pr.races()
	for _, v := range pr.order {
		pr.variableText(v)
	}
	var checks strings.Builder
	for _, c := range pr.checks {
		fmt.Fprintf(&checks, "  assign %s = %s; // %s: %s\n", c.Net, pr.ref(c.bad), c.Place, cosim.OneLine([]byte(c.Text)))
	}
	for _, v := range pr.order {
		pr.driverText(v)
	}
	pr.registerText()
	port, branches, list := pr.branchText()
	pr.branchPort, pr.taken = port, list
	var text strings.Builder
	fmt.Fprintf(&text, "module %s (\n", pr.top)
	for i, p := range pr.ports {
		direction := "output"
		if p.Input {
			direction = "input"
		} else if pr.registers[p.Name] {
			direction = "output reg"
		}
		comma := ","
		if i == len(pr.ports)-1 {
			comma = ""
		}
		fmt.Fprintf(&text, "  %s %s%s%s\n", direction, vectorOf(p.Bits), cosim.VerilogName(p.Name), comma)
	}
	if len(list) > 0 {
		fmt.Fprintf(&text, "`ifdef %s\n  , output [%d:0] %s\n`endif\n", DefineBranches, len(list)-1, port)
	}
	if len(pr.checks) > 0 {
		fmt.Fprintf(&text, "`ifdef %s\n", DefineAssertions)
		for _, c := range pr.checks {
			fmt.Fprintf(&text, "  , output %s\n", c.Net)
		}
		text.WriteString("`endif\n")
	}
	text.WriteString(");\n")
	if len(pr.checks) > 0 {
		fmt.Fprintf(&text, "`ifndef %s\n", DefineAssertions)
		for _, c := range pr.checks {
			fmt.Fprintf(&text, "  wire %s;\n", c.Net)
		}
		text.WriteString("`endif\n")
	}
	text.WriteString(pr.declare.String())
	text.WriteString(pr.body.String())
	text.WriteString(checks.String())
	if len(list) > 0 {
		fmt.Fprintf(&text, "`ifdef %s\n%s`endif\n", DefineBranches, branches)
	}
	text.WriteString("endmodule\n")
	return text.String()
}

func (pr *printer) find() {
	var roots []*expr
	for _, v := range pr.variables {
		if v.output {
			pr.need(v, &roots)
		}
	}
	for _, c := range pr.checks {
		roots = append(roots, c.bad)
	}
	seen := map[*expr]bool{}
	for len(roots) > 0 {
		e := roots[len(roots)-1]
		roots = roots[:len(roots)-1]
		if seen[e] {
			continue
		}
		seen[e] = true
		if e.v != nil {
			pr.need(e.v, &roots)
		}
		roots = append(roots, e.args...)
	}
	slices.SortFunc(pr.order, func(a, b *variable) int { return a.index - b.index })
}

func (pr *printer) need(v *variable, roots *[]*expr) {
	if pr.needed[v] {
		return
	}
	pr.needed[v] = true
	pr.order = append(pr.order, v)
	for _, p := range v.comb {
		*roots = append(*roots, p.e)
	}
	for _, r := range v.registers {
		*roots = append(*roots, r.next, r.clock.e)
		for _, reset := range r.resets {
			*roots = append(*roots, reset.e)
		}
	}
	for _, w := range v.ports {
		*roots = append(*roots, w.when, w.address, w.data, w.clock.e)
	}
}

// lint rejects latches: bits that a process without a clock computes from themselves.
func (pr *printer) lint() {
	for _, l := range pr.latches {
		if !pr.needed[l.v] {
			continue
		}
		seen := map[*expr]bool{}
		var down func(e *expr)
		down = func(e *expr) {
			if seen[e] {
				return
			}
			seen[e] = true
			low, width, of := 0, e.width, e
			if e.op == opSlice && e.args[0].op == opVar {
				low, of = e.low, e.args[0]
			}
			if of.op != opVar {
				for _, a := range e.args {
					down(a)
				}
				return
			}
			for _, own := range l.own[of.v] {
				if own.low < low+width && low < own.end() {
					panic(pr.refuse(l.at, fmt.Sprintf("%s keeps its value in a process without a clock: a latch", of.v.name),
						"give it a value in every branch, for example a default at the head of the process"))
				}
			}
		}
		down(l.e)
	}
}

// oneDriver rejects bits with two writers. Loop variables are exempt, because no other process reads them.
func (pr *printer) oneDriver() {
	for _, v := range pr.order {
		bits := slices.Clone(v.comb)
		for _, r := range v.registers {
			bits = append(bits, part{low: r.low, width: r.width})
		}
		slices.SortFunc(bits, func(a, b part) int { return a.low - b.low })
		for i := range bits {
			if i > 0 && bits[i-1].end() > bits[i].low {
				what := cosim.SliceText(v.name, bits[i].low, bits[i-1].end()) + " is written by several processes"
				panic(pr.refuse(v.at, what, "write every bit in only one always block or assign"))
			}
		}
	}
}

// races rejects registers that one process writes with = while another process reads them, because the order is
// undefined.
func (pr *printer) races() {
	raced := map[*variable]*node{}
	for _, v := range pr.order {
		for _, r := range v.registers {
			if r.blocking {
				raced[v] = r.process
			}
		}
	}
	if len(raced) == 0 {
		return
	}
	look := func(process *node, roots ...*expr) {
		seen := map[*variable]bool{}
		for len(roots) > 0 {
			var next []*expr
			walk(roots, func(e *expr) {
				if e.v == nil || seen[e.v] {
					return
				}
				seen[e.v] = true
				if writer := raced[e.v]; writer != nil && writer != process {
					what := fmt.Sprintf("reads %s, which %s writes with = at an edge: their order is undefined",
						e.v.name, pr.place(writer))
					panic(pr.refuse(process, what, "write it with <="))
				}
				for _, part := range e.v.comb {
					next = append(next, part.e)
				}
			})
			roots = next
		}
	}
	for _, v := range pr.order {
		for _, r := range v.registers {
			look(r.process, r.next)
		}
		for _, w := range v.ports {
			look(w.process, w.when, w.address, w.data)
		}
	}
}

func (pr *printer) variableText(v *variable) {
	if v.memory && !v.constant {
		v.printed = pr.nameOf(v.name)
		fmt.Fprintf(&pr.declare, "  reg %s%s [0:%d];\n", vectorOf(v.what.element.bits), v.printed, v.what.elements-1)
		return
	}
	if v.memory {
		return
	}
	kind := "wire"
	if len(v.registers) > 0 && len(v.comb) == 0 {
		kind = "reg"
	}
	if v.input || v.output {
		v.printed = cosim.VerilogName(v.name)
		pr.registers[v.name] = kind == "reg"
		return
	}
	v.printed = pr.nameOf(v.name)
	fmt.Fprintf(&pr.declare, "  %s %s%s;\n", kind, vectorOf(v.what.bits), v.printed)
}

func rangeText(name string, of, low, width int) string {
	switch {
	case width == of:
		return name
	case width == 1:
		return fmt.Sprintf("%s[%d]", name, low)
	}
	return fmt.Sprintf("%s[%d:%d]", name, low+width-1, low)
}

func (pr *printer) driverText(v *variable) {
	for _, p := range v.comb {
		driver := pr.ref(p.e)
		fmt.Fprintf(&pr.body, "  assign %s = %s;\n", rangeText(v.printed, v.what.bits, p.low, p.width), driver)
	}
	switch undriven := len(v.comb) == 0 && len(v.registers) == 0; {
	case v.memory || v.power == nil:
	case v.constant:
		fmt.Fprintf(&pr.body, "  assign %s = %s;\n", v.printed, pr.ref(v.power.get(pr.g, 0, v.what.bits)))
	case undriven:
		var power strings.Builder
		pr.powerText(&power, v, "assign "+v.printed)
		if power.Len() > 0 {
			fmt.Fprintf(&pr.body, "`ifdef %s\n%s`endif\n", DefinePowerOn, power.String())
		}
	}
}

func literalText(e *expr) string {
	if e.x.Sign() == 0 {
		return fmt.Sprintf("%d'h%s", e.width, e.value.Text(16))
	}
	digits := make([]byte, e.width)
	for i := range digits {
		bit := e.width - 1 - i
		digits[i] = '0' + byte(e.value.Bit(bit))
		if e.x.Bit(bit) == 1 {
			digits[i] = 'x'
		}
	}
	return fmt.Sprintf("%d'b%s", e.width, digits)
}

// ref returns the text of an operand that is safe in any context: a constant, a name or bits of a name.
func (pr *printer) ref(e *expr) string {
	switch {
	case e.op == opConst:
		return literalText(e)
	case e.op == opVar:
		return e.v.printed
	case e.op == opSlice:
		return rangeText(pr.named(e.args[0]), e.args[0].width, e.low, e.width)
	}
	return pr.named(e)
}

func (pr *printer) named(e *expr) string {
	if e.op == opVar {
		return e.v.printed
	}
	if name, ok := pr.wires[e]; ok {
		return name
	}
	var text string
	switch {
	case e.op == opFree:
		return pr.freeText(e)
	case e.op == opConst, e.op == opSlice:
		text = pr.ref(e)
	case e.op == opWord && e.v.constant:
		return pr.romText(e)
	default:
		text = pr.operationText(e)
	}
	name := pr.nameOf(fmt.Sprintf("n%d", len(pr.wires)))
	pr.wires[e] = name
	fmt.Fprintf(&pr.body, "  wire %s%s = %s;\n", vectorOf(e.width), name, text)
	return name
}

func (pr *printer) freeText(e *expr) string {
	name := pr.nameOf(fmt.Sprintf("x%d", len(pr.wires)))
	pr.wires[e] = name
	place := pr.place(pr.g.free[e.low])
	fmt.Fprintf(&pr.declare, "  wire %s%s; // X: %s\n", vectorOf(e.width), name, place)
	if !slices.Contains(pr.unknown, place) {
		pr.unknown = append(pr.unknown, place)
	}
	return name
}

var symbols = map[operation]string{
	opNot: "~", opAll: "&", opAny: "|", opOdd: "^",
	opAnd: "&", opOr: "|", opXor: "^", opAdd: "+", opSub: "-", opMul: "*", opDiv: "/", opMod: "%", opDivS: "/",
	opModS: "%",
	opShl:  "<<", opShr: ">>", opSar: ">>>", opEq: "==", opLt: "<", opLtS: "<",
}

func (pr *printer) operationText(e *expr) string {
	args := make([]string, len(e.args))
	for i, a := range e.args {
		if e.op == opDyn && i == 0 {
			args[i] = pr.named(a)
		} else if e.op != opSext {
			args[i] = pr.ref(a)
		}
	}
	switch e.op {
	case opWord:
		return fmt.Sprintf("%s[%s]", e.v.printed, args[0])
	case opDyn:
		return fmt.Sprintf("%s[%s +: %d]", args[0], args[1], e.width)
	case opConcat:
		return "{" + strings.Join(args, ", ") + "}"
	case opSext:
		a := e.args[0]
		return fmt.Sprintf("{{%d{%s}}, %s}", e.width-a.width, pr.ref(pr.g.slice(a, a.width-1, 1)), pr.ref(a))
	case opMux:
		return fmt.Sprintf("%s ? %s : %s", args[0], args[1], args[2])
	case opDivS, opModS, opLtS:
		return fmt.Sprintf("$signed(%s) %s $signed(%s)", args[0], symbols[e.op], args[1])
	case opSar:
		return fmt.Sprintf("$signed(%s) >>> %s", args[0], args[1])
	}
	if len(args) == 1 {
		return symbols[e.op] + args[0]
	}
	return fmt.Sprintf("%s %s %s", args[0], symbols[e.op], args[1])
}

func (pr *printer) romText(e *expr) string {
	address, width := pr.ref(e.args[0]), e.width
	name := pr.nameOf(fmt.Sprintf("n%d", len(pr.wires)))
	pr.wires[e] = name
	fmt.Fprintf(&pr.body, "  reg %s%s;\n  always @*\n    case (%s)\n", vectorOf(width), name, address)
	for i := range e.v.what.elements {
		if bits.Len(uint(i)) > e.args[0].width {
			break
		}
		word := e.v.power.get(pr.g, i*width, width)
		fmt.Fprintf(&pr.body, "      %d'h%x: %s = %s;\n", e.args[0].width, i, name, literalText(word))
	}
	fmt.Fprintf(&pr.body, "      default: %s = %s;\n    endcase\n", name, literalText(pr.g.unknown(width)))
	return name
}

func (pr *printer) branchText() (port, text string, branches []Branch) {
	var bits []string
	before := pr.body
	pr.body = strings.Builder{}
	aims := newAimer(pr.design)
	for _, b := range pr.branches {
		printed := true
		walk([]*expr{b.when}, func(e *expr) {
			printed = printed && (e.v == nil || pr.needed[e.v]) && (e.op != opFree || pr.wires[e] != "")
		})
		if printed {
			bits = append(bits, pr.ref(b.when))
			branches = append(branches, Branch{pr.place(b.at), aims.of(b.when)})
		}
	}
	slices.Reverse(bits)
	port = pr.nameOf("branches")
	text = fmt.Sprintf("%s  assign %s = {%s};\n", pr.body.String(), port, strings.Join(bits, ", "))
	pr.body = before
	return port, text, branches
}

const constantsMost = 1 << 10

func (pr *printer) constants() (list []Constant) {
	add := func(e *expr) {
		c := Constant{e.width, e.value.Text(16)}
		if e.known() && e.width > 1 && len(list) < constantsMost && !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	var roots []*expr
	for _, v := range pr.order {
		for _, p := range v.comb {
			roots = append(roots, p.e)
		}
		for _, r := range v.registers {
			roots = append(roots, r.next)
		}
		for _, w := range v.ports {
			roots = append(roots, w.when, w.address, w.data)
		}
	}
	walk(roots, func(e *expr) {
		if e.op == opEq || e.op == opLt || e.op == opLtS {
			for _, a := range e.args {
				if a.op == opConst {
					add(a)
				}
			}
		}
	})
	for _, v := range pr.variables {
		if len(v.at.operands[2]) > 0 && v.power != nil && v.what.bits <= 64 {
			if e := v.power.get(pr.g, 0, v.what.bits); e.op == opConst {
				add(e)
			}
		}
	}
	return list
}
