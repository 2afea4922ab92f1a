package verilator

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"starloom/cosim"
	"starloom/traces/input"
)

func (n *netlist) misread() (found []cosim.Warning) {
	n.effects(func(node *xmlNode, code, text string) {
		found = append(found, cosim.Warning{Code: code, Place: n.place(node), Text: text})
	})
	n.root.each(func(node *xmlNode) {
		if w := n.miswidth(node); w != (cosim.Warning{}) {
			w.Place = n.place(node)
			found = append(found, w)
		}
		switch {
		case node.name == "var" && n.beginsOnce(node):
			found = append(found, cosim.Warning{Code: staticInit, Place: n.place(node), Text: fmt.Sprintf("%s begins with "+
				"its value once, at the start "+
				"(IEEE 1800-2017 6.21), and Verilator gives it in each call; write automatic, or an assignment", node.get("name"))})
		case node.name == "always" && len(node.children) > 0 && node.children[0].name != "sentree" && n.isPlainAlways(node):
			if function, signal := node.within("module").unheard(node); signal != "" {
				found = append(found, cosim.Warning{Code: deaf, Place: n.place(node), Text: fmt.Sprintf(
					"always @* does not wait for %s, which %s reads (IEEE 1800-2017 9.2.2.2.1), but Verilator waits; write "+
						"always_comb",
					signal, function)})
			}
		}
	})
	slices.SortStableFunc(found, func(a, b cosim.Warning) int { return strings.Compare(a.Place, b.Place) })
	return slices.Compact(found)
}

// isPlainAlways reports whether a process begins with the word always. In that case the process's place spans exactly
// this word.
func (n *netlist) isPlainAlways(node *xmlNode) bool {
	part := strings.Split(node.get("loc"), ",")
	return len(part) == 5 && part[1] == part[3] && number(part[4])-number(part[2]) == len("always")
}

func (n *netlist) beginsOnce(v *xmlNode) bool {
	siblings := v.parent.children
	next := slices.Index(siblings, v) + 1
	if next == len(siblings) || siblings[next].name != "assign" || v.get("param") == "true" || v.get("dir") != "" {
		return false
	}
	given := siblings[next].children[len(siblings[next].children)-1]
	if given.name != "varref" || given.get("name") != v.get("name") || given.get("loc") != siblings[next].get("loc") {
		return false
	}
	if !strings.HasSuffix(strings.TrimRight(n.before(siblings[next]), " \t\r\n"), "=") {
		return false
	}
	scope := v
	for scope != nil && !slices.Contains([]string{"func", "task", "always", "initial"}, scope.name) {
		scope = scope.parent
	}
	if scope == nil || scope.name == "initial" {
		return false
	}
	return !n.automatic(v, scope)
}

func (n *netlist) automatic(v, scope *xmlNode) bool {
	own := n.before(v)
	if at := strings.LastIndexAny(own, ";)"); at >= 0 {
		own = own[at:]
	}
	header := ""
	if isRoutine(scope) {
		if header = n.before(scope); strings.Contains(header, "module automatic") ||
			strings.Contains(header, "package automatic") {
			return true
		}
		header = header[max(strings.LastIndex(header, "function"), strings.LastIndex(header, "task"), 0):]
	}
	return automatic.MatchString(own) || automatic.MatchString(header)
}

var automatic = regexp.MustCompile(`\bautomatic\b`)

func (n *netlist) before(node *xmlNode) string {
	part := strings.Split(node.get("loc"), ",")
	if len(part) < 3 {
		return ""
	}
	file := n.files[part[0]]
	if _, known := n.texts[file]; !known {
		path := file
		if !filepath.IsAbs(path) {
			path = filepath.Join(n.folder, path)
		}
		text, _ := input.Read(path, cosim.InputBytesMax) // an unreadable file counts as empty
		n.texts[file] = string(text)
	}
	text, rest := n.texts[file], n.texts[file]
	for range number(part[1]) - 1 {
		_, rest, _ = strings.Cut(rest, "\n")
	}
	return text[:min(len(text)-len(rest)+number(part[2])-1, len(text))]
}

// unheard returns a changing signal that a function called by an always @* reads, but the process itself does not. It
// also returns the function.
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
			written := (strings.HasPrefix(above.name, "assign") || above.name == "contassign") &&
				above.children[len(above.children)-1] == below
			is = is || written || above.name == "port" && above.get("direction") == "out"
		}
	})
	return is
}

func (n *xmlNode) within(name string) *xmlNode {
	for n != nil && n.name != name {
		n = n.parent
	}
	return n
}
