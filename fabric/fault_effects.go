package fabric

import (
	"fmt"

	"starloom/hw"
	"starloom/nic"
	"starloom/traces"
)

// Suffer returns what faults do to the light that comes to the port of a processor in a slot, and
// counts it. met says that frames have met: a flip does nothing to them. There must be faults.
func (l *Ledger) Suffer(bank *nic.Bank, cell int, port uint16, slot uint32, met bool) Effect {
	medium := l.Faults.names.HeardOn(bank.First+cell, port)
	effect, number := l.Faults.OnMedium(medium, slot)
	if effect == Unharmed || effect == Flipped && met {
		return Unharmed
	}
	l.FaultCounts[number].Note(slot, uint32(medium))
	return effect
}

// Harm is Suffer for a transport that carries no light, with faults or without: it sets and notes
// the status of the receiver, too, and for what is not Unharmed there is nothing left to do but to
// count a Flipped frame as heard.
func (l *Ledger) Harm(bank *nic.Bank, cell int, port uint16, slot uint32, met bool) Effect {
	if l.Faults == nil { // so far it is inlined
		return Unharmed
	}
	return l.harm(bank, cell, port, slot, met)
}

func (l *Ledger) harm(bank *nic.Bank, cell int, port uint16, slot uint32, met bool) Effect {
	effect := l.Suffer(bank, cell, port, slot, met)
	switch effect {
	case Dark:
		bank.SetRx(cell, port, nic.StatusIdle)
	case Flipped:
		bank.SetRx(cell, port, nic.StatusCRC)
		l.NoteHeard(bank.First+cell, port, nic.StatusCRC, nil, slot)
	}
	return effect
}

// NoteSmall notes that a frame did not fit into a FIFO of a processor, tx or rx, if a fault has
// made it smaller.
func (l *Ledger) NoteSmall(processor int, slot uint32, tx bool) {
	if l.Faults == nil {
		return
	}
	for i := range l.Faults.All {
		if l.Faults.All[i].shrinks(processor, tx) {
			counts := l.FaultCounts
			if tx {
				counts = l.FaultActs
			}
			counts[i].Note(slot, uint32(processor))
		}
	}
}

// SetFaults gives a ledger the faults of its run, nil for none.
func (l *Ledger) SetFaults(f *Faults) {
	l.Faults = f
	if f != nil {
		l.FaultCounts, l.FaultActs = make([]FaultCount, len(f.All)), make([]FaultCount, len(f.All))
	}
}

// KeepFaults ends a boundary: what faults have done to processors counts, unless the boundary has
// been dropped in its middle.
func (l *Ledger) KeepFaults(whole bool) {
	for i := range l.FaultActs {
		if whole {
			l.FaultCounts[i].Merge(&l.FaultActs[i])
		}
		l.FaultActs[i] = FaultCount{}
	}
}

// StateFaults visits the counts, at the end of a boundary.
func (l *Ledger) StateFaults(v *hw.StateVisitor, name string) {
	for i := range l.FaultCounts {
		c, at := &l.FaultCounts[i], fmt.Sprintf("%s.fault[%d]", name, i)
		hw.StateScalar(v, at+".count", &c.Count)
		hw.StateScalar(v, at+".slot", &c.Slot)
		hw.StateScalar(v, at+".index", &c.Index)
	}
}

// Empty notes that a fault kills or restarts a processor: frames are in its TX FIFO, goOn of them stay in flight.
func (l *Ledger) Empty(processor, frames, goOn int, dies bool, slot uint32) {
	if l.Queues == nil || frames == 0 {
		return
	}
	l.Queues.Emptied(l.Shard, processor)
	if frames -= goOn; l.Checks.NoLoss && frames > 0 {
		what := "restarted"
		if dies {
			what = "killed"
		}
		text := fmt.Sprintf("lost %s in its TX FIFO: a fault has %s it", traces.Plural(frames, "frame", "frames"), what)
		l.Find(Finding{Kind: FindUnsent, Slot: slot, Index: processor, Text: text})
	}
}
