package condition

import (
	"fmt"
	"slices"
)

// A Condition is an expression over the ports of a model, which may be used by many goroutines.
type Condition struct {
	Text string
	root *node
	test word
	uses []Use
	past bool
}

// textMax bounds a condition, and with it the depth of the tree.
const textMax = 4096

// Parse reads a condition. Errors are *Error.
func Parse(text string, scope *Scope) (*Condition, error) {
	if len(text) > textMax {
		return nil, &Error{1, 1, fmt.Sprintf("the condition has %d characters, more than %d", len(text), textMax), "write a list of shorter ones"}
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

// Uses lists what the condition reads, in the order of the text.
func (c *Condition) Uses() []Use { return c.uses }

// UsesPast reports whether it asks for the cycle before, or whether there is one.
func (c *Condition) UsesPast() bool { return c.past }

// OfInputs reports whether it reads inputs of this cycle alone, other than reset: it then means something in a reset, too.
func (c *Condition) OfInputs() bool {
	return !c.past && !slices.ContainsFunc(c.uses, func(u Use) bool { return !u.Port.Input || u.Port.Name == "reset" })
}

// Holds reports whether it is true. It does not allocate.
func (c *Condition) Holds(s *Sight) bool { return c.test(s) != 0 }

// Verilog is the condition as an expression of Verilog-2005 of one bit. name is what stands for
// a port, or for the register that holds it as it was in the cycle before; a port of several bits
// must be a net or a register, since bits of it are selected. first is what is 1 in cycles that
// have none before: the first one after a reset.
func (c *Condition) Verilog(name func(Use) string, first string) string {
	text := c.root.verilog(printer{name, first})
	switch c.root.text {
	case "==", "!=", "<", "<=", ">", ">=", "!", "&&", "||", "->":
		return text
	}
	return "(|" + text + ")"
}
