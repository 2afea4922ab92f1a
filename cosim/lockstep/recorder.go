package lockstep

import (
	"starloom/cosim/twin"
)

// Recorder is a model that keeps what its inputs are, cycle by cycle, so that RTL can
// be run beside it on the same inputs later: those of a machine that the model is a
// part of. Cycles beyond what a Stimulus holds are not kept.
type Recorder struct {
	*twin.Model
	Stimulus *Stimulus
}

// NewRecorder returns a recorder around a model, which it owns.
func NewRecorder(m *twin.Model) *Recorder { return &Recorder{m, newStimulus(m)} }

// Settle implements Device. A combinational circuit has no other cycles.
func (r *Recorder) Settle() error {
	if !r.Clocked() {
		r.keep()
	}
	return r.Model.Settle()
}

// Edge implements Device.
func (r *Recorder) Edge(clocks uint64) error {
	if r.Clocked() && clocks&1 != 0 {
		r.keep()
	}
	return r.Model.Edge(clocks)
}

func (r *Recorder) keep() {
	if s := r.Stimulus; len(s.rows)+s.words <= stimulusWordsMax {
		s.rows = append(s.rows, r.Inputs()...)
		last := s.with(s.rows[len(s.rows)-s.words:])
		last.mask()
	}
}
