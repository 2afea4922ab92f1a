package netlist

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"starloom/traces/input"
)

// view is what the conditions of a relation read: the place and the destination of a head, and how it came.
type view struct {
	router, to int
	at, goal   []int // coordinates of both routers in a grid

	bits  uint64 // truth of each leaf
	came  string // output port through which the head left the previous router; cameSource for none
	down  bool   // the head came over a link down
	class int    // class of its virtual channel, -1 at a source
}

const cameSource = "source"

// leaf is a condition that depends on router and destination only.
type leaf struct {
	holds      func(v *view) bool
	dimensions uint64 // dimensions of the coordinates that the condition reads
	numbers    bool   // the condition reads numbers of routers
}

// term is a part of a condition. A truth yields 0 or 1.
type term struct {
	leaf
	truth bool
	value func(v *view) int
}

// terms parses conditions. Each comparison of router and destination becomes a leaf, so that rules are evaluated for
// whole sets of destinations.
type terms struct {
	grid   []int // sides of a grid, nil for others
	around bool
	direct bool     // routers are linked with all others of their row in each dimension
	local  int      // number of ports before those of the grid
	names  []string // names of classes
	ports  []string // names of ports

	leaves []leaf
	comes  bool           // a condition depends on how the head came
	reads  bool           // a condition depends on router or destination
	known  map[string]int // leaf by text
	tokens []string
	at     int
}

const leavesMax = 48

var coordinateNames = []string{"x", "y", "z", "w"}

// condition returns the function of a text. An empty text always holds.
func (t *terms) condition(text, place string) (func(v *view) bool, error) {
	if text == "" {
		return func(*view) bool { return true }, nil
	}
	t.tokens, t.at = tokens(text), 0
	whole, err := t.either()
	if err == nil && t.at < len(t.tokens) {
		err = fmt.Errorf("%q is not expected", t.tokens[t.at])
	}
	if err == nil && !whole.truth {
		err = fmt.Errorf("a number is no condition")
	}
	if err != nil {
		return nil, input.Mistake(place, fmt.Sprintf("the condition %q: %v", text, err), t.remedy())
	}
	return func(v *view) bool { return whole.value(v) != 0 }, nil
}

func (t *terms) remedy() string {
	variables := "router, destination"
	if t.grid != nil {
		names := coordinateNames[:min(len(t.grid), len(coordinateNames))]
		variables = strings.Join(names, ", ") + ", d" + strings.Join(names, ", d") + ", " + variables
	}
	return "write comparisons of " + variables + ", class == NAME, came == PORT, came_down, odd(), even(), near() or " +
		"wraps(), joined by and, or, not"
}

func tokens(text string) (all []string) {
	for i := 0; i < len(text); {
		n := 1
		switch c := text[i]; {
		case c == ' ' || c == '\t' || c == '\n':
			i++
			continue
		case strings.ContainsRune("<>=!", rune(c)) && i+1 < len(text) && text[i+1] == '=':
			n = 2
		case named(c):
			for i+n < len(text) && named(text[i+n]) {
				n++
			}
		}
		all, i = append(all, text[i:i+n]), i+n
	}
	return all
}

