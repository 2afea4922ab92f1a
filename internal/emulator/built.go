package emulator

import (
	"sort"

	"starloom/fabric"
	"starloom/firmware"
	"starloom/nic"
)

// Image is what the report says of the firmware.
type Image struct {
	Name, SHA256 string
	probes       []string
	takesROM     bool     // known when an instance is made
	DataBytes    uint64   // of each instance
	stateBytes   uint64   // of each processor; 0 before an instance is made
	announces    bool     // it may say itself that packets have arrived
	results      bool     // it may give results
	Recursive    []string // functions that may call themselves
	checked      bool     // a checked build
}

// anyInstance is one of them.
func (m *Machine) anyInstance() (any firmware.Instance) {
	if m.Parking == nil {
		return m.Shards[0].Instances[0]
	}
	m.Parking.each(func(instance firmware.Instance) { any = instance })
	return any
}

// Cell returns the bank and the cell of a processor.
func (m *Machine) Cell(processor int) (bank *nic.Bank, cell int) {
	instance, cell := m.InstanceOf(processor)
	return instance.Bank(), cell
}

// InstanceOf returns the instance and the cell of a processor.
func (m *Machine) InstanceOf(processor int) (instance firmware.Instance, cell int) {
	unit := processor / m.Shape.PerUnit
	shard := &m.Shards[sort.Search(len(m.Shards), func(i int) bool { return m.Shards[i].shard.End > unit })]
	if m.Parking != nil {
		b := &shard.blocks[(unit-shard.shard.First)/fabric.BlockUnits]
		return m.show(b), processor - b.first
	}
	instances := shard.Instances
	k := sort.Search(len(instances), func(i int) bool {
		b := instances[i].Bank()
		return b.First+b.Cells > processor
	})
	return instances[k], processor - instances[k].Bank().First
}

// unpark gives a bank the processors of a block.
func (m *Machine) unpark(instance firmware.Instance, b *block) {
	bank := instance.Bank()
	bank.Unpark(b.first, &b.parked)
	m.Referee.Tell(bank.First, bank.Workload)
}

// show returns a bank with the processors of a block, to look at.
func (m *Machine) show(b *block) firmware.Instance {
	p := m.Parking
	if p.shown != nil {
		p.give(p.shown)
	}
	p.shown = p.take(b.cells)
	m.unpark(p.shown, b)
	return p.shown
}

// eachProcessor calls f for all processors in order, but for blocks of parked ones that are
// all done, without a fault and with nothing left to send.
func (m *Machine) eachProcessor(f func(bank *nic.Bank, cell int)) {
	for i := range m.Shards {
		for k := range m.Shards[i].blocks {
			if b := &m.Shards[i].blocks[k]; !b.calm || b.wakes && b.next == m.slot+1 {
				bank := m.show(b).Bank()
				for cell := range bank.Registers {
					f(bank, cell)
				}
			}
		}
		for _, instance := range m.Shards[i].Instances {
			bank := instance.Bank()
			for cell := range bank.Registers {
				f(bank, cell)
			}
		}
	}
}

// eachBank calls visit for the banks of all instances.
func (m *Machine) eachBank(visit func(*nic.Bank)) {
	for i := range m.Shards {
		for _, instance := range m.Shards[i].Instances {
			visit(instance.Bank())
		}
	}
}
