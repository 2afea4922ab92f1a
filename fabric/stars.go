package fabric

import (
	"starloom/hw"
)

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
