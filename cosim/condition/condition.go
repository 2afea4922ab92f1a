package condition

import (
	"fmt"
	"slices"
)

// A Condition is an expression over the ports of a model. It is safe for concurrent use.
type Condition struct {
	Text string
	root *node
	test word
	uses []Use
	past bool
}

// textMax is the maximum length of a condition, which limits the depth of its tree.
const textMax = 4096

// Parse parses a condition. Errors are *Error.
func Parse(text string, scope *Scope) (*Condition, error) {
	if len(text) > textMax {
		return nil, &Error{1, 1, fmt.Sprintf("the condition has %d characters; at most %d are allowed", len(text), textMax),
			"write a list of shorter ones"}
	}
	p := &parser{scope: scope, scanner: scanner{text: text, line: 1, column: 1}}
	root, err := p.whole()
	if err != nil {
		return nil, err
	}
	if err := size(root, root.width); err != nil {
		return nil, err
	}
	c := &Condition{Text: text, root: root, uses: p.uses, past: p.before}
	c.test = truth(compile(root))
	return c, nil
}

// Uses lists the ports that the condition reads, in text order.
func (c *Condition) Uses() []Use { return c.uses }

// UsesPast reports whether the condition depends on the previous cycle.
func (c *Condition) UsesPast() bool { return c.past }

// OfInputs reports whether the condition reads only inputs of this cycle, without reset. Such a condition is also
// valid during a reset.
func (c *Condition) OfInputs() bool {
	return !c.past && !slices.ContainsFunc(c.uses, func(u Use) bool { return !u.Port.Input || u.Port.Name == "reset" })
}

// Holds reports whether the condition is true. It does not allocate.
func (c *Condition) Holds(s *Sight) bool { return c.test(s) != 0 }

// Verilog returns the condition as a one-bit expression of Verilog-2005. name returns the net or register of a port,
// or the register with its value in the previous cycle. For a port of several bits, the result must allow bit
// selects. first is an expression that is 1 in cycles without a previous cycle, such as the first after a reset.
func (c *Condition) Verilog(name func(Use) string, first string) string {
	text := c.root.verilog(printer{name, first})
	switch c.root.text {
	case "==", "!=", "<", "<=", ">", ">=", "!", "&&", "||", "->":
		return text
	}
	return "(|" + text + ")"
}
