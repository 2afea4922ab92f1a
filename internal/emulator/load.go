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
	if m.Parking != nil { // unpark tells the workload
		m.Parking.each(func(instance firmware.Instance) { m.writeROM(instance.Bank()) })
	}
	return m.startArbiters()
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

func (m *Machine) loadWorkload() error {
	load := fabric.Load{Workload: &m.Config.Workload, Seed: m.Seed, Shards: len(m.Shards),
		Table: m.options.RunTable, Results: &m.Results}
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
	var witness fabric.Witness // sees every frame for run tables
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

func (s *scheduled) plan(network fabric.Network, name string, referee fabric.Referee, processors int) (err error) {
	if s.words == nil {
		s.words = make([]uint64, processors)
		s.change = func(processor int, word uint64) { s.changed = append(s.changed, wordOf{processor, word}) }
	}
	s.Schedule, err = fabric.ScheduleOf(network, name, referee)
	s.Sparse, _ = s.Schedule.(fabric.Sparse)
	return err
}

// fillWords computes the schedule words of the beginning slot; for a sparse schedule, only the changed words.
func (s *scheduled) fillWords(begins uint32) {
	s.changed = s.changed[:0]
	switch slot := int(begins); {
	case s.Schedule == nil || slot > s.Schedule.Slots():
	case s.Sparse != nil:
		s.Sparse.Changes(slot, s.change)
	default:
		s.Schedule.Words(slot, s.words)
	}
}

func (m *Machine) tell(shard int, bank *nic.Bank) {
	if m.offering != nil {
		m.offering.Offer(shard, bank, m.slot)
		return
	}
	m.setWords(bank)
}

func (s *scheduled) setWords(bank *nic.Bank) {
	if s.Sparse == nil {
		bank.SetSchedule(s.words[bank.First : bank.First+bank.Cells])
		return
	}
	for _, c := range s.changed {
		if cell := c.processor - bank.First; cell >= 0 && cell < bank.Cells {
			bank.SetScheduleWord(cell, c.word)
		}
	}
}
