package ej

import (
	"starloom/fabric"
	"starloom/fabric/ej/eisenstein"
	"starloom/hw"
)

const fibre = "fibre"

// Build implements fabric.Network.
//
//	node v                                        neighbour w = v + rho^j, j = 0, 1, 2
//	transmitter j ----> [ link j ] ---- out ---- fibre ----> receiver j+3
//	receiver j <---- fibre ---- in ---- [ of v ] <---- transmitter j+3
//
// All links of a network are half duplex, or all are full duplex. With credits, every port has a counter.
func (e Network) Build(plant fabric.Plant) error {
	t := e.torus()
	bank := func(part string, labels []string) hw.Bank {
		b := plant.Bank("link", part, len(labels))
		b.Labels = labels
		return b
	}
	hears := e.hears(t)
	readers, err := hears.Readers(len(hears.Wires))
	if err != nil {
		return err
	}
	near, err := plant.Light(bank("", e.mediumLabels()), nil)
	if err != nil {
		return err
	}
	far, err := plant.Light(bank(fibre, e.mediumLabels()), readers)
	if err != nil {
		return err
	}
	from, to := e.ends(t)
	links, err := hw.NewDuplexLinks(hw.DuplexLinkConfig{
		Bank: bank("", e.linkLabels()), Half: e.Duplex != DuplexFull, In: plant.Transmitters().Light(),
		Out: near, From: from, To: to,
	})
	if err != nil {
		return err
	}
	fibres, err := hw.NewFibre(far.Bank().Path(), plant.Clock(), near, far, plant.Timing().PropagationCycles)
	if err != nil {
		return err
	}
	return plant.Carry(fabric.Media{Medium: links, Links: fibres, Far: far, Hears: hears, Whole: true})
}

func (e Network) hears(t *eisenstein.Torus) hw.Gather {
	g := hw.Gather{Inputs: e.ports()}
	for port := range e.nodes() * e.ports() {
		g.Wires = append(g.Wires, uint32(e.heardOn(t, port/e.ports(), port%e.ports())))
	}
	return g
}

func (e Network) ends(t *eisenstein.Torus) (from, to []uint32) {
	for port := range e.nodes() * e.ports() {
		node, own := port/e.ports(), port%e.ports()
		if own%directions >= directions/2 {
			continue
		}
		other := t.Neighbour(node, own/directions+1, own%directions)*e.ports() + opposite(own)
		from = append(from, uint32(port), uint32(other))
		to = append(to, uint32(port), uint32(port+directions/2))
	}
	return from, to
}
