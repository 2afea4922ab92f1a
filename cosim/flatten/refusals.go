package flatten

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"starloom/cosim"
	"starloom/cosim/verilator"
)

// loses rejects constructs that Verilator resolves differently from the source, or that the source leaves open.
func (t *tree) loses() error {
	l := &lost{tree: t, values: &process{design: &design{tree: t, g: newGraph()}}, unknown: map[string]string{}}
	for _, w := range t.Doubts {
		if verilator.Misread(w) {
			reason, remedy, _ := strings.Cut(w.Text, "; ")
			return &cosim.InputError{Place: w.Place, Reason: reason, Remedy: remedy}
		}
	}
	l.parameters()
	for _, look := range []func(){
		l.folded, l.constants, l.highImpedance, l.drivers, l.constantFunctions, l.enumerations, l.continuous,
		l.signedArrays, l.negativeRanges,
	} {
		if look(); l.refused != nil {
			return l.refused
		}
	}
	return nil
}

type lost struct {
	*tree
	values  *process
	unknown map[string]string
	refused error
}

func (l *lost) first(n *node, reason, remedy string) {
	if l.refused == nil {
		l.refused = l.refuse(n, reason, remedy)
	}
}

func (n *node) holds(letters string) bool {
	found := constantText.FindStringSubmatch(n.name())
	return n.kind == "CONST" && found != nil && found[3] == "b" && strings.ContainsAny(found[4], letters)
}

func (l *lost) parameters() {
	l.earlier.each(func(n *node) {
		if n.kind != "VAR" {
			return
		}
		for _, value := range n.operands[2] {
			value.each(func(c *node) {
				if c.holds("xz") {
					l.unknown[n.loc] += c.name()
				}
			})
		}
	})
}

func (n *node) declared() string {
	_, rest, _ := strings.Cut(n.rest, " VAR 0x")
	_, rest, _ = strings.Cut(rest, "{")
	loc, _, _ := strings.Cut(rest, "}")
	return loc
}

func among(kind string, kinds ...string) bool { return slices.Contains(kinds, kind) }

func divides(n *node) bool {
	return strings.HasPrefix(n.kind, "DIV") || strings.HasPrefix(n.kind, "MODDIV")
}

func (l *lost) folded() {
	t := l.tree
	kept, selects, used := map[string]bool{}, map[string]bool{}, map[string]bool{}
	t.root.each(func(n *node) {
		kept[n.loc] = kept[n.loc] || divides(n) || n.kind == "SEL" || n.kind == "ARRAYSEL"
		if name, ok := strings.CutPrefix(n.rest, functionHere); ok && n.kind == "COMMENT" {
			used[name] = true
		}
	})
	const beyondReason, beyondRemedy = "an index out of range, which Verilator folds",
		"select an existing element, or exclude the line with a generate `if`"
	t.earlier.each(func(n *node) {
		selecting := n.kind == "SEL" || n.kind == "ARRAYSEL"
		if selecting {
			selects[t.place(n)] = true
		}
		if l.refused != nil || kept[n.loc] || l.ruledOut(n) {
			return
		}
		if selecting && (t.Beyond[t.place(n)] != nil || l.beyond(n)) {
			l.first(n, beyondReason, beyondRemedy)
			return
		}
		if !divides(n) || l.values.fixedBefore(l.values.g, n.one(2)) != nil {
			return
		}
		for above := n.parent; above != nil; above = above.parent {
			if (above.kind == "FUNC" || above.kind == "TASK") && !used[above.name()] {
				return
			}
		}
		l.first(n, "a division that Verilator folds: for a divisor of 0 Verilator has a value, but the source has X",
			"write the value for a divisor of 0 explicitly")
	})
	for _, place := range sortedPlaces(t.Beyond) {
		if l.refused == nil && !selects[place] {
			l.refused = &cosim.InputError{Place: place, Reason: beyondReason, Remedy: beyondRemedy}
		}
	}
	// Some selections from one parameter define the value of another parameter. Such selections are missing from both
	// trees.
	t.source.each(func(n *node) {
		if n.kind == "SELBIT" && inConstant(n) {
			l.selectsConstant(n)
		}
	})
}

