package verilator

import (
	"fmt"
	"slices"
	"strings"

	"starloom/cosim"
)

// CaseSign and Deaf are codes of warnings: of what Verilator simulates otherwise than IEEE 1800 says, without a word.
const (
	CaseSign = "CASESIGN" // a case of values with and without a sign
	Deaf     = "DEAF"     // always @* that does not wait for what a function reads
)

// misread are the places where Verilator simulates something else than the source says.
func (n *netlist) misread() (found []cosim.Warning) {
	n.root.each(func(node *xmlNode) {
		switch {
		case node.name == "case" && n.mixesSigns(node):
			found = append(found, cosim.Warning{Code: CaseSign, Place: n.place(node), Text: "a case of values with and without a sign: " +
				"none has one then (IEEE 1800-2017 12.5.1), and Verilator extends some with theirs; give all the same width, or a sign"})
		case node.name == "always" && len(node.children) > 0 && node.children[0].name != "sentree" && n.isPlainAlways(node):
			if function, signal := node.within("module").unheard(node); signal != "" {
				found = append(found, cosim.Warning{Code: Deaf, Place: n.place(node), Text: fmt.Sprintf(
					"always @* does not wait for %s, which %s reads (IEEE 1800-2017 9.2.2.2.1), and Verilator does; write always_comb", signal, function)})
			}
		}
	})
	slices.SortStableFunc(found, func(a, b cosim.Warning) int { return strings.Compare(a.Place, b.Place) })
	return slices.Compact(found)
}

// isPlainAlways reports whether a process begins with always, and not with always_comb or always_latch: its place ends with that word.
func (n *netlist) isPlainAlways(node *xmlNode) bool {
	part := strings.Split(node.get("loc"), ",")
	return len(part) == 5 && part[1] == part[3] && number(part[4])-number(part[2]) == len("always")
}

// mixesSigns reports whether a case extends a value with its sign, and compares one that has none.
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

// signed reports whether a type has a sign.
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

// unheard returns a signal that changes, that a function reads and an always @* that calls it does not, and the function.
func (n *xmlNode) unheard(always *xmlNode) (function, signal string) {
	reads := func(of *xmlNode) map[string]bool {
		names := map[string]bool{}
		of.each(func(v *xmlNode) {
			if v.name == "varref" {
				names[v.get("name")] = true
			}
		})
		return names
	}
	heard, seen := reads(always), map[string]bool{}
	var visit func(of *xmlNode)
	visit = func(of *xmlNode) {
		of.each(func(call *xmlNode) {
			if call.name != "funcref" && call.name != "taskref" || seen[call.get("name")] {
				return
			}
			seen[call.get("name")] = true
			for _, f := range n.children {
				if f.name != "func" && f.name != "task" || f.get("name") != call.get("name") {
					continue
				}
				own := map[string]bool{}
				f.each(func(v *xmlNode) { own[v.get("name")] = own[v.get("name")] || v.name == "var" })
				for name := range reads(f) {
					if !own[name] && !heard[name] && n.changes(name) && (signal == "" || name < signal) {
						function, signal = f.get("name"), name
					}
				}
				visit(f)
			}
		})
	}
	visit(always)
	return function, signal
}

// changes reports whether a variable of a module is an input, or is written after the start.
func (n *xmlNode) changes(name string) (is bool) {
	for _, v := range n.children {
		if v.name == "var" && v.get("name") == name && v.get("dir") == "input" {
			return true
		}
	}
	n.each(func(v *xmlNode) {
		if v.name != "varref" || v.get("name") != name || v.within("initial") != nil {
			return
		}
		for below, above := v, v.parent; above != nil; below, above = above, above.parent {
			written := (strings.HasPrefix(above.name, "assign") || above.name == "contassign") && above.children[len(above.children)-1] == below
			is = is || written || above.name == "port" && above.get("direction") == "out"
		}
	})
	return is
}

// within returns the nearest node of a name above a node; nil for none.
func (n *xmlNode) within(name string) *xmlNode {
	for n != nil && n.name != name {
		n = n.parent
	}
	return n
}
