package condition

import (
	"fmt"
	"strings"
)

type printer struct {
	name  func(Use) string
	first string
}

func (n *node) verilog(p printer) string {
	if n.value != nil {
		return fmt.Sprintf("%d'h%s", n.width, n.value.Text(16))
	}
	kids := make([]string, len(n.kids))
	for i, kid := range n.kids {
		kids[i] = kid.verilog(p)
	}
	switch n.text {
	case "[":
		return n.selected(p.name(Use{n.port, n.past}), kids)
	case "{":
		text := "{" + strings.Join(kids, ", ") + "}"
		if n.count > 1 {
			text = fmt.Sprintf("{%d%s}", n.count, text)
		}
		return text
	case "$past":
		return fmt.Sprintf("(%s ? %d'h0 : {%s})", p.first, n.width, kids[0])
	case "$onehot0":
		return fmt.Sprintf("(~|(%s & (%s - %d'h1)))", kids[0], kids[0], n.kids[0].width)
	case "$onehot":
		return fmt.Sprintf("((|%s) && ~|(%s & (%s - %d'h1)))", kids[0], kids[0], kids[0], n.kids[0].width)
	case "->":
		return fmt.Sprintf("(!%s || %s)", kids[0], kids[1])
	case "?":
		return fmt.Sprintf("(%s ? %s : %s)", kids[0], kids[1], kids[2])
	}
	if len(kids) == 1 {
		return "(" + n.text + kids[0] + ")"
	}
	return fmt.Sprintf("(%s %s %s)", kids[0], n.text, kids[1])
}

func (n *node) selected(port string, index []string) string {
	switch {
	case len(index) > 0:
		text := fmt.Sprintf("%s[%s]", port, index[0])
		if width := n.kids[0].width; width < 32 && 1<<width <= n.port.Bits {
			return text
		}
		return fmt.Sprintf("(%s < %d ? %s : 1'h0)", index[0], n.port.Bits, text)
	case n.width == n.port.Bits:
		return port
	case n.width == 1:
		return fmt.Sprintf("%s[%d]", port, n.low)
	}
	return fmt.Sprintf("%s[%d:%d]", port, n.low+n.width-1, n.low)
}