func (l *lost) ruledOut(n *node) bool {
	for below, above := n, n.parent; above != nil; below, above = above, above.parent {
		if !among(above.kind, "COND", "IF") {
			continue
		}
		condition := above.one(1)
		if c := l.values.fixedBefore(l.values.g, condition); c != nil && c.known() && condition != below {
			taken := 1
			if c.value.Sign() == 0 {
				taken = 2
			}
			if !slices.Contains(above.operands[taken], below) {
				return true
			}
		}
	}
	return false
}

// functionHere is the beginning of the comment that Verilator places at an inlined function or task.
const functionHere = "Function: "

func sortedPlaces(m map[string][]int) (places []string) {
	for place := range m {
		places = append(places, place)
	}
	slices.Sort(places)
	return places
}

func (l *lost) beyond(n *node) bool {
	if !n.one(2).isCut() {
		return false
	}
	whole := l.values.fixedBefore(l.values.g, n.one(2).one(1))
	return whole != nil && whole.known() && whole.value.Cmp(big.NewInt(int64(n.one(1).bitsBefore()))) >= 0
}

func inConstant(n *node) bool {
	for below, above := n, n.parent; above != nil; below, above = above, above.parent {
		if above.kind == "VAR" {
			return slices.Contains(above.operands[2], below) &&
				(strings.HasSuffix(above.rest, "PARAM") || strings.Contains(above.rest, "PARAM "))
		}
	}
	return false
}

// selectsConstant rejects a selection, in a parameter value, of an element of a packed array with an index that may
// be out of range. Verilator does not warn.
func (l *lost) selectsConstant(n *node) {
	depth, of := 0, n
	for ; of != nil && of.kind == "SELBIT"; of = of.one(1) {
		depth++
	}
	if of == nil || of.kind != "VARREF" {
		return
	}
	at := l.written(n.one(2))
	for _, v := range l.before {
		if v.kind != "VAR" || v.loc != of.declared() {
			continue
		}
		d := l.before[v.dtype]
		for range depth - 1 {
			if d == nil || d.kind != "PACKARRAYDTYPE" {
				return
			}
			d = l.before[firstGroup(typeBelow.FindStringSubmatch(d.rest))]
		}
		if d == nil || d.kind != "PACKARRAYDTYPE" && (depth < 2 || d.kind != "BASICDTYPE") {
			return
		}
		low, high, ok := bounds(d)
		if at == nil || !ok || at.low.Cmp(low) < 0 || at.high.Cmp(high) > 0 {
			l.first(n, "an element of a packed array for a parameter, with an index that may be out of range",
				"select with a number in range, or write the parameter's value directly")
		}
	}
}

func firstGroup(found []string) string {
	if found == nil {
		return ""
	}
	return found[1]
}

func bounds(d *node) (low, high *big.Int, ok bool) {
	found := arrayRange.FindStringSubmatch(strings.TrimSpace(d.rest))
	if found == nil {
		return nil, nil, false
	}
	low, _ = new(big.Int).SetString(found[1], 10)
	high, _ = new(big.Int).SetString(found[2], 10)
	if low.Cmp(high) > 0 {
		low, high = high, low
	}
	return low, high, true
}

// written returns the range of an index in the tree before generate is resolved, nil for an index that is not simple.
func (l *lost) written(n *node) (s *span) {
	switch n.kind {
	case "VARREF":
		if strings.Contains(n.rest, "GENVAR") {
			return l.turns(n)
		}
		for _, v := range l.before {
			if v.kind == "VAR" && v.loc == n.declared() && len(v.operands[2]) > 0 &&
				constantBefore.MatchString(v.operands[2][0].name()) {
				s = s.with(l.written(v.operands[2][0]).low)
			}
		}
	case "CONST":
		if found := constantBefore.FindStringSubmatch(n.name()); found != nil {
			value, _ := new(big.Int).SetString(found[1], 16)
			return s.with(value)
		}
	case "ADD", "SUB", "MUL":
		return l.written(n.one(1)).combined(n.kind, l.written(n.one(2)))
	case "POW":
		base, by := l.written(n.one(1)), l.written(n.one(2))
		if base == nil || by == nil || base.low.Sign() <= 0 || by.low.Sign() < 0 || by.high.Cmp(big.NewInt(31)) > 0 {
			return nil
		}
		s = s.with(new(big.Int).Exp(base.low, by.low, nil))
		return s.with(new(big.Int).Exp(base.high, by.high, nil))
	}
	return s
}

