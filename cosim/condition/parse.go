package condition

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"starloom/cosim"
	"starloom/traces/input"
)

type node struct {
	token         // operator; "[" for a port, "{" for a concatenation, "'" for a number
	kids  []*node // operands; of "[": the index, unless it is constant
	width int     // width of the value in bits; after size, the width required by the context
	port  cosim.Port
	past  bool
	low   int // lowest of width bits of a port
	count int
}

const depthMax = 200

// parser is a recursive-descent parser with one token of lookahead.
type parser struct {
	scanner
	scope  *Scope
	now    token
	past   bool
	before bool // $past occurred
	depth  int
	uses   []Use
}

func (p *parser) whole() (*node, error) {
	if err := p.step(); err != nil {
		return nil, err
	}
	if p.now.kind == tokenEnd {
		return nil, p.now.error("the condition is empty", "write one, such as !full")
	}
	n, err := p.expression()
	if err != nil {
		return nil, err
	}
	if p.now.kind != tokenEnd {
		return nil, p.unexpected("an operator, or the end")
	}
	return n, nil
}

func (p *parser) step() (err error) {
	p.now, err = p.scanner.next()
	return err
}

func (p *parser) accept(sign string) (bool, error) {
	if p.now.kind != tokenSign || p.now.text != sign {
		return false, nil
	}
	return true, p.step()
}

func (p *parser) expect(sign string) error {
	ok, err := p.accept(sign)
	if err == nil && !ok {
		return p.unexpected(sign)
	}
	return err
}

// refused maps unsupported operators to remedies.
var refused = map[string]string{
	"===": "a condition has two states: write ==", "!==": "a condition has two states: write !=",
	"<<<": "write <<", ">>>": "write >>: a condition has no sign", "**": "write the value",
	"/": "write a slice or a multiplication",
	"%": "write a slice, such as count[1:0]", "=": "write == to compare", "<->": "write ==", "|->": "write ->",
	"|=>": "write $past(a) -> b",
	"#":   "a condition has no delays; for the previous cycle write $past(a)",
	"@":   "a condition holds in every cycle; for the previous cycle write $past(a)",
	";":   "write several conditions as a list: [a, b]",
}

func (p *parser) unexpected(wanted string) error {
	if p.now.kind == tokenEnd {
		return p.now.error("the condition ends where it needs "+wanted, "complete it")
	}
	if remedy, ok := refused[p.now.text]; ok && p.now.kind == tokenSign {
		return p.now.error("a condition has no "+p.now.text, remedy)
	}
	return p.now.error(fmt.Sprintf("found %s, but the condition needs %s", p.now.text, wanted),
		"for example: push -> !full && count < 12")
}

// expression parses a -> b, which has the lowest precedence and is right-associative.
func (p *parser) expression() (*node, error) {
	if p.depth++; p.depth > depthMax {
		return nil, p.now.error(fmt.Sprintf("more than %d operations are nested", depthMax), "write a list of "+
			"shorter conditions")
	}
	defer func() { p.depth-- }()
	left, err := p.choice()
	if err != nil {
		return nil, err
	}
	sign := p.now
	if ok, err := p.accept("->"); !ok {
		return left, err
	}
	right, err := p.expression()
	return &node{token: sign, kids: []*node{left, right}, width: 1}, err
}

func (p *parser) choice() (*node, error) {
	condition, err := p.binary(0)
	if err != nil {
		return nil, err
	}
	sign := p.now
	if ok, err := p.accept("?"); !ok {
		return condition, err
	}
	yes, err := p.expression()
	if err != nil {
		return nil, err
	}
	if err := p.expect(":"); err != nil {
		return nil, err
	}
	if p.depth++; p.depth > depthMax {
		return nil, p.unexpected("fewer operations")
	}
	defer func() { p.depth-- }()
	no, err := p.choice()
	if err != nil {
		return nil, err
	}
	return &node{token: sign, kids: []*node{condition, yes, no}, width: max(yes.width, no.width)}, nil
}

var levels = [][]string{
	{"||"}, {"&&"}, {"|"}, {"^", "~^", "^~"}, {"&"}, {"==", "!="}, {"<", "<=", ">", ">="}, {"<<", ">>"}, {"+", "-"}, {"*"},
}

