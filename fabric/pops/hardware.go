package pops

import (
	"starloom/fabric"
	"starloom/hw"
)

// Build implements fabric.Network: the couplers that leave a group take the light of all
// its transmitters, and a fibre leads from each to its group.
func (p Network) Build(plant *fabric.Plant) error {
	g, d := p.Groups, p.GroupSize
	leaves := make([]uint32, p.Processors()) // first coupler that leaves a processor's group
	ends := make([]uint32, p.Processors())   // first coupler that ends there
	for i := range leaves {
		leaves[i], ends[i] = uint32(i/d*g), uint32(i/d)
	}
	readers := make([]uint32, p.Couplers()) // the group at the end
	for c := range readers {
		readers[c] = uint32(c % g)
	}
	tx := plant.Transmitters()
	near, err := plant.Light("coupler", "", g, nil)
	if err != nil {
		return err
	}
	couplers, err := hw.NewStarCouplers(tx.Light(), tx.Ports(), near, leaves, g)
	if err != nil {
		return err
	}
	far, err := plant.Light("coupler", "fibre", g, readers)
	if err != nil {
		return err
	}
	fibre, err := hw.NewFibre(far.Bank().Path(), plant.Clock(), near, far, plant.Timing().PropagationCycles)
	if err != nil {
		return err
	}
	return plant.Carry(fabric.Media{
		Couplers: couplers, Links: fibre, Near: near, Far: far,
		Sends: fabric.Ways{Base: leaves, Stride: 1}, Hears: fabric.Ways{Base: ends, Stride: uint32(g)},
	}, readers)
}
