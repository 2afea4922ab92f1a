package emulator

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"starloom/fabric/outcome"
	"starloom/firmware"
	"starloom/firmware/variables"
	"starloom/hw"
	"starloom/traces/input"
	"starloom/traces/vcd"
)

// The options that read variables of a state.
const (
	optionVariables = "--vars"
	optionProbe     = "--probe"
)

// stateLayout locates the variables of a processor's state for an option.
func (m *Machine) stateLayout(option string) (*variables.Layout, error) {
	if m.Image.layout == nil {
		return nil, input.Mistake(option, "handlers in Go have no debug information", "use --runtime compiler or interpreter")
	}
	layout, err := m.Image.layout(int(m.Image.stateBytes))
	if err != nil {
		return nil, input.Mistake(option, fmt.Sprintf("the firmware image %s %v", m.Image.Name, err),
			"build it from C or C++ with `starloom firmware build SOURCE -o IMAGE`, or from Rust with `rustc -g`, and do "+
				"not strip it")
	}
	return layout, nil
}

// StateLayout locates the variables of a processor's state.
func (m *Machine) StateLayout() (*variables.Layout, error) { return m.stateLayout(optionVariables) }

// probeVariables selects the numbers of the state that a waveform shows, by patterns of their names: state.NAME for all
// processors, or whole paths. A name selects all numbers below it.
func (m *Machine) probeVariables(patterns []string) error {
	if len(patterns) == 0 {
		return nil
	}
	layout, err := m.stateLayout(optionProbe)
	if err != nil {
		return err
	}
	m.probed = selectionOf(layout)
	for _, text := range patterns {
		pattern, err := hw.CompilePattern(text)
		if err != nil {
			return input.Mistake(optionProbe, err.Error(), "correct the pattern")
		}
		if !m.probed.add(pattern, m.Shape.Processors(), m.probeRootOf) {
			return m.unknownVariable(layout, text)
		}
	}
	m.probed = slices.DeleteFunc(m.probed, func(p probed) bool { return !p.all && p.only == nil })
	return nil
}

func (m *Machine) probeRootOf(processor int) string {
	return m.Names.Processor(processor) + "." + probeRoot
}

func (m *Machine) unknownVariable(layout *variables.Layout, text string) error {
	var known []string
	layout.Scalars(func(r *variables.Row, _ *variables.Scalar) {
		if name := probeRoot + r.Name; len(known) == 0 || known[len(known)-1] != name {
			known = append(known, name)
		}
	})
	for i := range layout.Rows {
		if r := &layout.Rows[i]; r.Gone != "" && probeRoot+r.Name == text {
			return input.Mistake(optionProbe, fmt.Sprintf("%s is %s: %s", text, variables.NotThere, r.Gone),
				"choose another variable")
		}
	}
	const listed = 12
	list := strings.Join(known[:min(len(known), listed)], ", ")
	if len(known) > listed {
		list += ", ..."
	}
	return input.Mistake(optionProbe,
		fmt.Sprintf("no variable of %s matches %q", layout.Type, text),
		input.DidYouMean(text, known, "variables are "+list+"; * stands for a part of a name, state for all"))
}

// VariableProbes yields the selected variables of every processor, valid at slot boundaries.
func (m *Machine) VariableProbes(yield func(p hw.Probe, form vcd.Form)) {
	for i := range m.Shards {
		for _, instance := range m.Shards[i].Instances {
			for cell := range instance.Bank().Cells {
				root := m.probeRootOf(instance.Bank().First + cell)
				for i := range m.probed {
					if p := &m.probed[i]; p.shows(root) {
						yield(variableProbe(root+p.Path, p.Scalar, instance, cell), p.Form())
					}
				}
			}
		}
	}
}

func variableProbe(path string, s *variables.Scalar, instance firmware.Instance, cell int) hw.Probe {
	p := hw.ViewProbe(path, s.Bits(), func() uint64 { return s.Value(instance.Bank().State(cell)) })
	p.States = s.States()
	return p
}

// Variables of the page: boundaries kept, and columns.
const (
	variableRowsMax    = 120
	variableColumnsMax = 24
)

// telling collects the states of a replay for the page: the last changes up to the first violation.
type telling struct {
	layout *variables.Layout
	before []byte // state before the first kept one
	last   []byte
	end    uint64      // last slot
	states []toldState // the first call, and calls that changed the state
	final  *toldState  // last call, nil if it changed the state
	left   int         // earlier boundaries
	cut    bool
}

type toldState struct {
	when  string
	what  string
	slot  uint32
	bytes []byte
}

func (m *Machine) newTelling(layout *variables.Layout, report *outcome.Report) *telling {
	if layout == nil {
		return nil
	}
	t := &telling{layout: layout, end: math.MaxUint64}
	if len(report.Violations) > 0 {
		t.end = report.Violations[0].Slot
	}
	return t
}

// begin keeps the state before the first call, and writes it if the run continued from a saved state.
func (t *telling) begin(out io.Writer, r *replay) {
	t.before = bytes.Clone(r.instance.Bank().State(0))
	t.last = t.before
	fmt.Fprintln(out, t.layout.About())
	if r.from > 0 {
		fmt.Fprintf(out, "restored state: %s\n", t.layout.Line(t.before, t.before))
	}
}

func (t *telling) add(out io.Writer, call *ReplayCall, what string, memory []byte) {
	state := bytes.Clone(memory)
	fmt.Fprintf(out, "%s state: %s\n", call.when(), t.layout.Line(t.last, state))
	same := bytes.Equal(t.last, state)
	if t.last = state; uint64(call.slot) > t.end {
		t.cut = true
		return
	}
	now := toldState{call.when(), strings.TrimPrefix(what, call.when()+":"), call.slot, state}
	if t.final = nil; same && len(t.states) > 0 {
		t.final = &now
		return
	}
	if len(t.states) == variableRowsMax {
		t.before, t.states = t.states[0].bytes, t.states[1:]
		t.left++
	}
	t.states = append(t.states, now)
}

// table returns the page's table: a column for each variable that changes.
func (t *telling) table(path string, cycle func(slot uint32) uint64) *outcome.Variables {
	v := &outcome.Variables{Path: path, About: t.layout.About(), Earlier: t.left, Later: t.cut}
	if t.final != nil {
		t.states = append(t.states, *t.final)
	}
	var shown []*variables.Row
	for i := range t.layout.Rows {
		row, before, changes := &t.layout.Rows[i], t.before, false
		for _, s := range t.states {
			changes, before = changes || row.Changed(before, s.bytes), s.bytes
		}
		switch {
		case row.Gone != "":
		case !changes:
			v.Constant = append(v.Constant, row.Name+"="+row.Cell(t.before, t.before))
		case len(shown) == variableColumnsMax:
			v.Left = append(v.Left, row.Name)
		default:
			shown = append(shown, row)
			v.Columns = append(v.Columns, row.Name)
		}
	}
	before := t.before
	for _, s := range t.states {
		r := outcome.VariableRow{When: s.when, Cycle: cycle(s.slot), What: strings.TrimSpace(s.what)}
		for _, row := range shown {
			r.Cells = append(r.Cells, row.Cell(before, s.bytes))
		}
		v.Rows, before = append(v.Rows, r), s.bytes
	}
	return v
}
