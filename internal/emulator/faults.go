package emulator

import (
	"slices"

	"starloom/fabric"
	"starloom/firmware"
	"starloom/nic"
)

func (m *Machine) strike(shard *Shard, instance firmware.Instance, first, end int) {
	bank, l, hit := instance.Bank(), &shard.Ledger, &shard.struck
	hit.restarted = hit.restarted[:0]
	for i := range m.faults.plan.All {
		fault := &m.faults.plan.All[i]
		if fault.Kind != fabric.FaultDead && fault.Kind != fabric.FaultRestart {
			continue
		}
		from, to := bank.First+first, bank.First+end
		for processor := fault.Targets.Next(from, to); processor < to; processor = fault.Targets.Next(processor+1, to) {
			dies, cell := fault.Kind == fabric.FaultDead, processor-bank.First
			if dies && m.faults.dead[processor] != 0 || !m.faults.plan.Happens(i, processor, m.slot) {
				continue
			}
			l.FaultActs[i].Note(m.slot, uint32(processor))
			goOn := 0
			if m.flying != nil {
				goOn = m.flying.Forget(processor)
			}
			l.Empty(processor, int(bank.Registers[cell].TxCount), goOn, dies, m.slot)
			if dies || m.faults.dead[processor] != 0 {
				hit.turned = append(hit.turned, processor)
			}
			if dies {
				m.faults.dead[processor] = 1
				bank.Silence(cell)
				hit.killed = append(hit.killed, uint32(cell))
				hit.restarted = slices.DeleteFunc(hit.restarted, func(c uint32) bool { return c == uint32(cell) })
				continue
			}
			m.faults.dead[processor] = 0
			if !slices.Contains(hit.restarted, uint32(cell)) {
				hit.restarted = append(hit.restarted, uint32(cell))
			}
		}
	}
	if len(hit.restarted) == 0 {
		return
	}
	slices.Sort(hit.restarted)
	for _, cell := range hit.restarted {
		hit.begun = append(hit.begun, bank.First+int(cell))
		if m.held != nil {
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
		shard.meter.noteRestart(m.Meter, m.slot, bank, hit.restarted, instance.Costs())
	}
}

// pause returns the awake cells that are not paused. Paused cells are called when their pause ends.
func (m *Machine) pause(shard *Shard, bank *nic.Bank, awake []uint32) []uint32 {
	hit := &shard.struck
	hit.called = append(hit.called[:0], awake...)
	if script := m.faults.plan.Script; script != nil {
		for _, cell := range awake {
			script.Due.Add(bank.First + int(cell))
		}
	}
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

// cut drops frames beyond the depth of TX FIFOs that a fault has shrunk, and records the processors of these FIFOs.
func (m *Machine) cut(shard *Shard, bank *nic.Bank, cells []uint32) {
	for _, cell := range cells {
		if bank.CutTx(int(cell)) {
			shard.Ledger.NoteSmall(bank.First+int(cell), m.slot, true)
		}
	}
}

func (m *Machine) unstrike(shard *Shard) {
	for _, processor := range shard.struck.turned {
		m.faults.dead[processor] ^= 1
	}
}

func (m *Machine) killedBefore(processor int) bool {
	killed := m.faults.killed(processor)
	for i := range m.Shards {
		for _, turned := range m.Shards[i].struck.turned {
			if turned == processor {
				killed = !killed
			}
		}
	}
	return killed
}
