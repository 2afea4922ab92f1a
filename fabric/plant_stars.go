package fabric

import "starloom/hw"

// Stars is the wiring of passive stars with a link from each to those who hear it: what most
// passive networks are. Transmitter i reaches the media Leaves[i] to Leaves[i]+Fan-1 with its ports
// in this order, all of them of its own unit; with AllPorts a transmitter is a port, and Fan is 1.
type Stars struct {
	Name, Link string   // of the media in their unit, and of the links
	Leaves     []uint32 // by transmitter: the first medium that it reaches
	Fan        int
	Hears      hw.Gather // by unit: the media that its receivers hear, port by port
}

// CarryStars puts passive stars between the transmitters and the receivers of a plant.
func (t *Plant) CarryStars(s Stars) error {
	perUnit := t.shape.Media / t.shape.Units
	readers, err := s.Hears.Readers(t.shape.Media)
	if err != nil {
		return err
	}
	near, err := t.Light(s.Name, "", perUnit, nil)
	if err != nil {
		return err
	}
	stars, err := hw.NewStarCouplers(t.serialisers.Light(), t.serialisers.Ports(), near, s.Leaves, s.Fan)
	if err != nil {
		return err
	}
	far, err := t.Light(s.Name, s.Link, perUnit, readers)
	if err != nil {
		return err
	}
	links, err := hw.NewFibre(far.Bank().Path(), t.Clock(), near, far, t.timing.PropagationCycles)
	if err != nil {
		return err
	}
	return t.Carry(Media{Medium: stars, Links: links, Far: far, Hears: s.Hears, Whole: true})
}
