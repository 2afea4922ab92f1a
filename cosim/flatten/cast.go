package flatten

import (
	"regexp"
	"strconv"
	"strings"
)

// keepCasts marks casts of the source that truncate an index, such as mem[AW'(p + 1)] with AW bits. In the tree,
// these casts look like truncations by Verilator.
func (t *tree) keepCasts() {
	sizes := t.sizes()
	t.earlier.each(func(n *node) {
		if !n.cutsAnIndex() || n.one(1).isCut() {
			return
		}
		found := castIndex.FindStringSubmatch(t.after(n.parent))
		if found == nil || !endsIndex(t.after(n.parent)[len(found[0]):]) {
			return
		}
		of := sizes[found[1]]
		if size, err := strconv.Atoi(found[1]); err == nil {
			of = map[int]bool{size: true}
		}
		if of[n.bitsBefore()] && !of[n.one(1).bitsBefore()] { // a cast to the operand's own width may have no effect
			n.kind = "CASTCUT"
		}
	})
}

// castIndex matches the beginning of an index that is a cast to a number, a parameter or a type.
var castIndex = regexp.MustCompile(`^\[\s*(?:\w+::)?(\w+)'\s*\(`)

func endsIndex(text string) bool {
	open := 1
	for i, c := range text {
		switch c {
		case '(':
			open++
		case ')':
			if open--; open == 0 {
				return endOfIndex.MatchString(text[i+1:])
			}
		}
	}
	return false
}

var endOfIndex = regexp.MustCompile(`^\s*(\]|\+:)`)

func (t *tree) sizes() map[string]map[int]bool {
	sizes := map[string]map[int]bool{}
	t.earlier.each(func(n *node) {
		size := 0
		switch {
		case n.kind == "TYPEDEF":
			size = n.bitsBefore()
		case n.kind == "VAR" && strings.Contains(n.rest, "PARAM") && len(n.operands[2]) > 0:
			if e := t.fixedBefore(newGraph(), n.operands[2][0]); e != nil {
				size, _ = e.small()
			}
		}
		if size == 0 {
			return
		}
		if sizes[n.name()] == nil {
			sizes[n.name()] = map[int]bool{}
		}
		sizes[n.name()][size] = true
	})
	return sizes
}
