package crossbar

import (
	"errors"

	"starloom/fabric"
	"starloom/hw"
)

// Build implements fabric.Network:
//
//	asks --> filters --> arbiters
//	                         | grants
//	light ------------> crosspoints --> outputs (couplers) --> links
//
// The transmitters ask in the arbitration cycle; in the next one the arbiters show whom they
// grant, and hold that to the end of the frame.
func (x Network) Build(plant *fabric.Plant) error {
	x = x.settled()
	if x.Matching != MatchHead || x.Cap != 0 {
		return errors.New("not built yet")
	}
	n, tx, shards := x.Ports, plant.Transmitters(), plant.Shards()
	lines, err := hw.NewRequests(plant.Bank("output", "arbiter", n), "request", n, shards)
	if err != nil {
		return err
	}
	filters, err := hw.NewFilters(plant.Bank("output", "filter", n), tx.Asks(), lines)
	if err != nil {
		return err
	}
	arbiters, err := hw.NewArbiters(hw.ArbiterConfig{Bank: plant.Bank("output", "arbiter", n), Kind: kindOf(x.Arbiter), Request: lines})
	if err != nil {
		return err
	}
	gated, err := plant.Light("input", "", n, nil)
	if err != nil {
		return err
	}
	crosspoints, err := hw.NewCrosspoints(tx.Light(), tx.Asks(), arbiters.Busy(), arbiters.Index(), gated)
	if err != nil {
		return err
	}
	tx.Await(crosspoints.To())

	outputs := hw.Gather{Inputs: n}
	for i := range n {
		outputs.Wires = append(outputs.Wires, uint32(i))
	}
	readers, err := outputs.Readers(n)
	if err != nil {
		return err
	}
	near, err := plant.Light("output", "", n, nil)
	if err != nil {
		return err
	}
	couplers, err := hw.NewStarCouplers(gated, crosspoints.To(), near, make([]uint32, n), n)
	if err != nil {
		return err
	}
	far, err := plant.Light("output", "link", n, readers)
	if err != nil {
		return err
	}
	links, err := hw.NewFibre(far.Bank().Path(), plant.Clock(), near, far, plant.Timing().PropagationCycles)
	if err != nil {
		return err
	}
	return plant.Carry(fabric.Media{
		Couplers: couplers, Links: links, Far: far, Hears: outputs,
		Filters: filters, Parts: []hw.Component{filters, arbiters, crosspoints},
	})
}
