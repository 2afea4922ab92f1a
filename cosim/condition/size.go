package condition

import "fmt"

// size gives every operation the width required by its context, by the rules of IEEE 1364. Before evaluation,
// operands of arithmetic and bitwise operations are extended to the largest width among the operands and the context.
// Other operands keep their widths.
func size(n *node, width int) error {
	switch n.text {
	case "+", "-", "*", "&", "|", "^", "~^", "~", "~&", "~|":
		if len(n.kids) == 1 && n.text != "~" && n.text != "-" {
			return size(n.kids[0], n.kids[0].width)
		}
		return n.fit(width, n.kids...)
	case "<<", ">>":
		if err := size(n.kids[1], n.kids[1].width); err != nil {
			return err
		}
		if n.kids[1].width > 64 {
			return n.tooWide(n.kids[1].width)
		}
		return n.fit(width, n.kids[0])
	case "?":
		if err := size(n.kids[0], n.kids[0].width); err != nil {
			return err
		}
		return n.fit(width, n.kids[1:]...)
	case "==", "!=", "<", "<=", ">", ">=":
		wider := max(n.kids[0].width, n.kids[1].width)
		if err := size(n.kids[0], wider); err != nil {
			return err
		}
		return size(n.kids[1], wider)
	}
	for _, kid := range n.kids {
		if err := size(kid, kid.width); err != nil {
			return err
		}
		if kid.width > 64 && (n.text == "$onehot" || n.text == "$onehot0" || n.text == "[") {
			return n.tooWide(kid.width)
		}
	}
	return nil
}

func (n *node) fit(width int, kids ...*node) error {
	n.width = width
	switch n.text {
	case "+", "-", "*", "<<", ">>":
		if width > 64 {
			return n.tooWide(width)
		}
	}
	for _, kid := range kids {
		if err := size(kid, width); err != nil {
			return err
		}
	}
	return nil
}

func (n *node) tooWide(width int) error {
	sign := n.text
	if sign == "[" {
		sign = "an index"
	}
	return n.error(fmt.Sprintf("%s has %d bits", sign, width), "it works on up to 64: name fewer bits, as in frame[31:0]")
}