func (l *lost) turns(n *node) *span {
	for above := n.parent; above != nil; above = above.parent {
		if above.kind != "GENFOR" {
			continue
		}
		begin, while := above.one(1), above.one(2)
		if begin == nil || while == nil || begin.kind != "ASSIGN" || begin.one(2).declared() != n.declared() ||
			while.kind != "LT" && while.kind != "LTE" || while.one(1).declared() != n.declared() {
			continue
		}
		from, to := l.written(begin.one(1)), l.written(while.one(2))
		if from == nil || to == nil {
			return nil
		}
		high := new(big.Int).Set(to.high)
		if while.kind == "LT" {
			high.Sub(high, big.NewInt(1))
		}
		return from.with(high)
	}
	return nil
}

// constants rejects X bits for which Verilator chooses a value: in conditions of generate and case, and on the left
// of ==?.
func (l *lost) constants() {
	l.source.each(func(n *node) {
		switch {
		case among(n.kind, "GENIF", "GENCASE", "GENFOR"):
			for _, condition := range []*node{n.one(1), n.one(2)} {
				if n.kind == "GENFOR" && condition == n.one(1) || n.kind == "GENIF" && condition == n.one(2) {
					continue
				}
				if condition != nil && l.mayBeX(condition) {
					l.first(n, "a generate condition that may be X", "give the condition a value without X, division or a function")
				}
			}
		case n.kind == "CASE":
			if fixed(n.one(1)) && l.mayBeX(n.one(1)) {
				l.first(n, "case of a constant that may be X", "give the parameter a value without X")
			}
		case among(n.kind, "EQWILD", "NEQWILD", "INSIDE"):
			if left := n.one(1); fixed(left) && l.mayBeX(left) {
				l.first(n, "an X on the left of ==?, which Verilator folds", "write the intended comparison")
			}
		}
	})
}

func fixed(n *node) bool {
	ok := true
	n.each(func(n *node) {
		ok = ok && n.kind != "FUNCREF" && (n.kind != "VARREF" || strings.Contains(n.rest, "PARAM"))
	})
	return ok
}

// mayBeX reports whether a constant expression may be X, because of an X or Z bit, a division or a function.
func (l *lost) mayBeX(n *node) bool {
	if among(n.kind, "EQCASE", "NEQCASE") {
		return false
	}
	if n.holds("xz") || n.kind == "VARREF" && l.unknown[n.declared()] != "" || divides(n) && !l.divisible(n.one(2)) ||
		n.kind == "FUNCREF" && l.leavesX(n) {
		return true
	}
	for operand, list := range n.operands {
		for _, below := range list {
			if operand == 1 && among(n.kind, "EQWILD", "NEQWILD") || operand == 0 && n.kind == "CASEITEM" {
				continue
			}
			if l.mayBeX(below) {
				return true
			}
		}
	}
	return false
}

// highImpedance rejects Z used as a value. Verilator converts such a Z to 0 or to a disabled driver.
func (l *lost) highImpedance() {
	l.earlier.each(func(n *node) {
		if n.kind == "BUFIF1" || n.holds("z") && !l.isPattern(n) || n.kind == "VARREF" &&
			strings.Contains(l.unknown[n.declared()], "z") && !l.isPattern(n) {
			l.first(n, "'z as a value: a tri-state", "write the value of the undriven net, or 'x if it must "+
				"not matter")
		}
	})
}

// isPattern reports whether a constant is a pattern. A parameter counts as a pattern, because its references are
// checked instead.
func (l *lost) isPattern(n *node) bool {
	for below, above := n, n.parent; above != nil; below, above = above, above.parent {
		switch above.kind {
		case "CASEITEM":
			return slices.Contains(above.operands[0], below)
		case "EQCASE", "NEQCASE":
			return true
		case "EQWILD", "NEQWILD":
			return slices.Contains(above.operands[1], below)
		case "VAR":
			return strings.Contains(above.rest, "PARAM")
		}
	}
	return false
}

// A driver is a continuous assignment to bits of a net or of an instance output.
type driver struct {
	at        *node
	low, high int
}

