package flatten

import (
	"slices"
	"strings"
)

type (
	statement  = func(p *process, n *node, s *state) *state
	expression = func(p *process, n *node, s *state) *expr
)

// A process is one always, initial or assign, executed once with symbolic inputs. The result has an expression for
// each bit that the process writes.
type process struct {
	*design
	statements  map[string]statement
	expressions map[string]expression
	initial     bool
	clocked     bool
	fixed       map[*variable]*expr // values of inputs with a fixed value, such as resets
	path        []*expr
	blocks      map[string]*landing
	guesses     int // loop conditions that depend on the circuit
	turns       int
	pattern     bool // X and Z mark bits that do not count

	jumped     []away // jumps to ends of open blocks
	fixedReset bool
	fixedWords map[*variable]int
	writes     []memoryWrite
	violations []violation
}

type landing struct {
	depth int // length of path at the beginning of the block
	jumps []jump
}

type jump struct {
	when *expr // conjunction of the conditions since the beginning of the block
	s    *state
}

func (p *process) when(depth int) *expr {
	c := p.g.bit(true)
	for _, part := range p.path[depth:] {
		c = p.g.and(c, part)
	}
	return c
}

func (p *process) entry(k key) *value {
	e := p.g.variable(k.v)
	switch {
	case p.initial && !k.v.input, k.v.temp && !k.later:
		e = p.unknown(k.v.at, k.v.what.bits)
	case p.fixed[k.v] != nil && !k.later:
		e = p.fixed[k.v]
	}
	return &value{parts: []part{{width: k.v.what.bits, e: e}}}
}

func (p *process) read(s *state, v *variable, low, width int) *expr {
	if v.constant && !p.initial {
		return p.freed(v.at, v.power.get(p.g, low, width))
	}
	if found := s.find(key{v, false}); found != nil {
		return found.get(p.g, low, width)
	}
	return p.g.slice(p.entry(key{v, false}).parts[0].e, low, width)
}

func (p *process) run(list []*node, s *state) *state {
	for _, n := range list {
		do, ok := p.statements[n.kind]
		if !ok {
			panic(p.unknownNode(n))
		}
		p.covered[n.kind] = true
		if s = do(p, n, s); s == nil {
			return nil
		}
	}
	return s
}

func (p *process) condition(n *node, s *state) *expr { return p.g.reduce(opAny, p.eval(n, s)) }

func (p *process) unknownNode(n *node) error {
	what, remedy := "what Verilator calls "+strings.ToLower(n.kind),
		"write this line without it, or prove an instance without it"
	if known, ok := refusedNodes[n.kind]; ok {
		what, remedy = known[0], known[1]
	}
	return p.refuse(n, what+" cannot be printed as plain Verilog", remedy)
}

const realRemedy = "use scaled integers: a circuit has no real numbers"

// refusedNodes lists nodes that are legal Verilog but cannot be proved, each with its meaning and a remedy.
var refusedNodes = map[string][2]string{
	"TIME":         {"$time", "a circuit has no time: count cycles in a register"},
	"TIMED":        {"$realtime", "a circuit has no time: count cycles in a register"},
	"RAND":         {"$random", "take random bits from an input, or from an LFSR"},
	"URANDOMRANGE": {"$urandom_range", "take random bits from an input, or from an LFSR"},
	"GTD":          {"a comparison of real numbers", realRemedy},
	"LTD":          {"a comparison of real numbers", realRemedy},
	"GTED":         {"a comparison of real numbers", realRemedy},
	"LTED":         {"a comparison of real numbers", realRemedy},
	"EQD":          {"a comparison of real numbers", realRemedy},
	"NEQD":         {"a comparison of real numbers", realRemedy},
	"ITORD":        {"a real number", realRemedy},
	"ISTORD":       {"a real number", realRemedy},
	"RTOIS":        {"a real number", realRemedy},
	"RTOIROUNDS":   {"a real number", realRemedy},
	"ADDD":         {"arithmetic of real numbers", realRemedy},
	"SUBD":         {"arithmetic of real numbers", realRemedy},
	"MULD":         {"arithmetic of real numbers", realRemedy},
	"DIVD":         {"arithmetic of real numbers", realRemedy},
	"CCALL":        {"a function that is not inlined", "make it a plain function, without recursion or DPI"},
	"FUNCREF":      {"a function that is not inlined", "make it a plain function, without recursion or DPI"},
	"FOPEN":        {"$fopen", "exclude files from the circuit: `ifndef SYNTHESIS"},
	"FCLOSE":       {"$fclose", "exclude files from the circuit: `ifndef SYNTHESIS"},
	"SFORMATF":     {"text that is computed", "exclude it from the circuit: `ifndef SYNTHESIS"},
	"NEW":          {"a class", "exclude it from the circuit: `ifndef SYNTHESIS"},
	"FORK":         {"fork", "write one always for each branch"},
	"DELAY":        {"a delay", "exclude it from the circuit: `ifndef SYNTHESIS"},
	"EVENTCONTROL": {"an event inside of a process", "write one event at the head of an always block"},
}

func (p *process) eval(n *node, s *state) *expr {
	do, ok := p.expressions[n.kind]
	if !ok {
		panic(p.unknownNode(n))
	}
	p.covered[n.kind] = true
	return do(p, n, s)
}

func (p *process) width(n *node) int {
	d := p.typeOf(n, n.dtype)
	if d.bits <= 0 {
		for what := range d.members {
			panic(p.refuse(n, "a value of the type "+what, "declare it as a vector, or exclude it from the circuit: `ifndef "+
				"SYNTHESIS"))
		}
		panic(p.refuse(n, "a value without a width", "declare it as a vector"))
	}
	return d.bits
}

type away struct {
	to   *landing
	when *expr
}

const branchesMost = 1 << 12

// branched records both outcomes of a condition, except outcomes that end the simulation.
func (p *process) branched(n *node, c *expr) {
	if p.initial || p.fixedReset || c.known() || len(p.design.branches) >= branchesMost {
		return
	}
	when := p.when(0)
	for i, way := range []*expr{p.g.and(when, c), p.g.and(when, p.g.not(c))} {
		ends := n.kind == "IF" &&
			slices.ContainsFunc(n.operands[1+i], func(s *node) bool { return s.kind == "STOP" || s.kind == "FINISH" })
		if !ends && !way.known() && !slices.ContainsFunc(p.design.branches, func(b branch) bool { return b.when == way }) {
			p.design.branches = append(p.design.branches, branch{n, way})
		}
	}
}

// unknown returns X in initial blocks and patterns, otherwise a free value.
func (p *process) unknown(n *node, width int) *expr {
	if p.initial || p.pattern {
		return p.g.unknown(width)
	}
	return p.g.anything(n, width)
}

func (p *process) freed(n *node, e *expr) *expr {
	if e.op != opConst || e.known() || p.initial || p.pattern {
		return e
	}
	var parts []*expr
	for end := e.width; end > 0; {
		low := end - 1
		for low > 0 && e.x.Bit(low-1) == e.x.Bit(end-1) {
			low--
		}
		part := p.g.slice(e, low, end-low)
		if !part.known() {
			part = p.unknown(n, part.width)
		}
		parts = append(parts, part)
		end = low
	}
	return p.g.concat(parts...)
}
