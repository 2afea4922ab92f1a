package netlist

import (
	"fmt"
	"slices"

	"starloom/traces"
	"starloom/traces/input"
)

type mistakes struct {
	found input.Errors // at most input.ErrorsMax errors are listed
	alike map[[2]string]*alike
}

// alike counts equal errors at one place, for example one error for each node of a range.
type alike struct {
	first  *input.Error // nil if the error is not listed
	reason string
	others int
}

// addAlike records an error. A repetition at the same place only increments the count in the message of the first
// error.
func (m *mistakes) addAlike(kind, place, reason, remedy string) {
	key := [2]string{place, kind}
	if a := m.alike[key]; a != nil {
		a.others++
		return
	}
	a, named := &alike{reason: reason}, len(m.found.List)
	if m.add(place, reason, remedy); len(m.found.List) > named {
		a.first = m.found.List[named]
	}
	if m.alike == nil {
		m.alike = map[[2]string]*alike{}
	}
	m.alike[key] = a
}

func (m *mistakes) count() int { return len(m.found.List) + m.found.More }

func (m *mistakes) full() bool { return len(m.found.List) == input.ErrorsMax }

func (m *mistakes) add(place, reason, remedy string) {
	if slices.ContainsFunc(m.found.List, func(e *input.Error) bool { return e.Place == place && e.Reason == reason }) {
		return
	}
	if m.full() {
		m.found.More++
		return
	}
	m.found.List = append(m.found.List, input.Mistake(place, reason, remedy))
}

func (m *mistakes) take(err error) {
	switch e := err.(type) {
	case *input.Error:
		m.add(e.Place, e.Reason, e.Remedy)
	case *input.Errors:
		for _, one := range e.List {
			m.take(one)
		}
		m.found.More += e.More
	}
}

func (m *mistakes) err() error {
	if m.count() == 0 {
		return nil
	}
	for _, a := range m.alike {
		if a.first != nil && a.others > 0 {
			a.first.Reason = fmt.Sprintf("%s (and %s)", a.reason, traces.Plural(a.others, "other", "others"))
		}
	}
	return &m.found
}
