package emulator

import (
	"cmp"
	"fmt"

	"starloom/fabric"
	"starloom/firmware"
	"starloom/hw"
)

// Only the end of a run shows that a packet was lost, and where it was then no one has
// noted: that would cost memory and time for every packet of every run. But a run is a
// function of its scenario and seed. So one that has lost packets is repeated, and the
// frames of those that the report lists are followed.

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
}

// ledgerTotals are the figures of a ledger that grow from slot to slot, without what the boundary that
// runs has added for the slot that it begins.
type ledgerTotals struct {
	frames        fabric.Frames
	heldMax       uint8
	findingsTotal uint64
}

// note takes an instance's events.
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
