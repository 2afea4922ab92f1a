package emulator

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/vm"

	"starloom/fabric"
	"starloom/hw"
	"starloom/traces"
	"starloom/traces/input"
	"starloom/traces/input/strict"
)

// stateRules judges rules on probes and results at the end of every boundary.
type stateRules struct {
	rules   []stateRule
	figures map[string]any // *figure by name of a probe or result
	probes  []int          // of each name in the order of names: its probe, or -1 for a result
	words   []uint32       // of each name: its result word
	names   []string

	left   []uint32 // by rule: slots left for then; 0 if nothing is due
	broken []uint8  // by rule: 1 if it is broken, and no longer judged

	met []bool // by rule: after has held; not part of the state
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

// newStateRules compiles the rules. A condition names at least one probe or result.
func (m *Machine) newStateRules() (*stateRules, error) {
	list := m.Rules.States
	if len(list) == 0 {
		return nil, nil
	}
	r := &stateRules{figures: map[string]any{}, left: make([]uint32, len(list)), broken: make([]uint8, len(list)),
		met: make([]bool, len(list))}
	for k, name := range m.Image.probes {
		r.add(name, k, 0, m.Shape.Processors())
	}
	for word, name := range m.Image.resultNames {
		r.add(name, -1, uint32(word), m.Shape.Processors())
	}
	for i := range list {
		rule, at := stateRule{StateRule: &list[i]}, hw.Index("explore.rules", i)
		if reason, remedy := rule.Mistake(); reason != "" {
			return nil, m.Config.Source.Refuse(at, reason, remedy)
		}
		var err error
		for _, condition := range []struct {
			key, text string
			to        **vm.Program
		}{{"never", rule.Never, &rule.first}, {"after", rule.After, &rule.first}, {"then", rule.Then, &rule.then}} {
			if condition.text == "" {
				continue
			}
			if *condition.to, err = m.compileCondition(strict.Join(at, condition.key), condition.text, r, &rule); err != nil {
				return nil, err
			}
		}
		r.rules = append(r.rules, rule)
	}
	return r, nil
}

func (r *stateRules) add(name string, probe int, word uint32, processors int) {
	if _, known := r.figures[name]; known {
		return // a probe and a result of one name are one value
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

func (m *Machine) compileCondition(at, text string, r *stateRules, rule *stateRule) (*vm.Program, error) {
	remedy := "its names are the probes and results of the firmware: " + strings.Join(r.names, ", ")
	if len(r.names) == 0 {
		return nil, m.Config.Source.Refuse(at, "the firmware names no probes and no results",
			`write STARLOOM_PROBES("leader") in its source, and sl_probe(nic, 0, value) in a handler`)
	}
	used := &namesOf{known: r.names}
	program, err := expr.Compile(text, expr.Env(r.figures), expr.AsBool(), expr.Patch(used))
	if err != nil {
		reason, _, _ := strings.Cut(err.Error(), "\n")
		return nil, m.Config.Source.Refuse(at, fmt.Sprintf("%q is no condition: %s", input.Clip(text), reason), remedy)
	}
	if len(used.found) == 0 {
		return nil, m.Config.Source.Refuse(at, fmt.Sprintf("%q names no probe and no result, so it never changes",
			input.Clip(text)), remedy)
	}
	if _, err := r.holds(program); err != nil && strings.Contains(err.Error(), "out of range") {
		return nil, m.Config.Source.Refuse(at, fmt.Sprintf("%q has no value: %v", input.Clip(text), err),
			fmt.Sprintf("values has the processors 0 to %d", m.Shape.Processors()-1))
	}
	for _, name := range used.found {
		if !slices.Contains(rule.names, name) {
			rule.names = append(rule.names, name)
		}
	}
	return program, nil
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

// judgeStates judges the rules at the end of a boundary.
func (m *Machine) judgeStates() {
	r := m.states
	if r == nil {
		return
	}
	r.look(m)
	for i := range r.rules {
		rule := &r.rules[i]
		if r.broken[i] == 1 {
			continue
		}
		kind, text := r.judge(i, m.finished)
		if text == "" {
			continue
		}
		r.broken[i], r.left[i] = 1, 0
		m.Shards[0].Ledger.FindingsTotal++
		m.Findings.pending = append(m.Findings.pending,
			fabric.Finding{Kind: kind, Slot: m.slot, Index: i, Text: text + ": " + r.values(rule.names)})
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

// Unmet returns the conditions after that have not held since the machine was built or reset.
func (m *Machine) Unmet() (conditions []string) {
	if m.states == nil {
		return nil
	}
	for i := range m.states.rules {
		if rule := &m.states.rules[i]; rule.After != "" && !m.states.met[i] {
			conditions = append(conditions, rule.After)
		}
	}
	return conditions
}

// look computes the figures. Processors that a fault has killed do not count.
func (r *stateRules) look(m *Machine) {
	for k, name := range r.names {
		f := r.figures[name].(*figure)
		*f = figure{Min: math.MaxInt, Max: math.MinInt, Values: f.Values}
		clear(f.Values)
		if r.probes[k] < 0 {
			for processor := range f.Values {
				if value, given := m.Results.Get(processor, r.words[k]); given {
					f.add(m, processor, value)
				}
			}
		} else {
			for processor := range f.Values {
				instance, cell := m.InstanceOf(processor)
				f.add(m, processor, instance.Probes()[cell*len(m.Image.probes)+r.probes[k]])
			}
		}
		if f.Min > f.Max { // no processor has a value
			f.Min, f.Max = 0, 0
		}
	}
}

func (f *figure) add(m *Machine, processor int, value uint64) {
	if m.faults.killed(processor) {
		return
	}
	v := int(value)
	if v != 0 {
		f.Count++
	}
	f.Min, f.Max, f.Sum, f.Values[processor] = min(f.Min, v), max(f.Max, v), f.Sum+v, v
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
