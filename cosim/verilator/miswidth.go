package verilator

import (
	"regexp"
	"slices"
	"strings"

	"starloom/cosim"
)

// miswidth returns a warning, without its place, about an expression to which Verilator gives a wrong width or sign.
// It returns the zero Warning for other expressions.
func (n *netlist) miswidth(node *xmlNode) cosim.Warning {
	switch {
	case node.name == "case" && n.mixesSigns(node):
		return cosim.Warning{Code: caseSign, Text: "a case of signed and unsigned values: " +
			"all then count as unsigned (IEEE 1800-2017 12.5.1), but Verilator sign-extends some; give all the same width, " +
			"or a sign"}
	case node.name == "insiderange" && node.parent.name == "caseitem" &&
		n.signed(node.parent.parent.children[0].get("dtype_id")):
		return cosim.Warning{Code: caseSign, Text: "a range of signed values in a case, which Verilator compares as " +
			"unsigned: write it with if"}
	case n.insideMixesSigns(node):
		return cosim.Warning{Code: caseSign, Text: "inside, of signed and unsigned values: " +
			"all then count as unsigned (IEEE 1800-2017 11.4.13), but Verilator sign-extends some; give all the same width, " +
			"or a sign"}
	case (node.name == "streaml" || node.name == "streamr") && strings.HasPrefix(node.parent.name, "extend"):
		return cosim.Warning{Code: stream, Text: "a stream into a wider target: the stream fills the left end, followed " +
			"by zeros (IEEE " +
			"1800-2017 11.4.14.3), " +
			"but Verilator puts it at the right end; write the zeros: {{<<{x}}, 4'b0}"}
	case node.name == "streaml" && node.parent.name == "sel" && n.cutsStream(node):
		return cosim.Warning{Code: stream, Text: "a stream that is wider than its target: the target gets the leftmost " +
			"bits " +
			"(IEEE 1800-2017 11.4.14.3), and Verilator takes them at the right end; select the bits"}
	case n.widensSum(node):
		return cosim.Warning{Code: sumWidth, Text: "the sum or product of an array has the width of its elements (IEEE " +
			"1800-2017 7.12.3), " +
			"but Verilator computes it in the width of its target; write a loop"}
	}
	return cosim.Warning{}
}

// mixesSigns reports whether a case sign-extends one value while another of its values is unsigned.
func (n *netlist) mixesSigns(node *xmlNode) bool {
	extended, unsigned := false, false
	value := func(v *xmlNode) {
		extended = extended || v.name == "extends"
		unsigned = unsigned || v.name != "extends" && !n.signed(v.get("dtype_id"))
	}
	for i, child := range node.children {
		switch {
		case i == 0:
			value(child)
		case child.name == "caseitem":
			for _, condition := range child.children {
				if condition.get("dtype_id") != "" && !strings.HasPrefix(condition.name, "assign") {
					value(condition)
				}
			}
		}
	}
	return extended && unsigned
}

func (n *netlist) insideMixesSigns(node *xmlNode) bool {
	if !slices.Contains([]string{"eqwild", "eq", "lte", "gte"}, node.name) {
		return false
	}
	a, b := node.children[0], node.children[1]
	if a.name != "extends" {
		a, b = b, a
	}
	if a.name != "extends" || b.name == "extends" || n.signed(b.get("dtype_id")) {
		return false
	}
	text := n.after(node)
	if node.name == "lte" || node.name == "gte" {
		return strings.HasPrefix(text, "[")
	}
	return !strings.HasPrefix(text, "=") // an operator is handled correctly
}

func (n *netlist) cutsStream(node *xmlNode) bool {
	lowest := true
	statement := node.parent.parent
	for _, other := range statement.parent.children {
		other.each(func(v *xmlNode) {
			if v.name == "streaml" && v.get("loc") == node.get("loc") && v.parent.name == "sel" &&
				zero.MatchString(v.parent.children[1].get("name")) {
				lowest = false
			}
		})
	}
	return lowest
}

var (
	zero = regexp.MustCompile(`^\d+'s?h0+$`)
	sums = regexp.MustCompile(`^(?:sum|product)\b`)
)

func (n *netlist) widensSum(node *xmlNode) bool {
	widened := func(v *xmlNode) bool { return strings.HasPrefix(v.name, "extend") && v.get("loc") == node.get("loc") }
	return (node.name == "add" || node.name == "mul") && slices.ContainsFunc(node.children, widened) &&
		sums.MatchString(n.after(node))
}

func (n *netlist) after(node *xmlNode) string {
	before := n.before(node)
	file, _, _ := strings.Cut(node.get("loc"), ",")
	return n.texts[n.files[file]][len(before):]
}

func (n *netlist) signed(id string) bool {
	for t := n.types[id]; t != nil; t = n.types[t.get("sub_dtype_id")] {
		if t.name == "basicdtype" {
			return t.get("signed") == "true"
		}
		if t.name == "packarraydtype" {
			return false
		}
	}
	return false
}
