package pinmap

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"starloom/cosim"
	"starloom/cosim/condition"
	"starloom/cosim/twin"
)

// A Contract is the set of conditions (package condition) of a check, over inputs and the model's outputs. The
// conditions apply in cycles without reset.
//
// Inputs satisfy Assume in every cycle. An output with a condition in Compare is compared in cycles with a true
// condition; for late RTL, these are cycles of the model.
type Contract struct {
	Assume  []string
	Compare map[string]string // condition of an output, by output of the model
}

// Terms is a parsed Contract.
type Terms struct {
	Assume  []*condition.Condition
	Compare []*condition.Condition // condition of an output, by port of the model; nil for no condition
}

// Terms parses the conditions of the map's contract. Messages refer to rtl, the ports of the RTL.
func (m *Map) Terms(model *twin.Model, rtl []cosim.Port) (*Terms, error) {
	scope := &condition.Scope{Model: m.Model, Ports: model.Ports(), Parameters: m.Parameters}
	for _, p := range rtl {
		scope.Pins = append(scope.Pins, p.Name)
	}
	t := &Terms{Compare: make([]*condition.Condition, len(model.Ports()))}
	for i, text := range m.Assume {
		c, err := m.condition(m.AssumeKey(i), text, scope)
		if err != nil {
			return nil, err
		}
		t.Assume = append(t.Assume, c)
	}
	w := wirer{Map: m, model: model.Ports()}
	for _, name := range slices.Sorted(maps.Keys(m.Compare)) {
		key := "compare." + name
		at, err := w.modelPort(key, name)
		if err != nil {
			return nil, err
		}
		switch port := w.model[at]; {
		case port.Input:
			return nil, m.refuse(key, fmt.Sprintf("%s is %s of %s", port.Name, port.Kind(), m.Model), "only outputs are "+
				"compared; conditions on inputs belong in assume")
		case t.Compare[at] != nil:
			return nil, m.refuse(key, port.Name+" is named twice", "delete one")
		case slices.ContainsFunc(m.Absent, func(absent string) bool {
			return absent == port.Name ||
				absent+"_o" == port.Name
		}):
			return nil, m.refuse(key, port.Name+" is absent, so it is never compared", "delete one")
		}
		if t.Compare[at], err = m.condition(key, m.Compare[name], scope); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// AssumeKey returns the key of an element of Assume.
func (m *Map) AssumeKey(index int) string { return fmt.Sprintf("assume[%d]", index) }

func (m *Map) condition(key, text string, scope *condition.Scope) (*condition.Condition, error) {
	c, err := condition.Parse(text, scope)
	var bad *condition.Error
	if errors.As(err, &bad) {
		return nil, m.refuse(key, bad.Place(text)+": "+bad.Reason, bad.Remedy)
	}
	return c, err
}
