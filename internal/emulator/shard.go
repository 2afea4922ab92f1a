package emulator

import (
	"cmp"
	"fmt"
	"slices"

	"starloom/fabric"
	"starloom/firmware"
	"starloom/hw"
)

// metOn is a medium on which frames met, and the first cycle of the slot that shows it.
type metOn struct {
	medium int
	cycle  uint32
}

// Shard is the part of the machine that one worker handles at a time:
// whole units, with the instances that serve their processors.
type Shard struct {
	shard     hw.Shard
	Instances []firmware.Instance
	blocks    []block // of processors that are parked, in the place of instances
	Ledger    fabric.Ledger
	whole     ledgerTotals // of the slots that have crossed
	awake     []uint32     // cells whose handlers are called
	log       firmwareLog
	struck    struck                         // by faults
	traps     uint64                         // of the last boundary
	replay    *replay                        // of the machine
	collision func(medium int, cycle uint32) // notes a collision; made once, so that a slot allocates nothing
	slot      uint32                         // for collision
	met       []metOn                        // collisions of this boundary, while losses are looked for
	meter     shardMeter
	touched   uint64 // of no use but to keep loads: Bank.Touch
}

// ledgerTotals are the figures of a ledger that grow from slot to slot, without what the boundary that
// runs has added for the slot that it begins.
type ledgerTotals struct {
	frames        fabric.Frames
	heldMax       uint8
	findingsTotal uint64
}

func (s *Shard) note(instance firmware.Instance, slot uint32) {
	for _, e := range instance.TakeEvents() {
		s.replay.note(instance.Bank(), e)
		processor := instance.Bank().First + e.Cell
		where := cmp.Or(e.Function, "an unknown function")
		if e.Source != "" {
			where += " at " + e.Source
		}
		switch e.Kind {
		case firmware.EventTrap:
			s.traps++
			s.Ledger.Find(fabric.Finding{Kind: fabric.FindTrap, Slot: slot, Index: processor,
				Text: fmt.Sprintf("the firmware trapped in %s: %s", where, e.Text), Backtrace: e.Backtrace})
		case firmware.EventFail:
			s.Ledger.Find(fabric.Finding{Kind: fabric.FindFail, Slot: slot, Index: processor,
				Text: fmt.Sprintf("the firmware gave up in %s with code %s", where, e.Text), Backtrace: e.Backtrace})
		case firmware.EventAssert:
			s.Ledger.Find(fabric.Finding{Kind: fabric.FindFail, Slot: slot, Index: processor,
				Text: fmt.Sprintf("assertion `%s` failed in %s", e.Text, where), Backtrace: e.Backtrace})
		case firmware.EventDeliver:
			s.Ledger.Referee.Announce(&s.Ledger, processor, e.Origin, slot)
		case firmware.EventResult:
			s.Ledger.NoteResult(fabric.Result{Processor: processor, Word: e.Word, Value: e.Value})
		case firmware.EventLog:
			s.log.add(logLine{slot, processor, e.Text})
		case firmware.EventLogFull:
			s.log.lost += e.Lines
		}
	}
}

func stateLedger(v *hw.StateVisitor, name string, l *fabric.Ledger) {
	for k, counter := range []*uint64{
		&l.Frames.Sent, &l.Frames.Delivered, &l.Frames.Collided, &l.Frames.Alone, &l.Frames.Heard, &l.Frames.Faulted,
		&l.Frames.CRC, &l.Frames.Overflow, &l.Frames.TxOverflow, &l.Frames.Blocked, &l.Frames.OnTrust, &l.FindingsTotal,
	} {
		hw.StateScalar(v, fmt.Sprintf("%s.counter[%d]", name, k), counter)
	}
	hw.StateScalar(v, name+".held_max", &l.HeldMax)
	l.StateFaults(v, name)
}

// drop forgets what the boundary that runs has added to a ledger for slot: it has ended in its middle. Of its
// findings those of the slot before remain.
func (s *Shard) drop(slot uint32) (remain []fabric.Finding) {
	l, whole := &s.Ledger, s.whole
	l.Frames.Sent, l.Frames.Blocked = whole.frames.Sent, whole.frames.Blocked
	l.Frames.TxOverflow, l.Frames.OnTrust = whole.frames.TxOverflow, whole.frames.OnTrust
	l.HeldMax, l.FindingsTotal = whole.heldMax, whole.findingsTotal
	for _, f := range l.Findings {
		if f.Slot < slot {
			remain = append(remain, f)
			l.FindingsTotal++
		}
	}
	l.Sent = slices.DeleteFunc(l.Sent, func(c fabric.Captured) bool { return c.Slot >= slot })
	s.log, s.traps = firmwareLog{}, 0
	l.KeepFaults(false)
	return remain
}
