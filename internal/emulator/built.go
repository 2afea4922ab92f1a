package emulator

import (
	"sort"

	"starloom/fabric"
	"starloom/fabric/plant"
	"starloom/fabric/stream"
	"starloom/firmware"
	"starloom/hw"
	"starloom/internal/config"
	"starloom/internal/rtl"
	"starloom/nic"
)

// built is what a machine is made of. All of it is made once, from the configuration and the options;
// what keeps the state of a run in it resets, saves and restores it itself: Machine.parts.
type built struct {
	Config  *config.Config
	options Options
	Network fabric.Network
	Shape   fabric.Shape
	Names   fabric.Names
	Program *fabric.Program // nil: an image of the user's
	timing  nic.Timing
	Rules   fabric.Rules
	armed   []bool // per slot of a step: must be free of collisions

	Host  *firmware.Host // nil for firmware in Go
	Image Image
	rom   fabric.ROM // nil if the network has none

	workers *hw.Workers
	Shards  []Shard
	Parking *parking // nil if every processor has a bank
	carrier
	RTL     *rtl.Devices // nil if everything is model
	Referee fabric.Referee
	ending  fabric.Ending // the referee if it ends the run, else nil
}

type carrier struct {
	transport fabric.Transport
	Hardware  plant.Hardware // it, in the cycle engine, else nil
	Plant     *plant.Plant   // it, in the cycle engine of a network with slots, else nil
	bare      *stream.Bare   // it, without firmware, else nil
	flying    stream.Flying  // it, if frames may take longer than a slot, else nil
}

// Image is what the report says of the firmware.
type Image struct {
	Name, SHA256 string
	probes       []string
	takesROM     bool     // known when an instance is made
	DataBytes    uint64   // of each instance
	stateBytes   uint64   // of each processor; 0 before an instance is made
	listenSlots  int      // columns of its listening table; 0 before
	announces    bool     // it may say itself that packets have arrived
	results      bool     // it may give results
	resultNames  []string // of their words, from 0 on
	Recursive    []string // functions that may call themselves
	checked      bool     // a checked build
	metered      []byte   // what a profile is made of, if handlers take time
}

// anyInstance is one of them, nil without firmware.
func (m *built) anyInstance() (any firmware.Instance) {
	if m.bare != nil {
		return nil
	}
	if m.Parking == nil {
		return m.Shards[0].Instances[0]
	}
	m.Parking.each(func(instance firmware.Instance) { any = instance })
	return any
}

func (m *built) Cell(processor int) (bank *nic.Bank, cell int) {
	instance, cell := m.InstanceOf(processor)
	return instance.Bank(), cell
}

func (m *built) InstanceOf(processor int) (instance firmware.Instance, cell int) {
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

func (m *built) unpark(instance firmware.Instance, b *block) {
	bank := instance.Bank()
	bank.Unpark(b.first, &b.parked)
	m.Referee.Tell(bank.First, bank.Workload)
}

func (m *built) show(b *block) firmware.Instance {
	p := m.Parking
	if p.shown != nil {
		p.give(p.shown)
	}
	p.shown = p.take(b.cells)
	m.unpark(p.shown, b)
	return p.shown
}

func (m *built) eachBank(visit func(*nic.Bank)) {
	for i := range m.Shards {
		for _, instance := range m.Shards[i].Instances {
			visit(instance.Bank())
		}
	}
}

func (m *Machine) endByRTL() {
	if m.RTL == nil || m.RTLFailed || !m.RTL.Failed() {
		return
	}
	m.Findings.add(m.RTL.Violation(uint64(m.timing.SlotCycles())))
	m.RTLFailed, m.ended = true, true
}
