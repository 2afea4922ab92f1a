package pops

import (
	"starloom/fabric"
	"starloom/hw"
)

// Build implements fabric.Network: the couplers that leave a group take the light of all
// its transmitters, and a fibre leads from each to its group.
func (p Network) Build(plant fabric.Plant) error {
	g, d := p.Groups, p.GroupSize
	leaves := make([]uint32, p.Processors()) // first coupler that leaves a processor's group
	for i := range leaves {
		leaves[i] = uint32(i / d * g)
	}
	hears := hw.Gather{Inputs: g} // a group's port is the group that the coupler comes from
	for to := range g {
		for from := range g {
			hears.Wires = append(hears.Wires, uint32(p.Coupler(from, to)))
		}
	}
	return fabric.Stars{Name: "coupler", Link: "fibre", Leaves: leaves, Fan: g, Hears: hears}.Build(plant)
}
