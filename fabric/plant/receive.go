package plant

import (
	"slices"

	"starloom/fabric"
	"starloom/hw"
	"starloom/nic"
	"starloom/traces"
)

// Receive handles the result of a processor's receiver at a port in a slot.
func (t *Front) Receive(shard int, bank *nic.Bank, cell, lane int, port uint16, ledger *fabric.Ledger, slot uint32) {
	s, processor := &t.shards[shard], bank.First+cell
	receiver := processor*t.lanes + lane
	status := t.deserialisers.Status(receiver)
	if t.tap != nil {
		if medium, ok := t.deserialisers.Wire(receiver); ok && int(port) < t.shape.Ports && t.tap.Reached(medium, slot) {
			if effect := ledger.Suffer(bank, cell, port, slot,
				status == nic.StatusCollision); effect != fabric.Unharmed {
				t.listened(s, ledger, medium, effect, t.carried(medium))
			}
		}
	}
	if t.queues() {
		t.deserialisers.Queued(receiver, func(frame nic.Frame) {
			ledger.Frames.Heard++
			t.take(s, bank, cell, port, frame, ledger, slot)
		})
		if status == nic.StatusOK {
			return
		}
	}
	if status != nic.StatusIdle && status != nic.StatusCollision && int(port) < t.shape.Ports {
		if medium, ok := t.deserialisers.Wire(receiver); ok {
			t.listened(s, ledger, medium, fabric.Unharmed, 1)
		}
	}
	switch status {
	case nic.StatusIdle:
		bank.SetRx(cell, port, nic.StatusIdle)
	case nic.StatusOK:
		t.take(s, bank, cell, port, t.deserialisers.Frame(receiver), ledger, slot)
	default:
		bank.SetRx(cell, port, status)
		ledger.NoteHeard(processor, port, status, nil, slot)
	}
}

// listened counts the frames on a medium that reach one of the medium's receivers.
func (t *Front) listened(s *plantShard, ledger *fabric.Ledger, medium uint32, effect fabric.Effect, frames uint64) {
	mark := &t.seen.marks[medium]
	if *mark == uint8(fabric.NotListened) {
		s.heard = append(s.heard, medium)
	}
	*mark = uint8(ledger.Frames.Listened(fabric.Listened(*mark), effect, frames))
}

// carried returns the number of frames on a medium with a fault in the crossed slot, without collided frames.
func (t *Front) carried(medium uint32) (frames uint64) {
	first, _ := slices.BinarySearch(t.seen.harmed, medium)
	for _, other := range t.seen.harmed[first:] {
		if other != medium {
			break
		}
		frames++
	}
	return frames
}

func (t *Front) take(s *plantShard, bank *nic.Bank, cell int, port uint16, frame nic.Frame,
	ledger *fabric.Ledger, slot uint32) {
	processor := bank.First + cell
	if t.sums != nil && !t.sums.same(slot, frame) {
		ledger.NoteAltered(processor, port, frame)
	}
	if !t.access.IsFor(processor, frame) {
		bank.SetRx(cell, port, nic.StatusIdle)
		return
	}
	if small := &s.small; bank.Small() && !ledger.Looks() && small.ReadSmall(frame) {
		ledger.NoteSmallHeard(uint32(processor), port, bank.PushSmallRx(uint32(cell), port, small), small)
		return
	}
	view, status := bank.TakeRx(cell, port, frame)
	if view == nil {
		view = s.view
		view.PutWire(frame)
	}
	ledger.NoteHeard(processor, port, status, view, slot)
}

// sentSums holds hashes of the frames sent in two slots, so that the digest covers differing bytes delivered by RTL.
// Models always deliver the sent bytes. Two columns alternate, because some processors send before others have
// received.
type sentSums struct {
	columns [2][]uint64 // by transmitter: hash of the frame, 0 for none
	lanes   int         // transmitters per processor
}

func newSentSums(processors, lanes int) *sentSums {
	n := processors * lanes
	return &sentSums{[2][]uint64{make([]uint64, n), make([]uint64, n)}, lanes}
}

func (s *sentSums) begin(slot uint32, first, end int) { clear(s.columns[slot&1][first:end]) }

func (s *sentSums) send(slot uint32, transmitter int, wire nic.Frame) {
	s.columns[slot&1][transmitter] = foldFrame(wire)
}

// foldFrame returns a non-zero hash.
func foldFrame(wire nic.Frame) uint64 { return traces.Fold(wire) | 1 }

func (s *sentSums) same(slot uint32, wire nic.Frame) bool {
	column, first := s.columns[slot&1], uint64(wire.Source())*uint64(s.lanes)
	return first < uint64(len(column)) && slices.Contains(column[first:first+uint64(s.lanes)], foldFrame(wire))
}

func (s *sentSums) state(v *hw.StateVisitor) {
	hw.StateColumn(v, hw.Future, "rtl.sent.even", s.columns[0])
	hw.StateColumn(v, hw.Future, "rtl.sent.odd", s.columns[1])
}
