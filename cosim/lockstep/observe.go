package lockstep

import (
	"slices"

	"starloom/cosim/twin"
)

// A Cycle is a cycle of a run as Options.Observe gets it; its slices are those of the run.
type Cycle struct {
	Number   uint64
	Compared bool // reset is off, and has been on
	Inputs   []uint64
	Wanted   []uint64 // the model's outputs, held back for RTL that is late
	Got      []uint64 // the RTL's
	Unknown  []uint64 // bits of Got that are X or Z; nil for two states
	Counted  []uint64 // bits that are compared
}

// observe shows a cycle whose outputs have settled. What is run again to shrink and to show a case is
// not observed.
func (l *pair) observe(number uint64, compared bool) {
	if l.options.Observe == nil || l.coverage == nil {
		return
	}
	counted := l.mask
	if l.contract != nil {
		counted = l.contract.mask
	}
	l.options.Observe(&Cycle{number, compared, l.model.Inputs(), l.wanted, l.rtl.Outputs(), l.rtl.Unknown(), counted})
}

// StimulusOf makes a stimulus of inputs of a model, cycle by cycle; place says where they come from.
func StimulusOf(m *twin.Model, place string, rows []uint64) *Stimulus {
	s := newStimulus(m)
	s.Place, s.rows = place, slices.Clone(rows)
	s.mask()
	return s
}
