package fabric

import (
	"starloom/hw"
	"starloom/nic"
)

// Plant is a network's view of the hardware of the cycle engine. The network builds its media between the plant's
// transmitters and banks.
type Plant interface {
	Shape() Shape
	Timing() nic.Timing
	// Clock is the global clock, Shards are the machine's shards in units, and Seed is the seed of the first run.
	Clock() *hw.Clock
	Shards() []hw.Shard
	Seed() uint64
	// Transmitters returns the transmitters of all NICs. If NICs have a transmitter and a receiver per port, the
	// transmitters of a NIC are adjacent in port order; each has only port 0, and Media.Hears has equally many inputs
	// per processor.
	Transmitters() *nic.Serialisers
	// BankOf returns a processor's bank and its cell in the bank.
	BankOf(processor int) (bank *nic.Bank, cell int)
	// Bank names a bank with perUnit elements per unit, or with a part in each element.
	Bank(name, part string, perUnit int) hw.Bank
	// Light returns a wire per element of a bank. readers are the units that read each element; nil if each unit
	// reads its own elements.
	Light(bank hw.Bank, readers []uint32) (*hw.Light, error)
	// Carry sets the media.
	Carry(m Media) error
}

// Media carries light from transmitters to receivers.
type Media struct {
	Medium Medium    // component in which frames meet; RTL may replace elements of an hw.Sited component
	Links  *hw.Fibre // fibres from Medium to Far
	Far    *hw.Light // far end of each medium
	Hears  hw.Gather // by port of a unit's receivers: the medium at the port
	// Whole means that all phits of a frame alone on its medium cross the medium in the cycle in which they are sent,
	// and share the fate of the first phit. Frames are then predictable.
	Whole bool
	// Apart means that frames meet only on the same medium. They are then predictable before their first phits.
	Apart bool

	// Filters are the filters of the outputs, by receiver (Addressed or Mixed). Parts are the components between
	// transmitters and Medium.
	Filters interface {
		Take(output int, listens bool, tag uint16)
	}
	Parts []hw.Component
	// Composites may replace some of Parts.
	Composites []hw.Composite
	// Collided reports whether a processor's frame in this slot has collided; nil if the medium does not report
	// collisions. Reseed sets the seed of a run; nil for hardware without randomness.
	Collided func(processor int) bool
	Reseed   func(seed uint64)
}

// Medium is a component in which frames meet, with an element per medium.
type Medium interface {
	hw.Component
	// Reached returns the medium of a transmitter's port.
	Reached(transmitter, port int) int
	// Violated returns the media of a shard with a collision since ClearSlot, unordered. Met reports whether Violated
	// contains a medium.
	Violated(shard int) []uint32
	Met(medium int) bool
	ClearSlot(shard int)
}

// Stars is the wiring of passive stars, each with a link to its listeners, as in most passive networks. Ports 0 to
// Fan-1 of transmitter i lead to consecutive media from Leaves[i] on, in the transmitter's unit. With AllPorts each
// transmitter is one port, and Fan is 1.
type Stars struct {
	Name, Link string   // names of the media in their unit, and of the links
	Leaves     []uint32 // by transmitter: its first medium
	Fan        int
	Hears      hw.Gather // by unit: media at its receivers, port by port
}

// Build adds the stars and links to a plant.
func (s Stars) Build(p Plant) error {
	shape, tx := p.Shape(), p.Transmitters()
	perUnit := shape.Media / shape.Units
	readers, err := s.Hears.Readers(shape.Media)
	if err != nil {
		return err
	}
	near, err := p.Light(p.Bank(s.Name, "", perUnit), nil)
	if err != nil {
		return err
	}
	stars, err := hw.NewStarCouplers(tx.Light(), tx.Ports(), near, s.Leaves, s.Fan)
	if err != nil {
		return err
	}
	far, err := p.Light(p.Bank(s.Name, s.Link, perUnit), readers)
	if err != nil {
		return err
	}
	links, err := hw.NewFibre(far.Bank().Path(), p.Clock(), near, far, p.Timing().PropagationCycles)
	if err != nil {
		return err
	}
	return p.Carry(Media{Medium: stars, Links: links, Far: far, Hears: s.Hears, Whole: true, Apart: true})
}
