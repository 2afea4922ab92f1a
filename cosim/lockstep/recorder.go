package lockstep

import (
	"starloom/cosim/twin"
	"starloom/hw"
)

// Recorder is a model that keeps its inputs, cycle by cycle, so that RTL can be run beside it
// on the same inputs later: those of a machine that the model is a part of. Cycles beyond what a Stimulus holds are not kept.
type Recorder struct {
	*twin.Model
	Stimulus *Stimulus

	// Cycle is that of the run; nil, or hw.CycleOfReset, before cycle 0.
	Cycle func() uint64
}

// NewRecorder returns a recorder around a model, which it owns. place names it in messages.
func NewRecorder(m *twin.Model, place string) *Recorder {
	s := newStimulus(m)
	s.Place, s.cycles = place, []uint64{}
	return &Recorder{Model: m, Stimulus: s}
}

// Settle implements Device. A combinational circuit has no other cycles.
func (r *Recorder) Settle() error {
	if !r.Clocked() {
		r.keep()
	}
	return r.Model.Settle()
}

func (r *Recorder) Edge(clocks uint64) error {
	if r.Clocked() && clocks&1 != 0 {
		r.keep()
	}
	return r.Model.Edge(clocks)
}

func (r *Recorder) keep() {
	s := r.Stimulus
	if len(s.rows)+s.words > stimulusWordsMax {
		return
	}
	s.rows = append(s.rows, r.Inputs()...)
	last := s.with(s.rows[len(s.rows)-s.words:])
	last.mask()
	cycle := uint64(hw.CycleOfReset)
	if r.Cycle != nil {
		cycle = r.Cycle()
	}
	s.cycles = append(s.cycles, cycle)
}
