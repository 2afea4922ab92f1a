package netlist

import (
	"fmt"
	"slices"
	"strings"

	"starloom/traces/input"
)

// mistakesMax is how many mistakes are named at once.
const mistakesMax = 20

// mistakes are what is wrong with a netlist, in the order in which it is found.
type mistakes struct {
	list []*input.Error
	more int // that are not named

	values int // of them, those of values: without them, everything is there
}

// value notes the mistake that a wrong value is.
func (m *mistakes) value(err error) {
	if _, ok := err.(*input.Error); ok {
		m.values++
	}
	m.take(err)
}

// add notes a mistake, unless it is noted: all nodes of a range may have it.
func (m *mistakes) add(place, reason, remedy string) {
	if slices.ContainsFunc(m.list, func(e *input.Error) bool { return e.Place == place && e.Reason == reason }) {
		return
	}
	if len(m.list) == mistakesMax {
		m.more++
		return
	}
	m.list = append(m.list, &input.Error{Place: place, Reason: reason, Remedy: remedy})
}

// take notes the mistake that an error of a decoder is.
func (m *mistakes) take(err error) {
	if e, ok := err.(*input.Error); ok {
		m.add(e.Place, e.Reason, e.Remedy)
	}
}

// join adds mistakes that were found elsewhere.
func (m *mistakes) join(others *Mistakes) {
	for _, e := range others.List {
		m.add(e.Place, e.Reason, e.Remedy)
	}
	m.more += others.More
}

// err is all of them as one error, nil for none.
func (m *mistakes) err() error {
	if len(m.list) == 0 {
		return nil
	}
	return &Mistakes{List: m.list, More: m.more}
}

// Mistakes are all that is wrong with a netlist: each with its place, and what to do.
type Mistakes struct {
	List []*input.Error
	More int // beyond those of List
}

// Error has a line for each mistake.
func (m *Mistakes) Error() string {
	lines := make([]string, 0, len(m.List)+1)
	for _, e := range m.List {
		lines = append(lines, e.Error())
	}
	if m.More > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", m.More))
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the mistakes one by one.
func (m *Mistakes) Unwrap() (all []error) {
	for _, e := range m.List {
		all = append(all, e)
	}
	return all
}
