package emulator

import (
	"cmp"
	"fmt"
	"math"

	"starloom/fabric"
	"starloom/firmware"
	"starloom/internal/meter"
	"starloom/nic"
)

// shardMeter is what a shard has measured.
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

// beginMeter opens a shard's books of a boundary.
func (m *Machine) beginMeter(shard *Shard) {
	s := &shard.meter
	s.startWhole.Mark(&s.Start)
	s.slotWhole.Mark(&s.Slot)
	s.overrunsWhole = s.Overruns
	s.longer = s.longer[:0]
}

// meterStart notes what the start handlers of a bank have cost.
func (m *Machine) meterStart(shard *Shard, instance firmware.Instance) {
	bank, costs, d := instance.Bank(), instance.Costs(), &shard.meter.Start
	shard.meter.startWhole.Costs = append(shard.meter.startWhole.Costs, costs...)
	for cell := 0; cell < len(costs); cell++ {
		if cell += d.Take(costs[cell:], m.Meter, 0, bank.First+cell); cell < len(costs) {
			m.meterOne(d, bank, cell, costs[cell])
		}
	}
}

// meterRestart notes what the start handlers of processors have cost that a fault has restarted.
func (m *Machine) meterRestart(shard *Shard, bank *nic.Bank, cells, costs []uint32) {
	shard.meter.startWhole.Costs = append(shard.meter.startWhole.Costs, costs...)
	for place, cost := range costs {
		m.meterOne(&shard.meter.Start, bank, int(cells[place]), cost)
	}
}

// meterOne notes what a handler has cost, unless it has trapped.
func (m *Machine) meterOne(d *meter.Spread, bank *nic.Bank, cell int, cost uint32) {
	if cost > 0 || !bank.Silenced(cell) {
		d.Add(m.Meter.Cycles(cost), bank.First+cell, m.slot)
	}
}

// meterSlot notes what the handlers of some cells have cost. Of one that was not done at the end of the
// compute window, the NIC has nothing: what it has written there is dropped.
func (m *Machine) meterSlot(shard *Shard, bank *nic.Bank, cells, costs []uint32) {
	s, d := &shard.meter, &shard.meter.Slot
	s.slotWhole.Costs = append(s.slotWhole.Costs, costs...)
	if longest := m.Meter.Longest; longest != nil {
		longest = longest[bank.First:]
		for place, cost := range costs {
			if before := &longest[cells[place]]; cost > *before {
				s.longer = append(s.longer, longerCall{bank.First + int(cells[place]), *before})
				*before = cost
			}
		}
	}
	for place := 0; place < len(costs); place++ {
		place += d.Take(costs[place:], m.Meter, m.slot, bank.First+int(cells[place]))
		if place == len(costs) {
			return
		}
		cell, cycles := int(cells[place]), m.Meter.Cycles(costs[place])
		m.meterOne(d, bank, cell, costs[place])
		if cycles > cmp.Or(m.Meter.Budget, math.MaxUint64) {
			s.Overruns++
			bank.TakeBack(&s.kept, place, cell)
			shard.Ledger.Find(fabric.Finding{Kind: fabric.FindOverrun, Slot: m.slot, Index: bank.First + cell,
				Text: fmt.Sprintf("needed %d cycles for its handler, the compute window allows %d: it missed the slot", cycles, m.Meter.Budget)})
		}
	}
}
