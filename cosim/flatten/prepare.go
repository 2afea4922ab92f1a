package flatten

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
)

// keepSigns restores the sign extension of indexes to which Verilator adds the low end of a range, and of indexes
// that Verilator multiplies by the element size. Verilator zero-extends these indexes, because it uses only the low
// bits.
func (n *node) keepSigns() {
	n.each(func(n *node) {
		if n.kind == "EXTEND" && n.one(1).signed() &&
			slices.Contains([]string{"ADD", "SUB", "MUL"}, n.parent.kind) && n.parent.loc == n.loc {
			n.kind = "EXTENDS"
		}
	})
}

// wholeIndexes returns the indexes before truncation, by place of the selection, without duplicates. One place may
// have several indexes, because of other parameters of the module and iterations of generate. Variables whose sign a
// cast has changed are included, because Verilator drops the cast.
func wholeIndexes(root *node) map[string][]*node {
	whole, known := map[string][]*node{}, map[string]bool{}
	root.each(func(n *node) {
		if (n.kind != "SEL" && n.kind != "ARRAYSEL") || n.one(2) == nil {
			return
		}
		index := n.one(2)
		switch {
		case index.cutsAnIndex():
			index = index.one(1)
		case index.kind != "VARREF" || index.signed() == declaredSigned.MatchString(index.rest):
			return
		}
		if key := fmt.Sprint(n.loc, n.one(1).kind, n.one(1).bitsBefore(), n.one(2).text()); !known[key] {
			known[key] = true
			whole[n.loc] = append(whole[n.loc], index)
		}
	})
	return whole
}

func (n *node) text() string {
	var b strings.Builder
	n.each(func(n *node) { fmt.Fprint(&b, n.kind, n.loc, n.width, n.rest, "\n") })
	return b.String()
}

func nestedSelections(root *node) map[string][]*node {
	nested, known := map[string][]*node{}, map[string]bool{}
	root.each(func(n *node) {
		if n.kind == "SEL" && n.one(1).kind == "SEL" && !n.cutsAnIndex() {
			from := innermost(n).one(1)
			key := fmt.Sprint(n.loc, from.kind, from.bitsBefore())
			for _, l := range levels(n) {
				key += fmt.Sprint(l.room, l.width, l.at.text())
			}
			if !known[key] {
				known[key] = true
				nested[n.loc] = append(nested[n.loc], n)
			}
		}
	})
	return nested
}

// A level is one of several nested selections that Verilator merged, such as s[i].member[k +: 2]. The sum of the
// indexes of all levels hides an index that is out of range in its own level.
type level struct {
	at          *node
	room, width int // bits of the operand and of the selection
}

func levels(before *node) (list []level) {
	for ; before.kind == "SEL"; before = before.one(1) {
		list = append(list, level{before.one(2), before.one(1).bitsBefore(), before.bitsBefore()})
	}
	return list
}

const indexBits = 60

func innermost(n *node) *node {
	for n.one(1).kind == "SEL" {
		n = n.one(1)
	}
	return n
}

// ofAnother reports whether the earlier selection is from a vector of a different size, in an instance with other
// parameters.
func ofAnother(before, n *node) bool {
	from, of := before.one(1), n.one(1)
	return from.kind == "VARREF" && of.kind == "VARREF" && from.bitsBefore() != of.bitsBefore()
}

func (n *node) isCut() bool {
	return n.kind == "SEL" && !strings.Contains(n.rest, "decl[") && constantText.MatchString(n.one(2).name()) &&
		strings.HasSuffix(n.one(2).name(), "h0")
}

// cutsAnIndex reports whether a node of the earlier tree truncates an index. The selection of a structure's lowest
// member looks similar, but has a declared type.
func (n *node) cutsAnIndex() bool {
	return n.isCut() && strings.Contains(n.width, "(G/") &&
		(n.parent.kind == "SEL" || n.parent.kind == "ARRAYSEL") && n.parent.one(2) == n
}

func (n *node) signed() bool {
	return strings.Contains(n.width, "(sw") || strings.Contains(n.width, "/sw")
}

func (n *node) bitsBefore() int {
	found := widthBefore.FindStringSubmatch(n.width)
	if found == nil {
		return 0
	}
	w, _ := new(big.Int).SetString(found[1], 10)
	if n.scales() {
		return int(w.Int64()) + strideBits
	}
	return int(w.Int64())
}

// strideBits is the maximum size of a selected element, as a logarithm.
const strideBits = 24

// scales reports whether n is Verilator's product of an index and an element size. The product has the width of the
// index, so a large index may wrap.
func (n *node) scales() bool {
	if n.kind != "MUL" && n.kind != "MULS" {
		return false
	}
	of := n.parent
	if of.isCut() && of.one(1) == n {
		n, of = of, of.parent
	}
	return of.kind == "SEL" && of.one(2) == n && of.loc == n.loc
}

func (t *tree) fixedBefore(g *graph, n *node) *expr {
	width := n.bitsBefore()
	if n.kind == "VARREF" {
		found := namedBefore.FindStringSubmatch(n.rest)
		if found == nil || t.before[found[1]] == nil || t.before[found[1]].operands[2] == nil {
			return nil
		}
		n = t.before[found[1]].operands[2][0]
	}
	if width == 0 {
		return nil
	}
	if n.kind == "CONST" {
		found := constantBefore.FindStringSubmatch(n.name())
		if found == nil {
			return nil
		}
		value, _ := new(big.Int).SetString(found[1], 16)
		return g.constant(width, value)
	}
	do := operations[n.kind]
	if do == nil {
		return nil
	}
	var of []*expr
	for i := 1; i <= len(n.operands) && n.one(i) != nil; i++ {
		e := t.fixedBefore(g, n.one(i))
		if e == nil {
			e = g.unknown(max(n.one(i).bitsBefore(), 1))
		}
		of = append(of, e)
	}
	if e := do(g, of, width); e != nil && e.known() {
		return e
	}
	return nil
}

var (
	namedBefore    = regexp.MustCompile(`<- VAR (0x[0-9a-f]+)`)
	declaredSigned = regexp.MustCompile(`VAR 0x[0-9a-f]+ \S+ @dt=\w+@\((?:G/)?s`)
	namedAnywhere  = regexp.MustCompile(`[<=][-=>]+ VAR (0x[0-9a-f]+)`)
)

var (
	constantText   = regexp.MustCompile(`^(\d+)'(s?)([bhd])([0-9a-fxz]+)$`)
	widthBefore    = regexp.MustCompile(`@\((?:G/)?s?wu?(\d+)`)
	constantBefore = regexp.MustCompile(`^(?:\?32\?|\d+')s?h([0-9a-f]+)$`)
)
