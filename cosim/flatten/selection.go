package flatten

import (
	"fmt"
	"math/big"
	"strings"
)

type item struct {
	when *expr
	body []*node
}

// covered is the set of subject values matched by constant items, for subjects of fewer than 16 bits.
type covered struct {
	values []bool
	left   int
}

func newCovered(width int) *covered {
	if width >= 16 {
		return &covered{make([]bool, 1), 2}
	}
	return &covered{make([]bool, 1<<width), 1 << width}
}

func (c *covered) full() bool { return c.left == 0 }

func (c *covered) one(value int) {
	if value < len(c.values) && !c.values[value] {
		c.values[value] = true
		c.left--
	}
}

func (c *covered) add(value, free *big.Int) {
	if value.BitLen() > 16 {
		return
	}
	all := int(new(big.Int).And(free, big.NewInt(int64(len(c.values))-1)).Int64())
	for bits := all; ; bits = (bits - 1) & all {
		if c.one(int(value.Int64()) | bits); bits == 0 {
			return
		}
	}
}

func (c *covered) addRange(low, high *big.Int) {
	for v := range c.values {
		if at := big.NewInt(int64(v)); at.Cmp(low) >= 0 && at.Cmp(high) <= 0 {
			c.one(v)
		}
	}
}

// selection executes case, casez, casex and case inside. The first matching item applies.
func (p *process) selection(n *node, s *state) *state {
	subject := p.eval(n.one(1), s)
	var items []item
	var other []*node
	own := n.one(1)
	for own.kind == "EXTEND" {
		own = own.one(1)
	}
	covered := newCovered(p.width(own))
	for _, it := range n.operands[1] {
		p.covered[it.kind] = true
		if len(it.operands[0]) == 0 {
			other = it.operands[1]
			continue
		}
		when := p.g.bit(false)
		for _, pattern := range it.operands[0] {
			when = p.g.or(when, p.caseMatch(n, subject, pattern, s, covered))
		}
		items = append(items, item{when, it.operands[1]})
	}
	if covered.full() && len(items) > 0 {
		last := len(items) - 1 // the last item matches all remaining values
		other, items = items[last].body, items[:last]
	}
	s = p.choose(n, items, other, s)
	if s == nil {
		return nil
	}
	return p.run(n.operands[2], s) // checks of unique and priority
}

func (p *process) choose(n *node, items []item, other []*node, s *state) *state {
	if len(items) == 0 {
		return p.run(other, s)
	}
	return p.split(n, items[0].when, s,
		func(s *state) *state { return p.run(items[0].body, s) },
		func(s *state) *state { return p.choose(n, items[1:], other, s) })
}

// caseMatch returns the condition of one pattern. Unknown bits match every value in casez, casex and case inside.
// Only the source text distinguishes these three statements from a plain case.
func (p *process) caseMatch(n *node, subject *expr, pattern *node, s *state, seen *covered) *expr {
	if pattern.kind == "INSIDERANGE" {
		return p.caseRange(n.one(1), subject, pattern, s, seen)
	}
	e := p.patternOf(pattern, s)
	width := max(subject.width, e.width)
	subject, e = p.g.zext(subject, width), p.g.zext(e, width)
	if e.op != opConst || e.known() {
		if e.known() {
			seen.add(e.value, zero)
		}
		return p.g.compare(opEq, subject, e)
	}
	free := new(big.Int)
	switch word := p.word(n); word {
	case "casex":
		free = e.x
	case "casez":
		free = p.bitsOfText(pattern, width, 'z')
	case "case":
		if p.isInside(n) {
			free = e.x
		}
	default:
		panic(p.refuse(n, fmt.Sprintf("a case with unknown bits that begins with %q: it may be case, casez or casex", word),
			"write the word casez itself, not a macro"))
	}
	if free.Cmp(e.x) != 0 { // otherwise some bit is X or Z
		return p.g.bit(false)
	}
	seen.add(e.value, free)
	return p.matches(subject, e, true)
}

func (p *process) caseRange(of *node, subject *expr, n *node, s *state, seen *covered) *expr {
	p.covered[n.kind] = true
	below := func(bound int) (a, b *expr, op operation) {
		op, a, b = opLt, subject, p.eval(n.one(bound), s)
		width, extend := max(a.width, b.width), (*graph).zext
		if of.signed() && n.one(bound).signed() {
			op, extend = opLtS, (*graph).sext
		}
		return extend(p.g, a, width), extend(p.g, b, width), op
	}
	a, low, op := below(1)
	from := p.g.not(p.g.compare(op, a, low))
	a, high, op2 := below(2)
	if op == opLt && op2 == opLt && low.known() && high.known() {
		seen.addRange(low.value, high.value)
	}
	return p.g.and(from, p.g.not(p.g.compare(op2, high, a)))
}

func (p *process) isInside(n *node) bool {
	rest := p.after(n)
	word := func() string {
		rest = afterComments(rest)
		found := firstWord.FindString(rest)
		rest = rest[len(found):]
		return found
	}
	if word(); strings.HasPrefix(afterComments(rest), "(") {
		depth := 0
		for rest != "" {
			rest = afterComments(rest)
			switch {
			case rest == "":
			case rest[0] == '"' || rest[0] == '`':
				panic(p.refuse(n, "a case with unknown bits and a macro or text in its head: it may be case inside",
					"write it without"))
			default:
				if depth += strings.Count(rest[:1], "(") - strings.Count(rest[:1], ")"); depth == 0 {
					rest = rest[1:]
					if strings.HasPrefix(afterComments(rest), "`") {
						panic(p.refuse(n, "a case with unknown bits whose head ends with a macro: it may be case inside",
							"write the word inside itself"))
					}
					return word() == "inside"
				}
				rest = rest[1:]
			}
		}
	}
	panic(p.refuse(n, "a case with unknown bits whose head is spread over several files", "write it in one place"))
}

func afterComments(text string) string {
	for {
		text = strings.TrimLeft(text, " \t\r\n")
		end := ""
		switch {
		case strings.HasPrefix(text, "//"):
			end = "\n"
		case strings.HasPrefix(text, "/*"):
			end = "*/"
		default:
			return text
		}
		_, text, _ = strings.Cut(text[2:], end)
	}
}

func (p *process) bitsOfText(n *node, width int, letter byte) *big.Int {
	found := constantText.FindStringSubmatch(n.name())
	bits := new(big.Int)
	if found == nil || found[3] != "b" {
		return bits
	}
	for i := range found[4] {
		if at := len(found[4]) - 1 - i; found[4][i] == letter && at < width {
			bits.SetBit(bits, at, 1)
		}
	}
	return bits
}