func (p *parser) binary(level int) (*node, error) {
	if level == len(levels) {
		return p.unary()
	}
	left, err := p.binary(level + 1)
	for err == nil && p.now.kind == tokenSign && slices.Contains(levels[level], p.now.text) {
		n := &node{token: p.now}
		if n.text == "^~" {
			n.text = "~^"
		}
		if err = p.step(); err != nil {
			break
		}
		var right *node
		if right, err = p.binary(level + 1); err != nil {
			break
		}
		n.kids = []*node{left, right}
		switch {
		case level < 2 || level == 5 || level == 6:
			n.width = 1
		case level == 7:
			n.width = left.width
		default:
			n.width = max(left.width, right.width)
		}
		left = n
	}
	return left, err
}

func (p *parser) unary() (*node, error) {
	if p.depth++; p.depth > depthMax {
		return nil, p.now.error(fmt.Sprintf("more than %d operations are nested", depthMax), "write a list of "+
			"shorter conditions")
	}
	defer func() { p.depth-- }()
	sign := p.now
	if sign.kind != tokenSign {
		return p.operand()
	}
	switch sign.text {
	case "^~":
		sign.text = "~^"
	case "!", "~", "-", "&", "~&", "|", "~|", "^", "~^":
	default:
		return p.operand()
	}
	if err := p.step(); err != nil {
		return nil, err
	}
	kid, err := p.unary()
	if err != nil {
		return nil, err
	}
	n := &node{token: sign, kids: []*node{kid}, width: 1}
	if sign.text == "~" || sign.text == "-" {
		n.width = kid.width
	}
	return n, nil
}

func (p *parser) operand() (*node, error) {
	switch t := p.now; {
	case t.kind == tokenNumber:
		return &node{token: t, width: t.bits}, p.step()
	case t.kind == tokenName && t.text[0] == '$':
		return p.function()
	case t.kind == tokenName:
		return p.name()
	case t.kind == tokenSign && t.text == "{":
		return p.concatenation()
	case t.kind == tokenSign && t.text == "(":
		if err := p.step(); err != nil {
			return nil, err
		}
		n, err := p.expression()
		if err != nil {
			return nil, err
		}
		return n, p.expect(")")
	}
	return nil, p.unexpected("a name or a number")
}

func (p *parser) function() (*node, error) {
	sign := p.now
	switch {
	case sign.text != "$past" && sign.text != "$onehot" && sign.text != "$onehot0":
		return nil, sign.error("there is no "+sign.text, input.RemedyOf(sign.text, []string{"$past", "$onehot", "$onehot0"}))
	case sign.text == "$past" && p.past:
		return nil, sign.error("$past contains $past", "a condition can read only this cycle and the previous one")
	}
	if err := p.step(); err != nil {
		return nil, err
	}
	if err := p.expect("("); err != nil {
		return nil, err
	}
	if sign.text == "$past" {
		p.past, p.before = true, true
		defer func() { p.past = false }()
	}
	kid, err := p.expression()
	if err != nil {
		return nil, err
	}
	n := &node{token: sign, kids: []*node{kid}, width: 1}
	if sign.text == "$past" {
		n.width = kid.width
	}
	return n, p.expect(")")
}

func (p *parser) concatenation() (*node, error) {
	n := &node{token: p.now, count: 1}
	if err := p.step(); err != nil {
		return nil, err
	}
	for first := true; ; first = false {
		kid, err := p.expression()
		if err != nil {
			return nil, err
		}
		if first && p.now.kind == tokenSign && p.now.text == "{" {
			inner, err := p.repetition(kid)
			if err != nil {
				return nil, err
			}
			return inner, p.expect("}")
		}
		if kid.value != nil && kid.plain {
			return nil,
				kid.error(kid.text+" has no width here",
					fmt.Sprintf("write it with one: %d'd%s", max(1, kid.value.BitLen()), kid.value))
		}
		n.kids, n.width = append(n.kids, kid), n.width+kid.width
		if n.width > bitsMax {
			return nil, n.error(fmt.Sprintf("it has more than %d bits", bitsMax), "join fewer")
		}
		if ok, err := p.accept(","); err != nil {
			return nil, err
		} else if !ok {
			return n, p.expect("}")
		}
	}
}

func (p *parser) repetition(times *node) (*node, error) {
	if times.value == nil {
		return nil, times.error("the repetition count is not a number", "write one, as in {4{a}}")
	}
	if !times.value.IsInt64() || times.value.Int64() < 1 || times.value.Int64() > bitsMax {
		return nil, times.error("it is repeated "+times.value.String()+" times", fmt.Sprintf("give 1 to %d", bitsMax))
	}
	n, err := p.concatenation()
	if err != nil {
		return nil, err
	}
	count := int(times.value.Int64())
	if n.width*count > bitsMax {
		return nil, times.error(fmt.Sprintf("it has more than %d bits", bitsMax), "repeat it less often")
	}
	if n.count > 1 {
		n = &node{token: n.token, kids: []*node{n}, width: n.width, count: 1}
	}
	n.count, n.width = count, n.width*count
	return n, nil
}

