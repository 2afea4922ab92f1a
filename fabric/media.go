package fabric

import (
	"starloom/hw"
)

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
