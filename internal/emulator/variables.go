package emulator

import (
	"fmt"
	"slices"
	"strings"

	"starloom/firmware"
	"starloom/firmware/variables"
	"starloom/hw"
	"starloom/traces/input"
	"starloom/traces/vcd"
)

// options that read variables of a state
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

// probeVariables selects the numbers of the state for a waveform by patterns of their names: state.NAME for all
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
		input.DidYouMean(text, known, "variables are "+list+"; * stands for a part of a name, state selects all"))
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
