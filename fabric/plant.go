package fabric

import (
	"starloom/hw"
	"starloom/nic"
)

// Plant is the hardware of the cycle engine as a network sees it. The network builds its media between the
// transmitters and banks.
type Plant interface {
	Shape() Shape
	Timing() nic.Timing
	// Clock is the global clock, Shards are the machine's shards in units, and Seed is the seed of the first run.
	Clock() *hw.Clock
	Shards() []hw.Shard
	Seed() uint64
	// Transmitters returns the transmitters of all NICs. If NICs have a transmitter and a receiver per port, these
	// are adjacent, port by port; each has port 0 only, and Media.Hears has as many inputs per processor.
	Transmitters() *nic.Serialisers
	// BankOf returns a processor's bank and its cell there.
	BankOf(processor int) (bank *nic.Bank, cell int)
	// Bank names a bank of perUnit elements per unit, or of parts of the elements.
	Bank(name, part string, perUnit int) hw.Bank
	// Light returns a wire per element of a bank. readers are the units that read each element, nil if each element
	// is read by its own unit.
	Light(bank hw.Bank, readers []uint32) (*hw.Light, error)
	// Carry sets the media.
	Carry(m Media) error
}

// Media carries light from transmitters to receivers.
type Media struct {
	Medium Medium    // component in which frames meet; RTL may replace an element if the component is hw.Sited
	Links  *hw.Fibre // fibres from Medium to Far
	Far    *hw.Light // far end of each medium
	Hears  hw.Gather // media heard by the ports of a unit's receivers
	// Whole means that all light of a frame that is alone on its medium crosses the medium in the cycle in which it
	// is sent, and all phits share the fate of the first. Then frames can be predicted.
	Whole bool

	// Filters are the filters of outputs (by receiver; Addressed, or Mixed). Parts are the components between
	// transmitters and Medium.
	Filters interface {
		Take(output int, listens bool, tag uint16)
	}
	Parts []hw.Component
	// Composites may replace some of Parts.
	Composites []hw.Composite
	// Collided reports whether a processor's frame of this slot has collided; it is nil unless the medium reports
	// collisions. Reseed sets the seed of a run; it is nil for hardware without randomness.
	Collided func(processor int) bool
	Reseed   func(seed uint64)
}

// Medium is a component in which frames meet, with an element per medium.
type Medium interface {
	hw.Component
	// Reached returns the medium of a transmitter's port.
	Reached(transmitter, port int) int
	// Violated returns the media of a shard that have had a collision since ClearSlot, unordered. Met reports whether
	// a medium is among them.
	Violated(shard int) []uint32
	Met(medium int) bool
	ClearSlot(shard int)
}

// Stars is the wiring of passive stars, each with a link to its listeners, as in most passive networks. Ports 0 to
// Fan-1 of transmitter i lead to the media from Leaves[i] on, all in the transmitter's own unit. With AllPorts a
// transmitter stands for a port, and Fan is 1.
type Stars struct {
	Name, Link string   // names of the media in their unit, and of the links
	Leaves     []uint32 // by transmitter: its first medium
	Fan        int
	Hears      hw.Gather // by unit: media heard by its receivers, port by port
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
	return p.Carry(Media{Medium: stars, Links: links, Far: far, Hears: s.Hears, Whole: true})
}
