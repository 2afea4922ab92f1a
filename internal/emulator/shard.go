package emulator

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"starloom/fabric"
	"starloom/firmware"
	"starloom/hw"
	"starloom/internal/meter"
	"starloom/nic"
)

// metOn is a collision: its medium, and the first cycle of the slot in which it is visible.
type metOn struct {
	medium int
	cycle  uint32
}

// Shard is the unit of work of one worker: whole units of the network with their instances.
type Shard struct {
	shard     hw.Shard
	Instances []firmware.Instance
	blocks    []block // parked processors, in place of instances
	Ledger    fabric.Ledger
	whole     ledgerTotals // totals up to the last completed slot
	awake     []uint32     // cells with something to do
	log       firmwareLog
	struck    struck
	traps     uint64 // traps of the last boundary
	replay    *replay
	// records a collision; a single closure for all slots avoids allocations
	collision func(medium int, cycle uint32)
	slot      uint32  // argument of collision
	met       []metOn // collisions of this boundary, while losses are located
	meter     shardMeter
	touched   uint64 // keeps the loads of Bank.Touch alive
}

// ledgerTotals are the totals of a ledger without the current boundary's additions.
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
		hw.StateScalar(v, hw.Statistic, fmt.Sprintf("%s.counter[%d]", name, k), counter)
	}
	hw.StateScalar(v, hw.Statistic, name+".held_max", &l.HeldMax)
	l.StateFaults(v, name)
}

// drop removes the additions of an interrupted boundary for slot. It returns the findings of the previous slot.
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

type shardMeter struct {
	meter.Measured
	kept nic.Kept

	// To undo an interrupted boundary:
	startWhole, slotWhole meter.SpreadWhole
	overrunsWhole         uint64
	longer                []longerCall

	// cells whose handlers have ended, and their costs, in slots with others
	ended      []uint32
	endedCosts []uint32
}

// longerCall is a processor whose longest call is in the current boundary, with the processor's previous maximum.
type longerCall struct {
	processor int
	before    uint32
}

func (s *shardMeter) begin() {
	s.startWhole.Mark(&s.Start)
	s.slotWhole.Mark(&s.Slot)
	s.overrunsWhole = s.Overruns
	s.longer = s.longer[:0]
}

func (s *shardMeter) drop(clock *meter.Clock) {
	s.startWhole.TakeBack(&s.Start, clock)
	s.slotWhole.TakeBack(&s.Slot, clock)
	s.Overruns = s.overrunsWhole
	for _, l := range slices.Backward(s.longer) {
		clock.Longest[l.processor] = l.before
	}
}

func (s *shardMeter) noteStart(clock *meter.Clock, bank *nic.Bank, costs []uint32) {
	d := &s.Start
	s.startWhole.Costs = append(s.startWhole.Costs, costs...)
	for cell := 0; cell < len(costs); cell++ {
		if cell += d.Take(costs[cell:], clock, 0, bank.First+cell); cell < len(costs) {
			noteCost(d, clock, 0, bank, cell, costs[cell])
		}
	}
}

func (s *shardMeter) noteRestart(clock *meter.Clock, slot uint32, bank *nic.Bank, cells, costs []uint32) {
	s.startWhole.Costs = append(s.startWhole.Costs, costs...)
	for place, cost := range costs {
		noteCost(&s.Start, clock, slot, bank, int(cells[place]), cost)
	}
}

func noteCost(d *meter.Spread, clock *meter.Clock, slot uint32, bank *nic.Bank, cell int, cost uint32) {
	if cost > 0 || !bank.Silenced(cell) {
		d.Add(clock.Cycles(cost), bank.First+cell, slot)
	}
}

// noteGoesOn notes the handlers that go on in the next slot, and returns the others.
func (s *shardMeter) noteGoesOn(clock *meter.Clock, slot uint32, bank *nic.Bank, cells,
	costs []uint32, ledger *fabric.Ledger) (ended, endedCosts []uint32) {
	if !slices.Contains(costs, firmware.CostGoesOn) {
		return cells, costs
	}
	s.ended, s.endedCosts = s.ended[:0], s.endedCosts[:0]
	for place, cost := range costs {
		if cost != firmware.CostGoesOn {
			s.ended, s.endedCosts = append(s.ended, cells[place]), append(s.endedCosts, cost)
			continue
		}
		s.Overruns++
		ledger.Find(fabric.Finding{Kind: fabric.FindOverrun, Slot: slot, Index: bank.First + int(cells[place]),
			Text: fmt.Sprintf("has not ended its handler within the %d cycles of the compute window: the handler goes on in "+
				"the next slot", clock.Budget)})
	}
	return s.ended, s.endedCosts
}

// If a handler overruns the compute window, the NIC discards the handler's outputs, or the handler goes on.
func (s *shardMeter) noteSlot(clock *meter.Clock, slot uint32, bank *nic.Bank, cells,
	costs []uint32, ledger *fabric.Ledger) {
	d := &s.Slot
	if clock.Resumes {
		cells, costs = s.noteGoesOn(clock, slot, bank, cells, costs, ledger)
	}
	s.slotWhole.Costs = append(s.slotWhole.Costs, costs...)
	if longest := clock.Longest; longest != nil {
		longest = longest[bank.First:]
		for place, cost := range costs {
			if before := &longest[cells[place]]; cost > *before {
				s.longer = append(s.longer, longerCall{bank.First + int(cells[place]), *before})
				*before = cost
			}
		}
	}
	for place := 0; place < len(costs); place++ {
		place += d.Take(costs[place:], clock, slot, bank.First+int(cells[place]))
		if place == len(costs) {
			return
		}
		cell, cycles := int(cells[place]), clock.Cycles(costs[place])
		noteCost(d, clock, slot, bank, cell, costs[place])
		if !clock.Resumes && cycles > cmp.Or(clock.Budget, math.MaxUint64) {
			s.Overruns++
			bank.TakeBack(&s.kept, place, cell)
			ledger.Find(fabric.Finding{Kind: fabric.FindOverrun, Slot: slot, Index: bank.First + cell,
				Text: fmt.Sprintf("needed %d cycles for its handler, the compute window allows %d: it missed the slot", cycles,
					clock.Budget)})
		}
	}
}

func (s *shardMeter) state(v *hw.StateVisitor, name string) {
	s.Start.State(v, name+".start")
	s.Slot.State(v, name+".slot")
	hw.StateScalar(v, hw.Statistic, name+".overruns", &s.Overruns)
}
