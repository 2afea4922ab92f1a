package plant

import (
	"slices"

	"starloom/fabric"
	"starloom/nic"
)

// Receive takes what one receiver of a processor, which hears a port, has received in a slot.
func (t *Front) Receive(shard int, bank *nic.Bank, cell, lane int, port uint16, ledger *fabric.Ledger, slot uint32) {
	s, processor := &t.shards[shard], bank.First+cell
	receiver := processor*t.lanes + lane
	status := t.deserialisers.Status(receiver)
	if t.tap != nil {
		if medium, ok := t.deserialisers.Wire(receiver); ok && int(port) < t.shape.Ports && t.tap.Reached(medium, slot) {
			if effect := ledger.Suffer(bank, cell, port, slot, status == nic.StatusCollision); effect != fabric.Unharmed && t.mark(s, medium) {
				ledger.Frames.NoteHarmed(effect, t.carried(medium))
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
		if medium, ok := t.deserialisers.Wire(receiver); ok && t.mark(s, medium) {
			ledger.Frames.Heard++
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

func (t *Front) mark(s *plantShard, medium uint32) bool {
	if t.seen.marks[medium] != 0 {
		return false
	}
	t.seen.marks[medium] = 1
	s.heard = append(s.heard, medium)
	return true
}

// carried counts the frames in the slot that has crossed on a medium that faults have harmed, if none has met another.
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

func (t *Front) take(s *plantShard, bank *nic.Bank, cell int, port uint16, frame nic.Frame, ledger *fabric.Ledger, slot uint32) {
	processor := bank.First + cell
	if t.sums != nil && !t.sums.same(slot, frame) {
		ledger.NoteAltered(processor, port, frame)
	}
	if !t.access.IsFor(processor, frame) {
		bank.SetRx(cell, port, nic.StatusIdle) // the NIC drops it
		return
	}
	view, status := bank.TakeRx(cell, port, frame)
	if view == nil {
		view = s.view
		view.PutWire(frame)
	}
	ledger.NoteHeard(processor, port, status, view, slot)
}