func named(c byte) bool {
	return c == '_' || c == '[' || c == ']' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func (t *terms) next(words ...string) (word string, ok bool) {
	if t.at < len(t.tokens) && slices.Contains(words, t.tokens[t.at]) {
		t.at++
		return t.tokens[t.at-1], true
	}
	return "", false
}

func (t *terms) either() (term, error) {
	return t.joined("or", t.both, func(a, b int) int { return a | b })
}

func (t *terms) both() (term, error) {
	return t.joined("and", t.negation, func(a, b int) int { return a & b })
}

func (t *terms) joined(word string, part func() (term, error), join func(a, b int) int) (term, error) {
	a, err := part()
	for err == nil {
		if _, ok := t.next(word); !ok {
			return a, nil
		}
		var b term
		if b, err = part(); err == nil && !(a.truth && b.truth) {
			err = fmt.Errorf("%s joins conditions, not numbers", word)
		}
		left, right := a.value, b.value
		a = term{truth: true, value: func(v *view) int { return join(left(v), right(v)) }}
	}
	return a, err
}

func (t *terms) negation() (term, error) {
	if _, ok := t.next("not"); !ok {
		return t.comparison()
	}
	a, err := t.negation()
	if err == nil && !a.truth {
		err = fmt.Errorf("not is for conditions")
	}
	value := a.value
	a.value = func(v *view) int { return 1 - value(v) }
	return a, err
}

func (t *terms) comparison() (term, error) {
	first := t.at
	a, err := t.sum()
	if err != nil || a.truth {
		return a, err
	}
	op, ok := t.next("<", "<=", ">", ">=", "==", "!=")
	if !ok {
		return a, nil
	}
	b, err := t.sum()
	if err == nil && b.truth {
		err = fmt.Errorf("%s compares numbers", op)
	}
	if err != nil {
		return a, err
	}
	left, right := a.value, b.value
	return t.leaf(first, a.leaf.with(b.leaf), func(v *view) bool {
		switch x, y := left(v), right(v); op {
		case "<":
			return x < y
		case "<=":
			return x <= y
		case ">":
			return x > y
		case ">=":
			return x >= y
		case "==":
			return x == y
		default:
			return x != y
		}
	})
}

func (l leaf) with(other leaf) leaf {
	return leaf{dimensions: l.dimensions | other.dimensions, numbers: l.numbers || other.numbers}
}

// leaf adds a leaf that begins at token first. Equal texts share a leaf.
func (t *terms) leaf(first int, of leaf, holds func(v *view) bool) (term, error) {
	t.reads = true
	text := strings.Join(t.tokens[first:t.at], " ")
	at, ok := t.known[text]
	if !ok {
		if at = len(t.leaves); at == leavesMax {
			return term{}, fmt.Errorf("the rules have more than %d comparisons", leavesMax)
		}
		of.holds, t.known[text] = holds, at
		t.leaves = append(t.leaves, of)
	}
	return term{truth: true, value: func(v *view) int { return int(v.bits >> at & 1) }}, nil
}

func (t *terms) sum() (term, error) { return t.operation(t.product, "+", "-") }

func (t *terms) product() (term, error) { return t.operation(t.sign, "*", "div", "mod") }

func (t *terms) operation(part func() (term, error), words ...string) (term, error) {
	a, err := part()
	for err == nil {
		op, ok := t.next(words...)
		if !ok {
			return a, nil
		}
		var b term
		if b, err = part(); err == nil && (a.truth || b.truth) {
			err = fmt.Errorf("%s is for numbers", op)
		}
		left, right := a.value, b.value
		a = term{leaf: a.leaf.with(b.leaf), value: func(v *view) int { return operate(op, left(v), right(v)) }}
	}
	return a, err
}

// operate computes a op b. div rounds down and mod is not negative; both yield 0 for b <= 0.
func operate(op string, a, b int) int {
	switch op {
	case "+":
		return a + b
	case "-":
		return a - b
	case "*":
		return a * b
	}
	if b <= 0 {
		return 0
	}
	rest := (a%b + b) % b
	if op == "mod" {
		return rest
	}
	return (a - rest) / b
}

func (t *terms) sign() (term, error) {
	if _, ok := t.next("-"); !ok {
		return t.atom()
	}
	a, err := t.sign()
	if err == nil && a.truth {
		err = fmt.Errorf("- is for numbers")
	}
	value := a.value
	a.value = func(v *view) int { return -value(v) }
	return a, err
}

func (t *terms) atom() (term, error) {
	if t.at == len(t.tokens) {
		return term{}, fmt.Errorf("the end is not expected")
	}
	first, word := t.at, t.tokens[t.at]
	t.at++
	switch word {
	case "(":
		a, err := t.either()
		if _, ok := t.next(")"); err == nil && !ok {
			err = fmt.Errorf("a ) is missing")
		}
		return a, err
	case "router":
		return term{leaf: leaf{numbers: true}, value: func(v *view) int { return v.router }}, nil
	case "destination":
		return term{leaf: leaf{numbers: true}, value: func(v *view) int { return v.to }}, nil
	case "came_down":
		t.comes = true
		return term{truth: true, value: func(v *view) int { return bit(v.down) }}, nil
	case "class", "came":
		return t.name(word)
	case "odd", "even", "near", "wraps":
		return t.function(first, word)
	}
	if d, delta := t.coordinate(word); d >= 0 {
		return term{leaf: leaf{dimensions: 1 << d}, value: func(v *view) int {
			if delta {
				return stepsTo(v.at[d], v.goal[d], t.grid[d], t.around)
			}
			return v.at[d]
		}}, nil
	}
	number, err := strconv.Atoi(word)
	if err != nil {
		return term{}, fmt.Errorf("%q is unknown", word)
	}
	return term{value: func(*view) int { return number }}, nil
}

// coordinate returns the dimension of a coordinate (x) or a distance (dx), -1 for other words.
func (t *terms) coordinate(word string) (dimension int, delta bool) {
	name, delta := strings.CutPrefix(word, "d")
	if dimension = slices.Index(coordinateNames, name); dimension >= len(t.grid) {
		return -1, false
	}
	return dimension, delta
}

// stepsTo returns the signed distance in a dimension of k routers, of both ways around the shorter one, in a tie
// the positive one.
func stepsTo(at, to, k int, around bool) int {
	d := to - at
	if around && 2*d > k {
		d -= k
	} else if around && 2*d <= -k {
		d += k
	}
	return d
}

func (t *terms) name(what string) (term, error) {
	op, ok := t.next("==", "!=")
	if !ok || t.at == len(t.tokens) {
		return term{}, fmt.Errorf("%s is compared with a name", what)
	}
	name, names := t.tokens[t.at], t.names
	if t.at++; what == "came" {
		names = append([]string{cameSource}, t.ports...)
	}
	t.comes = true
	at := slices.Index(names, name)
	if at < 0 {
		return term{}, fmt.Errorf("no %s is called %s (%s)", map[string]string{"class": "class", "came": "port"}[what], name,
			input.DidYouMean(name, names, "allowed: "+strings.Join(names[:min(len(names), 12)], ", ")))
	}
	same := bit(op == "==")
	return term{truth: true, value: func(v *view) int {
		if what == "class" && v.class == at || what == "came" && v.came == name {
			return same
		}
		return 1 - same
	}}, nil
}

func (t *terms) function(first int, word string) (term, error) {
	if _, ok := t.next("("); !ok {
		return term{}, fmt.Errorf("%s needs a number in parentheses", word)
	}
	inner := t.at
	a, err := t.sum()
	if _, ok := t.next(")"); err == nil && (!ok || a.truth) {
		err = fmt.Errorf("%s needs a number in parentheses", word)
	}
	if err != nil {
		return a, err
	}
	value := a.value
	holds := func(v *view) bool { return operate("mod", value(v), 2) == bit(word == "odd") }
	switch word {
	case "near":
		holds = func(v *view) bool { return value(v) == 1 || value(v) == -1 }
	case "wraps":
		d, delta := t.coordinate(t.tokens[inner])
		if !delta || t.at != inner+2 {
			return a, fmt.Errorf("wraps is for a distance such as dx")
		}
		holds = func(v *view) bool { return v.at[d]+value(v) != v.goal[d] }
	}
	return t.leaf(first, a.leaf, holds)
}

func bit(set bool) int {
	if set {
		return 1
	}
	return 0
}

func coordinate(k []int, router, dimension int) int {
	for _, n := range k[:dimension] {
		router /= n
	}
	return router % k[dimension]
}
