package plant

import (
	"slices"

	"starloom/hw"
	"starloom/nic"
	"starloom/traces"
)

// sentSums remember what was sent in a slot and the one before, so that the digest covers
// the bytes that RTL says it has received: models deliver what was sent, and of RTL no one
// knows. Two columns alternate, since some processors send before others have heard.
type sentSums struct {
	columns [2][]uint64 // per transmitter: what its frame folds to, 0 for none
	lanes   int         // transmitters of a processor
}

func newSentSums(processors, lanes int) *sentSums {
	n := processors * lanes
	return &sentSums{[2][]uint64{make([]uint64, n), make([]uint64, n)}, lanes}
}

// begin starts a slot of the transmitters first to end-1.
func (s *sentSums) begin(slot uint32, first, end int) { clear(s.columns[slot&1][first:end]) }

func (s *sentSums) send(slot uint32, transmitter int, wire nic.Frame) {
	s.columns[slot&1][transmitter] = foldFrame(wire)
}

// foldFrame is never 0.
func foldFrame(wire nic.Frame) uint64 { return traces.Fold(wire) | 1 }

func (s *sentSums) same(slot uint32, wire nic.Frame) bool {
	column, first := s.columns[slot&1], uint64(wire.Source())*uint64(s.lanes)
	return first < uint64(len(column)) && slices.Contains(column[first:first+uint64(s.lanes)], foldFrame(wire))
}

func (s *sentSums) state(v *hw.StateVisitor) {
	hw.StateColumn(v, "rtl.sent.even", s.columns[0])
	hw.StateColumn(v, "rtl.sent.odd", s.columns[1])
}
