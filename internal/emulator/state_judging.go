package emulator

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"

	"starloom/fabric"
	"starloom/hw"
	"starloom/traces/input"
	"starloom/traces/input/strict"
)

// newStateRules compiles the rules. A condition must name a probe or a result.
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

func (m *Machine) compileCondition(at, text string, r *stateRules, rule *stateRule) (*vm.Program, error) {
	remedy := "valid names are the probes and results of the firmware: " + strings.Join(r.names, ", ")
	if len(r.names) == 0 {
		return nil, m.Config.Source.Refuse(at, "the firmware has neither probes nor results",
			`write STARLOOM_PROBES("leader") in its source, and sl_probe(nic, 0, value) in a handler`)
	}
	used := &namesOf{known: r.names}
	program, err := expr.Compile(text, expr.Env(r.figures), expr.AsBool(), expr.Patch(used))
	if err != nil {
		reason, _, _ := strings.Cut(err.Error(), "\n")
		return nil, m.Config.Source.Refuse(at, fmt.Sprintf("%q is not a condition: %s", input.Clip(text), reason), remedy)
	}
	if len(used.found) == 0 {
		return nil, m.Config.Source.Refuse(at, fmt.Sprintf("%q names neither a probe nor a result, so it never changes",
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

// judgeStates judges the rules at the end of a boundary.
func (m *Machine) judgeStates() {
	r := m.states
	if r == nil {
		return
	}
	m.look(r)
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

// Unmet returns the conditions `after` that have not held since the machine was built or reset.
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
func (m *Machine) look(r *stateRules) {
	for k, name := range r.names {
		f := r.figures[name].(*figure)
		*f = figure{Min: math.MaxInt, Max: math.MinInt, Values: f.Values}
		clear(f.Values)
		if r.probes[k] < 0 {
			for processor := range f.Values {
				if value, given := m.Results.Get(processor, r.words[k]); given {
					m.addTo(f, processor, value)
				}
			}
		} else {
			for processor := range f.Values {
				instance, cell := m.InstanceOf(processor)
				m.addTo(f, processor, instance.Probes()[cell*len(m.Image.probes)+r.probes[k]])
			}
		}
		if f.Min > f.Max { // no processor has a value
			f.Min, f.Max = 0, 0
		}
	}
}

func (m *Machine) addTo(f *figure, processor int, value uint64) {
	if m.faults.killed(processor) {
		return
	}
	v := int(value)
	if v != 0 {
		f.Count++
	}
	f.Min, f.Max, f.Sum, f.Values[processor] = min(f.Min, v), max(f.Max, v), f.Sum+v, v
}

// RulesSeen appends the rules that wait for their condition then, and the figures of all rules, to a text that tells
// rare states from common ones.
func (m *Machine) RulesSeen(to []byte) []byte {
	if m.states == nil {
		return to
	}
	for _, left := range m.states.left {
		waits := byte(0)
		if left > 0 {
			waits = 1
		}
		to = append(to, waits)
	}
	for i := range m.states.rules {
		for _, name := range m.states.rules[i].names {
			f := m.states.figures[name].(*figure)
			for _, value := range []int{f.Count, f.Min, f.Max} {
				to = binary.LittleEndian.AppendUint64(to, uint64(value))
			}
		}
	}
	return to
}
