package lockstep

import (
	"slices"

	"starloom/cosim/twin"
)

// observe passes a settled cycle to Options.Observe. Repeated runs, for shrinking and display, are not observed.
func (l *pair) observe(number uint64, compared bool) {
	if l.options.Observe == nil || l.coverage == nil {
		return
	}
	l.options.Observe(&Cycle{number, compared, l.model.Inputs(), l.wanted, l.rtl.Outputs(), l.rtl.Unknown(),
		l.counted()})
}

// StimulusOf returns a stimulus with the given input rows of a model. place names the origin of the rows in messages.
func StimulusOf(m *twin.Model, place string, rows []uint64) *Stimulus {
	s := newStimulus(m)
	s.Place, s.rows = place, slices.Clone(rows)
	s.mask()
	return s
}

// Broken runs a model from power-on through the stimulus. It returns the first row that breaks a rule of the model's
// neighbours (see twin.Model.Keep), and the rule, "" if no rule is broken.
func (s *Stimulus) Broken(m *twin.Model) (row uint64, rule string) {
	if m.Keep == nil {
		return 0, ""
	}
	for row := range uint64(s.Cycles()) {
		inputs := m.Inputs()
		copy(inputs, s.row(int(row)))
		if m.Clocked() && inputs[m.ResetWord()]&1 != 0 {
			m.Latch()
			continue
		}
		if rule := m.Keep(inputs); rule != "" {
			return row, rule
		}
		if _ = m.Settle(); m.Clocked() {
			m.Latch()
		}
	}
	return 0, ""
}
