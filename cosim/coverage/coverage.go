package coverage

import "starloom/cosim"

// Coverage is what runs have covered. The zero value is that of no run.
type Coverage struct {
	RTL   RTL
	Model Model
}

// Merge adds what other runs have covered: of the same RTL and model, or of others.
func (c *Coverage) Merge(other *Coverage) {
	c.RTL.merge(&other.RTL)
	c.Model.merge(&other.Model)
}

// Part is how many there are of something, and how many of them were covered.
type Part struct {
	Covered int `json:"covered"`
	Of      int `json:"of"`
}

// Summary is how much was covered.
type Summary struct {
	Lines     Part `json:"lines"`
	Branches  Part `json:"branches"`
	Toggles   Part `json:"toggles"`
	User      Part `json:"user"`
	Registers Part `json:"model_registers"` // that have had all of their values
	Values    Part `json:"model_values"`
	States    int  `json:"model_states"` // different ones, up to StatesMax

	// Uncovered are lines that have never run, as file:line: fifo.v:12, fifo.v:15-17.
	Uncovered []string `json:"uncovered_lines"`
}

// Summary counts.
func (c *Coverage) Summary() Summary {
	s := Summary{Uncovered: []string{}, States: c.Model.States()}
	for _, source := range c.RTL.sources() {
		s.Lines.add(source.lineCounts())
		s.Branches.add(source.branchCounts())
		s.Uncovered = append(s.Uncovered, source.uncovered()...)
	}
	s.Toggles = c.RTL.part(isToggle)
	s.User = c.RTL.part(isUser)
	s.Registers, s.Values = c.Model.parts()
	return s
}

func (p *Part) add(other Part) { p.Covered, p.Of = p.Covered+other.Covered, p.Of+other.Of }

func (p *Part) count(covered bool) {
	p.Of++
	if covered {
		p.Covered++
	}
}

func (r *RTL) part(of func(p *cosim.Point) bool) (part Part) {
	for p, count := range r.counts {
		if of(&p) {
			part.count(count > 0)
		}
	}
	return part
}
