package flatten

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"starloom/cosim/goals"
)

// A design is a module read from Verilator's tree, before it is printed.
type design struct {
	*tree
	g         *graph
	top       string
	clocks    []string
	variables []*variable
	byScope   map[string]*variable

	initials, processes []*node
	written             map[*variable]bool // variables written outside of initial blocks
	plain               map[*variable]bool // arrays that are read as vectors instead of memories

	checks   []check
	dropped  []string
	seen     map[string]bool
	covered  map[string]bool
	turned   map[string]bool
	latches  []latch
	branches []branch // branches recorded while resets are off
	aboutX   map[*expr]bool
	others   map[[2]*node]bool
}

// A check is an assertion: bad must never be 1.
type check struct {
	Assertion
	bad *expr
}

// A latch holds the bits written by a process without a clock. These bits must not depend on themselves.
type latch struct {
	at *node
	v  *variable
	part
	own map[*variable][]part
}

// A demotion is a panic value: an array cannot be a memory, so the design is read again with the array as a vector.
type demotion struct{ v *variable }

const modelTop = "TOP"

func newDesign(t *tree, top string, clocks []string, plain map[string]bool) *design {
	d := &design{
		tree: t, g: newGraph(), top: top, clocks: clocks, byScope: map[string]*variable{},
		written: map[*variable]bool{}, plain: map[*variable]bool{}, seen: map[string]bool{}, covered: map[string]bool{},
		turned: map[string]bool{},
		aboutX: map[*expr]bool{}, others: map[[2]*node]bool{},
	}
	d.root.each(func(n *node) {
		switch n.kind {
		case "VARSCOPE":
			d.declare(n, plain)
		case "INITIAL", "INITIALSTATIC", "INITIALAUTOMATIC":
			if first := n.operands[1]; n.kind == "INITIAL" && len(first) == 1 &&
				first[0].kind == "ASSIGN" && first[0].loc == n.loc {
				first[0].kind = "ASSIGNW" // assign of a constant: assign o = P;
				return
			}
			d.initials = append(d.initials, n)
		case "ALWAYS", "ASSIGNW", "ALWAYSPUBLIC":
			d.processes = append(d.processes, n)
		case "FINAL":
			d.drop(n, "a final block")
		}
	})
	// initial values of declarations precede all initial blocks
	slices.SortStableFunc(d.initials, func(a, b *node) int { return order(a.kind) - order(b.kind) })
	for _, process := range d.processes {
		process.each(func(n *node) {
			if n.kind == "VARREF" && (strings.Contains(n.rest, "[LV]") || strings.Contains(n.rest, "[LRV]")) {
				v := d.variableOf(n)
				d.written[v] = true
			}
		})
		if process.kind == "ASSIGNW" { // assign {c[1], y} = c[0] + d; uses a temporary, which is a net
			process.outsideCalls(func(n *node) {
				if n.kind == "VARREF" && !strings.Contains(n.rest, "[RV]") {
					d.variableOf(n).temp = false
				}
			})
		}
	}
	return d
}

func order(kind string) int { return map[string]int{"INITIAL": 1}[kind] }

var scopedName = regexp.MustCompile(`^(\S+)->(\S+)`)

func (d *design) declare(n *node, plain map[string]bool) {
	name, id := scopedName.FindStringSubmatch(n.rest), variableOf.FindStringSubmatch(n.rest)
	if name == nil || id == nil {
		panic(d.refuse(n, "a variable without a name", "give it one"))
	}
	of := d.nodes[id[1]]
	if file, _, _ := d.position(of); filepath.Base(file) == "verilated_std.sv" {
		return // skips Verilator's own classes
	}
	v := &variable{index: len(d.variables), at: of, name: d.plainName(name[1] + "." + name[2])}
	words := strings.Fields(of.rest)
	v.kept = strings.Contains(name[2], "__Vstatic__")
	v.temp = v.kept || slices.Contains(words, "BLOCKTEMP") || slices.Contains(words, "[VAUTOM]")
	if of.parent.kind == "MODULE" && of.parent.name() == "__024root" {
		v.input, v.output = slices.Contains(words, "[PI]"), slices.Contains(words, "[PO]")
	}
	v.what = d.typeOf(of, of.dtype)
	v.memory = v.what.element != nil && v.what.element.element == nil && v.what.element.members == nil && !plain[v.name]
	d.variables = append(d.variables, v)
	d.byScope[n.id] = v
}

var escapedCode = regexp.MustCompile(`__0([0-9A-Fa-f]{2})`)

func (d *design) plainName(name string) string {
	name = strings.TrimPrefix(name, modelTop+".")
	for _, part := range [][2]string{{"__DOT__", "."}, {"__BRA__", "["}, {"__KET__", "]"}} {
		name = strings.ReplaceAll(name, part[0], part[1])
	}
	name = strings.TrimPrefix(name, d.top+".")
	return escapedCode.ReplaceAllStringFunc(name, func(code string) string {
		n, _ := strconv.ParseUint(code[3:], 16, 8)
		return string(rune(n))
	})
}

func (d *design) variableOf(n *node) *variable {
	found := referenceTo.FindStringSubmatch(n.rest)
	if found == nil || d.byScope[found[1]] == nil {
		panic(d.refuse(n, "the name "+d.plainName(n.name())+", which Verilator does not resolve",
			"declare it in this module"))
	}
	v := d.byScope[found[1]]
	if v.what.bits <= 0 {
		panic(d.refuse(n, v.name+", which is not a vector", "exclude it from the circuit: `ifndef SYNTHESIS"))
	}
	return v
}

func (d *design) drop(n *node, what string) {
	if n.kind == "DISPLAY" {
		for _, list := range n.parent.operands {
			for _, beside := range list {
				if beside.kind == "STOP" && beside.loc == n.loc {
					return // skips the message of an assertion
				}
			}
		}
	}
	text := d.place(n) + ": " + what
	if !d.seen[text] {
		d.seen[text] = true
		d.dropped = append(d.dropped, text)
	}
}

func walk(roots []*expr, visit func(*expr)) {
	seen := map[*expr]bool{}
	var down func(e *expr)
	down = func(e *expr) {
		if seen[e] {
			return
		}
		seen[e] = true
		visit(e)
		for _, a := range e.args {
			down(a)
		}
	}
	for _, e := range roots {
		down(e)
	}
}

type violation struct {
	when        *expr
	at          *node
	text, scope string
}

func (d *design) check(v violation, clock string, bad *expr) {
	if _, _, goal := goals.Marked(v.text); bad.is(0) && !goal {
		return
	}
	asksX := false
	walk([]*expr{bad}, func(e *expr) { asksX = asksX || d.aboutX[e] })
	if asksX {
		d.drop(v.at, "an assertion that tests whether a value is X")
		return
	}
	kind := "assert"
	switch word := d.word(v.at); word {
	case "assume", "$fatal", "$error", "$stop":
		kind = word
	case "case", "casez", "casex", "if", "unique", "unique0", "priority":
		kind = "unique"
	}
	d.checks = append(d.checks, check{Assertion{
		Net: fmt.Sprintf("assertion_%d", len(d.checks)), Kind: kind, Place: d.place(v.at), Text: v.text, Clock: clock,
		Scope: v.scope,
	}, bad})
}

type branch struct {
	at   *node
	when *expr
}
