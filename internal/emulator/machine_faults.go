package emulator

import (
	"fmt"
	"slices"

	"starloom/fabric"
	"starloom/firmware"
	"starloom/internal/config"
	"starloom/internal/outcome"
	"starloom/nic"
	"starloom/traces"
)

// Faults of processors happen at the boundary of a slot, between what the slot before has brought
// and the handlers, in both engines alike. Those of media are the transports'.

// faulted is a machine's part in its faults.
type faulted struct {
	plan       *fabric.Faults
	processors bool    // some fault is one of processors
	dead       []uint8 // by processor: 1 if a fault has killed it
}

// struck are the cells of one window that a fault has hit at this boundary, and what of the
// boundary has to be taken back when it ends in its middle.
type struck struct {
	killed, restarted, called []uint32
	turned                    []int // processors that have died or come back, in order
}

// newFaulted returns that of a plan, nil for none.
func newFaulted(c *config.Config, processors int) *faulted {
	if len(c.Faults) == 0 {
		return nil
	}
	plan := fabric.NewFaults(c.Network.Names(), slices.Clone(c.Faults), c.Seed)
	return &faulted{plan: plan, processors: plan.On(false), dead: make([]uint8, processors)}
}

// reset begins a run with a seed.
func (f *faulted) reset(seed uint64) {
	f.plan.Reset(seed)
	clear(f.dead)
}

// shrink gives the processors of a bank their FIFOs.
func (f *faulted) shrink(bank *nic.Bank) {
	for i := range f.plan.All {
		if fault := &f.plan.All[i]; fault.Kind == fabric.FaultBuffers {
			fault.Targets.Each(bank.First, bank.First+bank.Cells, func(processor int) {
				bank.Shrink(processor-bank.First, fault.RxFrames, fault.TxFrames)
			})
		}
	}
}

// strike kills and restarts processors among some cells that lie side by side. The start
// handlers of those that restart run at once.
func (m *Machine) strike(shard *Shard, instance firmware.Instance, first, end int) {
	bank, l, hit := instance.Bank(), &shard.Ledger, &shard.struck
	hit.restarted = hit.restarted[:0]
	for i := range m.faults.plan.All {
		fault := &m.faults.plan.All[i]
		if fault.Kind != fabric.FaultDead && fault.Kind != fabric.FaultRestart {
			continue
		}
		fault.Targets.Each(bank.First+first, bank.First+end, func(processor int) {
			dies, cell := fault.Kind == fabric.FaultDead, processor-bank.First
			if dies && m.faults.dead[processor] != 0 || !m.faults.plan.Happens(i, processor, m.slot) {
				return
			}
			l.FaultActs[i].Note(m.slot, uint32(processor))
			l.Empty(processor, int(bank.Registers[cell].TxCount), dies, m.slot)
			if dies || m.faults.dead[processor] != 0 {
				hit.turned = append(hit.turned, processor)
			}
			if dies {
				m.faults.dead[processor] = 1
				bank.Silence(cell)
				hit.killed = append(hit.killed, uint32(cell))
				hit.restarted = slices.DeleteFunc(hit.restarted, func(c uint32) bool { return c == uint32(cell) })
				return
			}
			m.faults.dead[processor] = 0
			if !slices.Contains(hit.restarted, uint32(cell)) {
				hit.restarted = append(hit.restarted, uint32(cell))
			}
		})
	}
	if len(hit.restarted) == 0 {
		return
	}
	slices.Sort(hit.restarted)
	if m.held != nil {
		for _, cell := range hit.restarted {
			m.held.Restart(bank.First+int(cell), m.slot)
		}
	}
	call := m.Replay.begin(instance, callRestart, hit.restarted, m.slot)
	instance.Restart(hit.restarted)
	if m.stopped() {
		return
	}
	m.Replay.end(call, instance)
	if m.Meter != nil {
		m.meterRestart(shard, bank, hit.restarted, instance.Costs())
	}
}

// pause returns those of the cells that are to be called whose clocks run. The others are
// called as soon as they run again.
func (m *Machine) pause(shard *Shard, bank *nic.Bank, awake []uint32) []uint32 {
	hit := &shard.struck
	hit.called = append(hit.called[:0], awake...)
	for i := range m.faults.plan.All {
		if m.faults.plan.All[i].Kind != fabric.FaultPause {
			continue
		}
		hit.called = slices.DeleteFunc(hit.called, func(cell uint32) bool {
			processor := bank.First + int(cell)
			if !m.faults.plan.Happens(i, processor, m.slot) {
				return false
			}
			shard.Ledger.FaultActs[i].Note(m.slot, uint32(processor))
			bank.Wake(int(cell))
			return true
		})
	}
	return hit.called
}

// cut drops the frames for which smaller TX FIFOs have no room, and notes the handlers that have
// found none.
func (m *Machine) cut(shard *Shard, bank *nic.Bank, cells []uint32) {
	for _, cell := range cells {
		if bank.CutTx(int(cell)) {
			shard.Ledger.NoteSmall(bank.First+int(cell), m.slot, true)
		}
	}
}

// unstrike takes back which processors are dead, of a boundary that has ended in its middle.
func (m *Machine) unstrike(shard *Shard) {
	for _, processor := range shard.struck.turned {
		m.faults.dead[processor] ^= 1
	}
}

// killed reports whether a fault has killed a processor.
func (m *Machine) killed(processor int) bool { return m.faults != nil && m.faults.dead[processor] != 0 }

// dead has a 1 for each processor that a fault has killed; nil for no faults.
func (m *Machine) dead() []uint8 {
	if m.faults == nil {
		return nil
	}
	return m.faults.dead
}

// killedBefore reports whether a fault has killed a processor before the boundary that runs.
func (m *Machine) killedBefore(processor int) bool {
	killed := m.killed(processor)
	for i := range m.Shards {
		for _, turned := range m.Shards[i].struck.turned {
			if turned == processor {
				killed = !killed
			}
		}
	}
	return killed
}

// Harmed returns what faults do to the light of a medium in a slot.
func (m *Machine) Harmed(medium int, slot uint32) fabric.Effect {
	if m.faults == nil {
		return fabric.Unharmed
	}
	effect, _ := m.faults.plan.OnMedium(medium, slot)
	return effect
}

// faultReports are those of all faults, in the scenario's order.
func (m *Machine) faultReports() (reports []outcome.FaultReport) {
	if m.faults == nil {
		return nil
	}
	for i := range m.faults.plan.All {
		var sum fabric.FaultCount
		for k := range m.Shards {
			sum.Merge(&m.Shards[k].Ledger.FaultCounts[i])
		}
		kind := m.faults.plan.All[i].Kind
		report := outcome.FaultReport{Kind: fabric.FaultNames[kind], Count: sum.Count}
		if sum.Count > 0 {
			path := m.Names.Processor
			if kind.OnMedia() {
				path = m.Names.Link
			}
			report.First = &outcome.FaultFirst{Cycle: m.timing.SlotCycle(sum.Slot), Slot: uint64(sum.Slot), Path: path(int(sum.Index))}
		}
		reports = append(reports, report)
	}
	return reports
}

// faultNotes says which processors the rule finishes leaves out.
func (m *Machine) faultNotes() (notes []string) {
	dead, first := 0, 0
	for processor := range m.Shape.Processors() {
		if m.killed(processor) {
			if dead++; dead == 1 {
				first = processor
			}
		}
	}
	if dead > 0 {
		notes = append(notes, fmt.Sprintf("faults have killed %s, the first is %s: the rule finishes leaves them out", traces.Plural(dead, "processor", "processors"), m.Names.Processor(first)))
	}
	return notes
}
