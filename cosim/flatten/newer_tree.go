package flatten

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var constantWidth = regexp.MustCompile(`\bwidthConst=(\d+)`)

// asBefore converts a tree of Verilator 5.048 to the form of 5.006 and 5.032. The width of a selection becomes an
// operand, a continuous assignment loses the ALWAYS around it, and a LOOP becomes a WHILE.
func (n *node) asBefore() {
	for at := range n.operands {
		for i, child := range n.operands[at] {
			if child.kind == "ALWAYS" && strings.Contains(child.rest, "[cont_assign]") {
				child = child.assignBefore()
				child.parent, n.operands[at][i] = n, child
			}
			if whole := child.unguarded(); whole != nil {
				child = whole
				child.parent, n.operands[at][i] = n, child
			}
			child.asBefore()
		}
	}
	switch found := constantWidth.FindStringSubmatch(n.rest); {
	case n.kind == "SEL" && found != nil:
		width, _ := strconv.Atoi(found[1])
		n.operands[2] = []*node{{kind: "CONST", loc: n.loc, width: "@(G/w32)", rest: fmt.Sprintf("32'h%x", width), parent: n}}
	case n.kind == "LOOP":
		n.loopAsBefore()
	}
}

// unguarded returns a selection without Verilator's bounds check. The check yields 0 for an index out of range; the
// standard requires X. For other nodes, unguarded returns nil.
func (n *node) unguarded() *node {
	if n.kind != "LOGAND" && n.kind != "COND" {
		return nil
	}
	check, whole := n.one(1), n.one(2)
	if check.kind != "GTE" || check.one(1).kind != "CONST" || check.loc != n.loc || whole.loc != n.loc ||
		whole.kind != "SEL" && whole.kind != "ARRAYSEL" {
		return nil
	}
	return whole
}

// assignBefore unwraps a continuous assignment. An assignment that follows inlined functions stays in its process.
func (n *node) assignBefore() *node {
	if len(n.operands[1]) == 1 {
		return n.operands[1][0]
	}
	for _, child := range n.operands[1] {
		if child.kind == "ASSIGNW" {
			child.kind = "ASSIGN"
		}
	}
	return n
}

func (n *node) loopAsBefore() {
	at := slices.IndexFunc(n.operands[0], func(child *node) bool { return child.kind == "LOOPTEST" })
	if at < 0 {
		return
	}
	test, all, last := n.operands[0][at], n.operands[0], n.operands[1]
	n.kind, n.operands = "WHILE", [4][]*node{all[:at], test.operands[0], slices.Concat(all[at+1:], last)}
	for _, c := range n.operands[1] {
		c.parent = n
	}
}
