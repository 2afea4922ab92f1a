// Package coverage records the coverage of runs of RTL and its model. For RTL, it counts lines, branches and toggles
// with Verilator; for the model, values of registers.
//
//	cosim.Counter --Add--> RTL    ---\
//	                                  +--> Coverage --> text, JSON, LCOV, Verilator's own form
//	hw.Cell ------See----> Model  ---/
package coverage

import (
	"fmt"

	"starloom/cosim"
)

// Coverage is the coverage of some runs. The zero value covers no run.
type Coverage struct {
	RTL   RTL
	Model Model
}

// Merge adds the coverage of other runs, whose RTL and models may be the same or different.
func (c *Coverage) Merge(other *Coverage) {
	c.RTL.merge(&other.RTL)
	c.Model.merge(&other.Model)
}

// Summary holds the totals of a Coverage.
type Summary struct {
	Lines     Part `json:"lines"`
	Branches  Part `json:"branches"`
	Toggles   Part `json:"toggles"`
	User      Part `json:"user"`
	Registers Part `json:"model_registers"` // registers that took all of their values
	Values    Part `json:"model_values"`
	States    int  `json:"model_states"`

	// Uncovered lists the lines that never ran: fifo.v:12, fifo.v:15-17.
	Uncovered []string `json:"uncovered_lines"`

	// Never lists the cover properties that never held: full_met (fifo.sv:20).
	Never []string `json:"never_held,omitempty"`

	Excluded []Excluded `json:"excluded,omitempty"`
}

// Summary returns the totals.
func (c *Coverage) Summary() Summary {
	s := Summary{Uncovered: []string{}, States: c.Model.States()}
	for _, source := range c.RTL.sources() {
		s.Lines.add(source.lineCounts())
		s.Branches.add(source.branchCounts())
		s.Uncovered = append(s.Uncovered, source.uncovered()...)
	}
	for _, p := range c.RTL.Counts() {
		if p.Kind == cosim.PointUser && p.Count == 0 {
			s.Never = append(s.Never, fmt.Sprintf("%s (%s:%d)", p.Comment, p.File, p.Line))
		}
	}
	s.Toggles = c.RTL.part(isToggle)
	s.User = c.RTL.part(isUser)
	s.Registers, s.Values = c.Model.parts()
	for _, e := range c.RTL.excluded() {
		if e.Points > 0 {
			s.Excluded = append(s.Excluded, e)
		}
	}
	return s
}
