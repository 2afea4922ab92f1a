package flatten

import (
	"fmt"
	"math/big"
)

// An item is one entry of a case.
type item struct {
	when *expr
	body []*node
}

// selection is case, casez and casex: the first item that matches counts.
func (p *process) selection(n *node, s *state) *state {
	subject := p.eval(n.one(1), s)
	var items []item
	var other []*node
	covered := map[string]bool{} // values that constant items match
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
	if full := subject.width < 16 && len(covered) == 1<<subject.width; full && len(items) > 0 {
		last := len(items) - 1 // whatever is left is the last one
		other, items = items[last].body, items[:last]
	}
	s = p.choose(items, other, s)
	if s == nil {
		return nil
	}
	return p.run(n.operands[2], s) // the checks of unique and priority
}

func (p *process) choose(items []item, other []*node, s *state) *state {
	if len(items) == 0 {
		return p.run(other, s)
	}
	return p.split(items[0].when, s,
		func(s *state) *state { return p.run(items[0].body, s) },
		func(s *state) *state { return p.choose(items[1:], other, s) })
}

// caseMatch is the condition of one pattern. Unknown bits match all in casez and casex; the tree
// does not say which of the three a case is, the source does.
func (p *process) caseMatch(n *node, subject *expr, pattern *node, s *state, covered map[string]bool) *expr {
	e := p.patternOf(pattern, s)
	width := max(subject.width, e.width)
	subject, e = p.g.zext(subject, width), p.g.zext(e, width)
	if e.known() && e.value.BitLen() <= p.eval(n.one(1), s).width {
		covered[e.value.String()] = true
	}
	if e.op != opConst || e.known() {
		return p.g.compare(opEq, subject, e)
	}
	free := new(big.Int)
	switch word := p.word(n); word {
	case "casex":
		free = e.x
	case "casez":
		free = p.bitsOfText(pattern, width, 'z')
	case "case", "unique", "priority", "unique0":
	default:
		panic(p.refuse(n, fmt.Sprintf("a case with unknown bits that begins with %q: it may be case, casez or casex", word),
			"write the word casez itself, not a macro"))
	}
	if free.Cmp(e.x) != 0 { // a bit that must be X or Z
		return p.g.bit(false)
	}
	return p.matches(subject, e, true)
}

// bitsOfText are the bits of a binary constant that a letter stands for.
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
