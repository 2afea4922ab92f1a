package flatten

import (
	"math/big"
	"regexp"
	"strings"
)

// A level is one of several selections, such as those of s[i].member[k +: 2], that Verilator has made one: its index adds theirs, and hides
// that one of them lies beyond what it selects from.
type level struct {
	at          *node // its index in the tree before
	room, width int   // bits of what it selects from, and that it selects
}

// nestedSelections are selections from selections of a tree, by their places.
func nestedSelections(root *node) map[string][]*node {
	nested := map[string][]*node{}
	root.each(func(n *node) {
		if n.kind == "SEL" && n.one(1).kind == "SEL" && !n.cutsAnIndex() {
			nested[n.loc] = append(nested[n.loc], n)
		}
	})
	return nested
}

func levels(before *node) (list []level) {
	for ; before.kind == "SEL"; before = before.one(1) {
		list = append(list, level{before.one(2), before.one(1).bitsBefore(), before.bitsBefore()})
	}
	return list
}

// indexBits are those of an index that stands for several.
const indexBits = 40

func innermost(n *node) *node {
	for n.one(1).kind == "SEL" {
		n = n.one(1)
	}
	return n
}

// most is a bound of a value.
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
		if e.op == opMod || a.BitLen() < e.width && by.BitLen() < e.width { // neither is negative
			if by.Cmp(a) <= 0 {
				return new(big.Int).Sub(by, big.NewInt(1))
			}
			return a
		}
	}
	return bound
}

// stride is a number that divides a value; 1 if none is known.
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

// isCut reports whether Verilator has put a selection of the low bits here: one of the source has a declaration.
func (n *node) isCut() bool {
	return n.kind == "SEL" && !strings.Contains(n.rest, "decl[") && constantText.MatchString(n.one(2).name()) && strings.HasSuffix(n.one(2).name(), "h0")
}

// cutsAnIndex reports whether a node of the tree before is what Verilator has cut an index to, and not a member at the low end of a
// structure, which has a type that was declared.
func (n *node) cutsAnIndex() bool {
	return n.isCut() && strings.Contains(n.width, "(G/") && (n.parent.kind == "SEL" || n.parent.kind == "ARRAYSEL") && n.parent.one(2) == n
}

var (
	constantText   = regexp.MustCompile(`^(\d+)'(s?)([bhd])([0-9a-fxz]+)$`)
	widthBefore    = regexp.MustCompile(`@\((?:G/)?s?wu?(\d+)`)
	constantBefore = regexp.MustCompile(`^(?:\?32\?|\d+')s?h([0-9a-f]+)$`)
)

// bitsBefore is the width of a node in the tree before.
func (n *node) bitsBefore() int {
	if found := widthBefore.FindStringSubmatch(n.width); found != nil {
		w, _ := new(big.Int).SetString(found[1], 10)
		return int(w.Int64())
	}
	return 0
}
