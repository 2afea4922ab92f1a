package emulator

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/vm"

	"starloom/fabric"
	"starloom/hw"
	"starloom/traces"
)

// stateRules judges rules on probes and results at the end of every boundary.
type stateRules struct {
	rules   []stateRule
	figures map[string]any // *figure by name of a probe or result
	probes  []int          // probe of each name in the order of names, -1 for a result
	words   []uint32       // of each name: its result word
	names   []string

	left   []uint32 // by rule: number of slots left in which `then` must hold; 0 if nothing is due
	broken []uint8  // by rule: 1 if it is broken, and no longer judged

	met []bool // by rule: true once `after` has held; not part of the state
}

type stateRule struct {
	*fabric.StateRule
	first, then *vm.Program // never or after, and then
	names       []string
}

// figure is a probe or result of all processors.
type figure struct {
	Count  int   `expr:"count"` // processors whose value is not 0
	Min    int   `expr:"min"`
	Max    int   `expr:"max"`
	Sum    int   `expr:"sum"`
	Values []int `expr:"values"` // by processor
}

func (r *stateRules) add(name string, probe int, word uint32, processors int) {
	if _, known := r.figures[name]; known {
		return // a probe and a result with the same name are one figure
	}
	r.figures[name] = &figure{Values: make([]int, processors)}
	r.names, r.probes, r.words = append(r.names, name), append(r.probes, probe), append(r.words, word)
}

// namesOf collects the names that a condition uses.
type namesOf struct{ known, found []string }

func (n *namesOf) Visit(node *ast.Node) {
	if id, ok := (*node).(*ast.IdentifierNode); ok && slices.Contains(n.known, id.Value) &&
		!slices.Contains(n.found, id.Value) {
		n.found = append(n.found, id.Value)
	}
}

func (r *stateRules) reset() {
	if r != nil {
		clear(r.left)
		clear(r.broken)
		clear(r.met)
	}
}

func (r *stateRules) state(v *hw.StateVisitor) {
	if r != nil {
		hw.StateColumn(v, hw.Future, "rules.left", r.left)
		hw.StateColumn(v, hw.Future, "rules.broken", r.broken, hw.AtMost[uint8](1))
	}
}

// judge judges rule i and returns the violation's text, "" for none.
func (r *stateRules) judge(i int, over bool) (kind fabric.FindingKind, text string) {
	rule := &r.rules[i]
	first, err := r.holds(rule.first)
	if err != nil {
		return rule.kind(), fmt.Sprintf("%s has no value (%v)", cmp.Or(rule.Never, rule.After), err)
	}
	if rule.Never != "" {
		if first {
			text = rule.Never + " holds"
		}
		return fabric.FindNever, text
	}
	r.met[i] = r.met[i] || first
	then, err := r.holds(rule.then)
	switch {
	case err != nil:
		return fabric.FindAfter, fmt.Sprintf("%s has no value (%v)", rule.Then, err)
	case then:
		r.left[i] = 0
	case r.left[i] == 1:
		return fabric.FindAfter, fmt.Sprintf("%s has not followed within %s after %s", rule.Then,
			traces.Plural(rule.Slots, "slot", "slots"), rule.After)
	case r.left[i] > 0:
		r.left[i]--
	case first:
		r.left[i] = rule.Slots
	}
	if r.left[i] > 0 && over {
		text = fmt.Sprintf("the run is over, and %s has not followed after %s", rule.Then, rule.After)
	}
	return fabric.FindAfter, text
}

func (r *stateRule) kind() fabric.FindingKind {
	if r.Never != "" {
		return fabric.FindNever
	}
	return fabric.FindAfter
}

func (r *stateRules) holds(condition *vm.Program) (bool, error) {
	value, err := expr.Run(condition, r.figures)
	if err != nil {
		reason, _, _ := strings.Cut(err.Error(), " (")
		return false, errors.New(reason)
	}
	return value == true, nil
}

const valuesShown = 16

func (r *stateRules) values(names []string) string {
	list := make([]string, len(names))
	for i, name := range names {
		values := r.figures[name].(*figure).Values
		list[i] = name + " is " + strings.Trim(strings.ReplaceAll(fmt.Sprint(values[:min(len(values), valuesShown)]), " ",
			", "), "[]")
		if len(values) > valuesShown {
			list[i] += ", ..."
		}
	}
	return strings.Join(list, "; ")
}
