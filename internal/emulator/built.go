package emulator

import (
	"sort"

	"starloom/fabric"
	"starloom/fabric/plant"
	"starloom/fabric/stream"
	"starloom/firmware"
	"starloom/firmware/variables"
	"starloom/hw"
	"starloom/internal/config"
	"starloom/internal/rtl"
	"starloom/nic"
)

// built holds everything that New builds from configuration and options and that is constant afterwards. Members with
// run state (Machine.parts) reset, save and restore themselves.
type built struct {
	Config  *config.Config
	options Options
	Network fabric.Network
	Shape   fabric.Shape
	Names   fabric.Names
	Program *fabric.Program // nil for a user's image
	timing  nic.Timing
	Rules   fabric.Rules
	armed   []bool // by slot of a step: collision_free applies

	Host   *firmware.Host // nil for firmware in Go
	chosen *givenDraws    // nil without draws chosen by the scenario
	Image  Image
	rom    fabric.ROM // nil without ROM

	workers *hw.Workers
	Shards  []Shard
	Parking *parking // nil if every processor has a separate bank
	carrier
	RTL     *rtl.Devices // nil without RTL
	Referee fabric.Referee
	ending  fabric.Ending // Referee if it can end the run, otherwise nil
}

type carrier struct {
	transport fabric.Transport
	Hardware  plant.Hardware // transport in the cycle engine, otherwise nil
	Plant     *plant.Plant   // transport in the cycle engine of a slotted network, otherwise nil
	bare      *stream.Bare   // transport of a machine without firmware, otherwise nil
	flying    stream.Flying  // transport whose frames may take longer than a slot, otherwise nil
}

// Image describes the firmware for the report.
type Image struct {
	Name, SHA256 string
	probes       []string
	takesROM     bool     // set by the first instance
	DataBytes    uint64   // data bytes of an instance
	stateBytes   uint64   // size of a processor's state in bytes, set by the first instance
	listenSlots  int      // number of columns of the listening table, set by the first instance
	announces    bool     // the firmware can announce deliveries
	results      bool     // the firmware can return results
	resultNames  []string // names of the result words, from word 0
	Recursive    []string // functions that may recurse
	checked      bool
	riscV        bool
	metered      []byte // metered WebAssembly for profiles; nil if handlers take no time

	// layout locates the variables of a state; nil for handlers in Go.
	layout func(stateBytes int) (*variables.Layout, error)
}

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
