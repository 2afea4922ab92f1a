package emulator

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"starloom/fabric"
	"starloom/hw"
	"starloom/internal/meter"
	"starloom/nic"
)

type shardMeter struct {
	meter.Measured
	kept nic.Kept

	// What takes the boundary that runs back.
	startWhole, slotWhole meter.SpreadWhole
	overrunsWhole         uint64
	longer                []longerCall
}

// longerCall is a processor whose longest call is of the boundary that runs, and what that was before.
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

// noteCost notes what a handler has cost, unless it has trapped.
func noteCost(d *meter.Spread, clock *meter.Clock, slot uint32, bank *nic.Bank, cell int, cost uint32) {
	if cost > 0 || !bank.Silenced(cell) {
		d.Add(clock.Cycles(cost), bank.First+cell, slot)
	}
}

// noteSlot notes what the handlers of some cells have cost. Of one that was not done at the end of the
// compute window, the NIC has nothing: what it has written there is dropped.
func (s *shardMeter) noteSlot(clock *meter.Clock, slot uint32, bank *nic.Bank, cells, costs []uint32, ledger *fabric.Ledger) {
	d := &s.Slot
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
		if cycles > cmp.Or(clock.Budget, math.MaxUint64) {
			s.Overruns++
			bank.TakeBack(&s.kept, place, cell)
			ledger.Find(fabric.Finding{Kind: fabric.FindOverrun, Slot: slot, Index: bank.First + cell,
				Text: fmt.Sprintf("needed %d cycles for its handler, the compute window allows %d: it missed the slot", cycles, clock.Budget)})
		}
	}
}

func (s *shardMeter) state(v *hw.StateVisitor, name string) {
	s.Start.State(v, name+".start")
	s.Slot.State(v, name+".slot")
	hw.StateScalar(v, name+".overruns", &s.Overruns)
}