func (p *parser) name() (*node, error) {
	t := p.now
	if err := p.step(); err != nil {
		return nil, err
	}
	port, err := p.port(t)
	if err != nil {
		return nil, err
	}
	if port == nil {
		value := p.scope.Parameters[t.text]
		t.value, t.bits, t.plain = big.NewInt(int64(value)), 32, true
		return &node{token: t, width: 32}, nil
	}
	p.use(*port)
	n := &node{token: t, port: *port, past: p.past, width: port.Bits}
	n.text = "["
	if ok, err := p.accept("["); !ok {
		return n, err
	}
	return n, p.selectBits(n)
}

func (p *parser) use(port cosim.Port) {
	if u := (Use{port, p.past}); !slices.ContainsFunc(p.uses,
		func(v Use) bool { return v.Port.Name == port.Name && v.Past == p.past }) {
		p.uses = append(p.uses, u)
	}
}

func (p *parser) selectBits(n *node) error {
	at := p.now
	high, err := p.expression()
	if err != nil {
		return err
	}
	bits := fmt.Sprintf("bits are [%d:0], with the higher index first", n.port.Bits-1)
	number := func(n *node) int {
		if n.value.IsInt64() && n.value.Int64() < bitsMax {
			return int(n.value.Int64())
		}
		return bitsMax
	}
	if colon, err := p.accept(":"); err != nil {
		return err
	} else if colon {
		low, err := p.expression()
		if err != nil {
			return err
		}
		if high.value == nil || low.value == nil {
			return at.error("a slice of "+n.port.Name+" has a bound that is not a number",
				"select one bit by an expression, or write numbers")
		}
		if number(high) >= n.port.Bits || number(low) > number(high) {
			return at.error(fmt.Sprintf("%s is %s; it has no bits [%s:%s]", n.port.Name, n.port.Kind(),
				high.value, low.value), bits)
		}
		n.low, n.width = number(low), number(high)-number(low)+1
		return p.expect("]")
	}
	switch {
	case high.value == nil:
		if n.port.Bits > 1 {
			n.kids = []*node{high}
		} else {
			return at.error(n.port.Name+" has one bit", "write it without an index")
		}
	case number(high) >= n.port.Bits:
		return at.error(fmt.Sprintf("%s is %s; it has no bit %s", n.port.Name, n.port.Kind(), high.value), bits)
	default:
		n.low = number(high)
	}
	n.width = 1
	return p.expect("]")
}

func shortOf(name string) string { return strings.TrimSuffix(strings.TrimSuffix(name, "_i"), "_o") }

func (p *parser) port(t token) (*cosim.Port, error) {
	s := p.scope
	var short []*cosim.Port
	var names []string
	for i := range s.Ports {
		port := &s.Ports[i]
		if port.Clock || port.Name == "reset" {
			continue
		}
		names = append(names, port.Name)
		if port.Name == t.text {
			return port, nil
		}
		if shortOf(port.Name) == t.text {
			short = append(short, port)
		}
	}
	_, isParameter := s.Parameters[t.text]
	switch {
	case len(short) == 1:
		return short[0], nil
	case len(short) > 1:
		return nil, t.error(fmt.Sprintf("%s is %s and %s", t.text, short[0].Name, short[1].Name), "write one of them")
	case isParameter:
		return nil, nil
	case t.text == "reset" ||
		slices.ContainsFunc(s.Ports, func(port cosim.Port) bool { return port.Clock && port.Name == t.text }):
		return nil, t.error("a condition cannot read "+t.text, "conditions apply only in cycles without reset: delete it")
	case slices.Contains(s.Pins, t.text):
		return nil, t.error(
			fmt.Sprintf("%s is a pin of the RTL, not a port of %s", t.text, s.Model),
			"a condition reads inputs and the model's outputs: if it read the RTL's outputs, RTL with full stuck at 1 would "+
				"pass; "+
				"use one of "+strings.Join(names, ", "))
	}
	names = append(names, slices.Sorted(maps.Keys(s.Parameters))...)
	known := slices.Clone(names)
	for _, name := range names {
		known = append(known, shortOf(name))
	}
	return nil,
		t.error(fmt.Sprintf("%s has no port %s", s.Model, t.text),
			input.DidYouMean(t.text, known, "use one of "+strings.Join(names, ", ")))
}
