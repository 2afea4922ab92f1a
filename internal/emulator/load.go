package emulator

import (
	"starloom/fabric"
	"starloom/firmware"
	"starloom/hw"
	"starloom/nic"
)

func (m *Machine) load() error {
	if err := m.loadWorkload(); err != nil {
		return err
	}
	for i := range m.Shards {
		for _, instance := range m.Shards[i].Instances {
			bank := instance.Bank()
			m.Referee.Tell(bank.First, bank.Workload)
			m.writeROM(bank)
		}
	}
	if m.Parking != nil { // who is unparked is told then
		m.Parking.each(func(instance firmware.Instance) { m.writeROM(instance.Bank()) })
	}
	return nil
}

func (m *Machine) writeROM(bank *nic.Bank) {
	if !bank.TakesROM {
		return
	}
	for cell := range bank.Cells {
		m.rom.Processor(bank.First+cell, m.Seed, bank.ROM[cell*bank.ROMWords:(cell+1)*bank.ROMWords])
	}
	m.rom.Machine(m.Seed, bank.Machine)
}

func firmwareSeed(seed uint64) uint64 { return uint64(hw.NewStream(seed, hw.PurposeFirmware)) }

// loadWorkload works out what a run has to carry, and the schedule of firmware that
// takes one.
func (m *Machine) loadWorkload() error {
	load := fabric.Load{Workload: &m.Config.Workload, Seed: m.Seed, Shards: len(m.Shards), Table: m.options.RunTable, Results: &m.Results}
	if m.Given != nil {
		load.Workload = &fabric.Workload{Permutation: fabric.Permutation{Kind: fabric.PermutationList, List: m.Given}}
	}
	if caller, ok := m.anyInstance().(firmware.Caller); ok {
		load.Call = caller.Call
	}
	if err := m.Referee.Load(&load); err != nil {
		return m.Config.Source.Refusal(err)
	}
	m.countDue()
	var witness fabric.Witness // a referee that keeps a table sees every frame
	if _, tabled := m.Referee.(fabric.Tabled); tabled && load.Table {
		witness = m.Referee.Witness(m.Image.announces)
	}
	for i := range m.Shards {
		m.Shards[i].Ledger.Overhears = m.Referee.Overhears()
		if witness != nil {
			m.Shards[i].Ledger.Witness = witness
		}
	}
	return m.planSchedule()
}

func (m *Machine) planSchedule() error {
	name := m.Config.Firmware.Schedule
	if name == "" || m.offering != nil {
		return nil
	}
	return m.Config.Source.Refusal(m.plan(m.Network, name, m.Referee, m.Shape.Processors()))
}
