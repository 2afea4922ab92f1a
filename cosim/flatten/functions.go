package flatten

import (
	"math/big"
	"slices"
	"strings"
)

// constantFunctions rejects functions for parameter values that Verilator computes wrongly. Verilator truncates
// indexes in such functions, and ==? with X on the left yields 0. The trace in Steps contains the values that the
// functions read.
func (l *lost) constantFunctions() {
	l.earlier.each(func(n *node) {
		if l.refused != nil || n.kind != "FUNC" && n.kind != "TASK" {
			return
		}
		n.each(func(n *node) {
			switch {
			case n.kind == "SEL" || n.kind == "ARRAYSEL":
				l.withinConstant(n)
			case among(n.kind, "EQWILD", "NEQWILD"):
				n.one(1).each(func(leaf *node) {
					for _, value := range l.Steps[leaf.loc] {
						if leaf.kind == "VARREF" && strings.ContainsAny(value, "xz") {
							l.first(n, "an X on the left of ==? in a function that computes a parameter",
								"give the parameter the value itself")
						}
					}
				})
			}
		})
	})
}

// withinConstant rejects an index that is, or may be, out of range when the function is computed.
func (l *lost) withinConstant(n *node) {
	index := n.one(2)
	if index.isCut() {
		index = index.one(1)
	}
	if !l.computed(index) || !l.computed(n.one(1)) {
		return
	}
	size, width := n.one(1).bitsBefore(), 1
	if n.kind == "ARRAYSEL" {
		low, high, ok := (*big.Int)(nil), (*big.Int)(nil), false
		if d := l.before[n.one(1).dtype]; d != nil {
			low, high, ok = bounds(d)
		}
		if !ok {
			return // an operand without array bounds is rejected later
		}
		size = int(new(big.Int).Sub(high, low).Int64()) + 1
	} else if w := l.values.fixedBefore(l.values.g, n.one(3)); w != nil {
		width, _ = w.small()
	}
	s := l.between(index)
	if s == nil || s.low.Sign() < 0 || s.high.Cmp(big.NewInt(int64(size-width))) > 0 {
		l.first(n, "an index that may be out of range in a function that computes a parameter",
			"bound the index with a separate loop, or write the parameter's value directly")
	}
}

func (l *lost) computed(n *node) bool {
	all := true
	n.each(func(n *node) {
		all = all && (n.kind != "VARREF" || len(l.Steps[n.loc]) > 0 || strings.Contains(n.rest, "PARAM") ||
			strings.Contains(n.rest, "[LV]"))
	})
	return all
}

type span struct{ low, high *big.Int }

// between returns the range of an index, derived from the traced values of its variables, or nil if the range is
// unknown.
func (l *lost) between(n *node) *span {
	if value := l.values.fixedBefore(l.values.g, n); value != nil && value.known() {
		v := new(big.Int).Set(value.value)
		if n.signed() && value.width >= 32 {
			v = signed(value)
		}
		return &span{v, v}
	}
	switch n.kind {
	case "VARREF":
		return l.observed(n)
	case "EXTEND", "EXTENDS", "SIGNED", "UNSIGNED":
		return l.between(n.one(1))
	case "ADD", "SUB", "MUL", "MULS":
		return l.between(n.one(1)).combined(n.kind, l.between(n.one(2)))
	}
	return nil
}

func (s *span) combined(kind string, other *span) (made *span) {
	if s == nil || other == nil {
		return nil
	}
	do := map[byte]func(z, x, y *big.Int) *big.Int{'A': (*big.Int).Add, 'S': (*big.Int).Sub, 'M': (*big.Int).Mul}[kind[0]]
	for _, x := range []*big.Int{s.low, s.high} {
		for _, y := range []*big.Int{other.low, other.high} {
			made = made.with(do(new(big.Int), x, y))
		}
	}
	return made
}

func (s *span) with(v *big.Int) *span {
	if s == nil {
		return &span{v, v}
	}
	wide := *s
	if v.Cmp(s.low) < 0 {
		wide.low = v
	}
	if v.Cmp(s.high) > 0 {
		wide.high = v
	}
	return &wide
}

func (l *lost) observed(n *node) (s *span) {
	for _, text := range l.Steps[n.loc] {
		found := constantBefore.FindStringSubmatch(text)
		if found == nil {
			return nil
		}
		v, _ := new(big.Int).SetString(found[1], 16)
		if n.signed() {
			v = signed(l.values.g.constant(max(n.bitsBefore(), 1), v))
		}
		s = s.with(v)
	}
	return s
}

func (l *lost) divisible(n *node) bool {
	s := l.written(n)
	if s == nil && n.kind == "VARREF" {
		s = l.observed(n)
	}
	return s != nil && (s.low.Sign() > 0 && s.high.BitLen() < 32 || s.high.Sign() < 0 && s.low.BitLen() < 32)
}

// leavesX reports whether a function called for a constant may return X, because it divides, or reads or returns an
// unassigned variable.
func (l *lost) leavesX(call *node) bool {
	_, place, _ := strings.Cut(call.rest, " FUNC 0x")
	_, place, _ = strings.Cut(place, "{")
	place, _, _ = strings.Cut(place, "}")
	leaves, found := false, false
	l.source.each(func(f *node) {
		if f.kind != "FUNC" || f.loc != place {
			return
		}
		found = true
		leaves = leaves || !assigned(f.operands[2], f.loc)
		f.each(func(n *node) {
			switch {
			case n.kind == "FUNCREF":
				leaves = leaves || n.loc == call.loc || l.leavesX(n)
			case divides(n):
				leaves = leaves || !l.divisible(n.one(2))
			case n.kind == "VARREF":
				leaves = leaves ||
					slices.ContainsFunc(l.Steps[n.loc], func(value string) bool { return strings.ContainsAny(value, "xz") })
			default:
				leaves = leaves || n.holds("xz") && !l.isPattern(n)
			}
		})
	})
	return leaves || !found
}

func assigned(statements []*node, variable string) bool {
	for _, n := range statements {
		done := false
		switch n.kind {
		case "ASSIGN":
			done = n.one(1).kind != "CRESET" && n.one(2).kind == "VARREF" && n.one(2).declared() == variable
		case "IF":
			done = assigned(n.operands[1], variable) && assigned(n.operands[2], variable)
		case "BEGIN", "JUMPBLOCK":
			// the order of operands depends on the version of Verilator
			done = assigned(n.operands[0], variable) || assigned(n.operands[1], variable)
		case "CASE":
			other := false
			done = true
			for _, item := range n.operands[1] {
				other = other || len(item.operands[0]) == 0
				done = done && assigned(item.operands[1], variable)
			}
			done = done && other
		}
		if done {
			return true
		}
	}
	return false
}
