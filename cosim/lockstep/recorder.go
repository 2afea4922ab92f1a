package lockstep

import (
	"starloom/cosim/twin"
	"starloom/hw"
)

// Recorder is a model that records its inputs. RTL can later run on the recorded inputs of a machine that contains
// the model. Recording stops when the Stimulus is full.
type Recorder struct {
	*twin.Model
	Stimulus *Stimulus

	// Cycle returns the cycle of the run, hw.CycleOfReset before cycle 0. A nil Cycle means hw.CycleOfReset.
	Cycle func() uint64
}

// NewRecorder returns a recorder that owns model m. place names the model in messages.
func NewRecorder(m *twin.Model, place string) *Recorder {
	s := newStimulus(m)
	s.Place, s.cycles = place, []uint64{}
	return &Recorder{Model: m, Stimulus: s}
}

// Settle implements Device. A combinational model is recorded in Settle, a clocked model at its clock edge.
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
