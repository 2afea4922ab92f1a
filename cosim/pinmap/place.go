package pinmap

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"starloom/cosim"
	"starloom/cosim/twin"
)

// In returns the map for a model with other parameters, such as those of a place in a machine. Builds are not shared.
func (m *Map) In(parameters twin.Parameters) *Map {
	if maps.Equal(m.Parameters, parameters) {
		return m
	}
	other := *m
	other.Parameters, other.opened = parameters, nil
	return &other
}

// Takes reports whether a parameter of the RTL is $NAME, the model's parameter.
func (m *Map) Takes(name string) bool {
	for _, value := range m.Source.Params {
		if value == "$"+name {
			return true
		}
	}
	return false
}

// Valued returns the map with the values of $NAME inserted in its RTL parameters, and a list of the values: D=4.
// Builds are not shared.
func (m *Map) Valued() (valued *Map, of []string, err error) {
	s, err := m.source()
	if err != nil {
		return nil, nil, err
	}
	other := *m
	other.Source.Params, other.opened = s.Params, nil
	for _, name := range slices.Sorted(maps.Keys(s.Params)) {
		if strings.HasPrefix(m.Source.Params[name], "$") {
			of = append(of, fmt.Sprintf("%s=%d", name, m.Parameters[m.Source.Params[name][1:]]))
		}
	}
	return &other, of, nil
}

func (m *Map) source() (cosim.Source, error) {
	s := m.Source
	for _, c := range m.clocks() {
		s.Clocks = append(s.Clocks, c.Name)
	}
	s.Params = maps.Clone(m.Source.Params)
	for _, name := range slices.Sorted(maps.Keys(m.Source.Params)) {
		of, ok := strings.CutPrefix(m.Source.Params[name], "$")
		if !ok {
			continue
		}
		value, ok := m.Parameters[of]
		if !ok {
			names := slices.Sorted(maps.Keys(m.Parameters))
			return s, m.refuse("params."+name, fmt.Sprintf("%s has no parameter %s for $%s", m.Model, of, of),
				"parameters of the model are "+strings.Join(names, ", "))
		}
		s.Params[name] = twin.Parameters{name: value}.Verilog()[name]
	}
	return s, nil
}

// Derives reports whether an absent output is computed from other outputs. Only violation outputs are: from their
// rails.
func (m *Map) Derives(output string) bool {
	t, err := m.Twin()
	if err != nil {
		return false
	}
	model, err := t.New(t.Sets[0])
	if err != nil {
		return false
	}
	defer model.Close()
	w := &wirer{Map: m, model: model.Ports()}
	at, err := w.modelPort("absent", output)
	if err != nil {
		return false
	}
	rail1, rail0, ok := model.Rails(w.model[at].Name)
	return ok && !w.lacks(rail1) && !w.lacks(rail0)
}

func (w *wirer) lacks(port int) bool {
	return slices.ContainsFunc(w.Map.Absent, func(name string) bool {
		at, err := w.modelPort("absent", name)
		return err == nil && at == port
	})
}

// derive computes missing violations from their rails: an OR of ANDs.
func (w *wirer) derive(model *twin.Model) {
	for at, p := range w.model {
		rail1, rail0, ok := model.Rails(p.Name)
		if !ok || !w.wires.Absent[at] || w.wires.Ports[rail1] == nil || w.wires.Ports[rail0] == nil ||
			w.wires.Late[rail1] != w.wires.Late[rail0] {
			continue
		}
		part := w.model[rail1].Bits / p.Bits
		bits := make([]Bit, p.Bits)
		for i := range bits {
			var both []Bit
			for k := i * part; k < (i+1)*part; k++ {
				both = append(both, w.wires.gate(true, w.wires.Ports[rail1][k], w.wires.Ports[rail0][k]))
			}
			bits[i] = w.wires.gate(false, both...)
		}
		w.wires.Ports[at], w.wires.Derived[at], w.wires.Late[at] = bits, true, w.wires.Late[rail1]
	}
}
