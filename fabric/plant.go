package fabric

import (
	"starloom/hw"
	"starloom/nic"
)

// Plant is the hardware of the cycle engine as a network sees it that builds its media: transmitters and banks
// on one side, and Carry on the other.
type Plant interface {
	// Shape is that of the network, Timing the shape of a slot.
	Shape() Shape
	Timing() nic.Timing
	// Clock is the one clock, Shards are those of the machine, in units, and Seed is that of the first run.
	Clock() *hw.Clock
	Shards() []hw.Shard
	Seed() uint64
	// Transmitters are those of all NICs. Where a NIC has one of them and one receiver for every port,
	// they stand side by side, port by port: the one medium of a transmitter is its port 0, and
	// Media.Hears has as many inputs for each processor.
	Transmitters() *nic.Serialisers
	// BankOf returns a processor's bank and its cell there.
	BankOf(processor int) (bank *nic.Bank, cell int)
	// Bank names perUnit elements for each unit, or parts of them.
	Bank(name, part string, perUnit int) hw.Bank
	// Light makes a wire for every element of a bank; readers is by whose shard each is read, in units, nil for the
	// unit that it belongs to.
	Light(bank hw.Bank, readers []uint32) (*hw.Light, error)
	// Carry takes the media.
	Carry(m Media) error
}

// Media is what carries light from transmitters to receivers.
type Media struct {
	Medium Medium    // where frames meet, an element for each medium; RTL may stand for one that is hw.Sited
	Links  *hw.Fibre // to Far
	Far    *hw.Light // of each medium
	Hears  hw.Gather // the media that the ports of a unit's receivers hear
	// Whole says that a frame which is alone on its medium crosses it whole: all that is lit there, and before it, is lit in the cycle
	// in which it is sent, and what becomes of the first phit becomes of all. Then frames may be foreseen.
	Whole bool

	// Filters are where outputs have to be asked for (Shape.Addressed): who takes the request of
	// which processor, or with Mixed of which receiver. Parts are the components between the transmitters and Medium.
	Filters interface {
		Take(output int, listens bool, tag uint16)
	}
	Parts []hw.Component
	// Composites may stand for some of Parts.
	Composites []hw.Composite
	// Collided reports whether what a processor has sent in this slot has met another frame,
	// where the medium tells; nil for none that does. Reseed gives a run another seed, nil for
	// hardware that draws nothing.
	Collided func(processor int) bool
	Reseed   func(seed uint64)
}

// Medium is a component in which frames meet, with an element for each medium.
type Medium interface {
	hw.Component
	// Reached returns the medium that a transmitter's port leads to.
	Reached(transmitter, port int) int
	// Violated returns the media of a shard on which frames have met since ClearSlot, in no
	// particular order; Met reports whether a medium is one of them.
	Violated(shard int) []uint32
	Met(medium int) bool
	ClearSlot(shard int)
}

// Stars is the wiring of passive stars with a link from each to those who hear it: what most
// passive networks are. Transmitter i reaches the media Leaves[i] to Leaves[i]+Fan-1 with its ports
// in this order, all of them of its own unit; with AllPorts a transmitter is a port, and Fan is 1.
type Stars struct {
	Name, Link string   // of the media in their unit, and of the links
	Leaves     []uint32 // by transmitter: the first medium that it reaches
	Fan        int
	Hears      hw.Gather // by unit: the media that its receivers hear, port by port
}

// Build puts them between the transmitters and the receivers of a plant.
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