func (l *lost) drivers() {
	driven := map[string][]driver{}
	l.earlier.each(func(n *node) {
		var to *node
		switch {
		case n.kind == "ASSIGNW":
			to = n.one(2)
		case n.kind == "PIN" && strings.Contains(n.rest, " OUTPUT "):
			to = n.one(1)
		}
		if to != nil {
			l.drive(n, to, driven)
		}
	})
}

func (l *lost) drive(at, to *node, driven map[string][]driver) {
	switch {
	case to.kind == "CONCAT":
		l.drive(at, to.one(1), driven)
		l.drive(at, to.one(2), driven)
		return
	case to.kind == "VARREF":
		l.alone(at, to, 0, to.bitsBefore()-1, driven)
	case to.kind == "SEL" && to.one(1).kind == "VARREF":
		low, width := l.values.fixedBefore(l.values.g, to.one(2)), l.values.fixedBefore(l.values.g, to.one(3))
		if to.one(2).isCut() {
			low = l.values.fixedBefore(l.values.g, to.one(2).one(1))
		}
		if low == nil || width == nil {
			return
		}
		from, ok := low.small()
		bits, _ := width.small()
		if ok && bits > 0 {
			l.alone(at, to.one(1), from, from+bits-1, driven)
		}
	}
}

func (l *lost) alone(at, v *node, low, high int, driven map[string][]driver) {
	found := namedAnywhere.FindStringSubmatch(v.rest)
	if found == nil || high < low {
		return
	}
	for _, other := range driven[found[1]] {
		if other.low <= high && low <= other.high {
			if l.refused == nil {
				what := fmt.Sprintf("%s has several drivers, among them %s", v.name(), l.place(other.at))
				l.refused = l.refuse(at, what, "drive every bit in one place")
			}
		}
	}
	driven[found[1]] = append(driven[found[1]], driver{at, low, high})
}

// enumerations rejects next and prev of an enumeration without all values of its width. For a missing value,
// Verilator returns 0; the source returns X.
func (l *lost) enumerations() {
	l.earlier.each(func(n *node) {
		if n.kind != "VAR" || !strings.HasPrefix(n.name(), "__Venumtab_") {
			return
		}
		for _, table := range n.operands[2] {
			if e := l.before[l.before[n.dtype].below()]; e == nil || len(table.operands[1]) < 1<<min(e.bitsBefore(), 30) {
				l.first(n, "next or prev of an enumeration without names for all values of its bits", "write it as a case with "+
					"a default")
			}
		}
	})
}

func (n *node) below() string { return firstGroup(typeBelow.FindStringSubmatch(n.rest)) }

// continuous rejects assign in a process, because Verilator treats it as a plain assignment.
func (l *lost) continuous() {
	l.source.each(func(n *node) {
		if n.kind == "ASSIGNCONT" || n.kind == "ASSIGN" && l.word(n) == "assign" {
			l.first(n, "assign in a process", "write = or <=, or assign outside")
		}
	})
}

// signedArrays rejects signed packed arrays. By IEEE 1800-2017 7.4.1, the array is signed, but its elements are
// signed only if their type is named. Verilator also treats unnamed elements as signed.
func (l *lost) signedArrays() {
	l.earlier.each(func(n *node) {
		if n.kind == "PACKARRAYDTYPE" && strings.Contains(n.rest, " refdt="+n.below()+"(sw") {
			l.first(n, "a signed packed array, in which Verilator may misread the sign of the array or of its elements",
				"declare it unsigned, and write $signed where a value is signed")
		}
	})
}

var negativeRange = regexp.MustCompile(`decl\[(?:-\d+:|\d+:-)`)

// negativeRanges rejects unsigned indexes into a range with a negative end. Verilator computes the offset in the
// width of the index, in which large values represent negative offsets.
func (l *lost) negativeRanges() {
	l.earlier.each(func(n *node) {
		if n.kind != "SEL" || !negativeRange.MatchString(n.rest) {
			return
		}
		at := n.one(2)
		if at.isCut() {
			at = at.one(1)
		}
		for _, side := range []*node{at.one(1), at.one(2)} {
			if among(at.kind, "ADD", "SUB") && side.kind != "CONST" && side.bitsBefore() >= 32 && !side.signed() &&
				!strings.HasPrefix(side.kind, "EXTEND") {
				l.first(n, "an unsigned 32-bit index into a range with a negative bound", "write $signed(i), or fewer bits")
			}
		}
	})
}
