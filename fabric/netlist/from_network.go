package netlist

import (
	"fmt"
	"slices"

	"starloom/fabric"
	"starloom/fabric/contend"
)

// Of converts another network to a netlist with the same numbers, names and words. The netlist has the wiring of the
// network, but none of its other abilities. Of returns an error if NICs of a netlist cannot replace the network's
// NICs.
func Of(n fabric.Network) (*Net, error) {
	shape, names := n.Shape(), n.Names()
	net := &Net{Name: n.Kind(), Words: shape.Words}
	length := 0
	switch d := shape.Discipline.(type) {
	case nil, fabric.OnePort:
		net.OnePort = true
	case fabric.AllPorts:
	case fabric.Switched:
		net.Switch, length = true, d.Most
	case fabric.Arbitrated:
		net.Switch, length = true, d.Most
	case fabric.Addressed:
	default:
		return nil, fmt.Errorf("%s: NICs of a netlist send to one port, at all at once, have one switch, or ask for the "+
			"output of a destination;"+
			" these are %T", n.Kind(), shape.Discipline)
	}
	wiring := fabric.WiringOf(n)
	net.one, net.many = names.MediumNoun()
	for i := range shape.Processors() {
		p := Processor{Path: names.Processor(i)}
		for port := range shape.PortsOf(i) {
			at := i*shape.Ports + port
			p.Ports = append(p.Ports,
				Port{Path: names.Port(i, uint16(port)), Sends: medium(wiring.Sends[at]), Hears: medium(wiring.Hears[at])})
		}
		net.Processors = append(net.Processors, p)
	}
	for i := range shape.Media {
		m := Medium{Path: names.Medium(i), Link: names.Link(i), Star: net.OnePort ||
			net.Switch, Latency: Usual, Opposite: None}
		if wiring.Opposite != nil && int(wiring.Opposite[i]) != i {
			m.Opposite, m.Pair = int(wiring.Opposite[i]), m.Path+".link"
		}
		net.Media = append(net.Media, m)
	}
	net.takeCredits(n)
	if err := net.contend(n, length); err != nil {
		return nil, err
	}
	return net.finish(), nil
}

func (n *Net) contend(of fabric.Network, length int) error {
	switch of := of.(type) {
	case interface{ Contended() *contend.Buses }:
		buses, taps := of.Contended(), of.Contended().Taps
		for i := range n.Media {
			m := &n.Media[i]
			m.Bus, m.Length = true, length
			if buses.Arbiter != contend.None {
				m.Arbiter = buses.Arbiter.String()
				if i < len(buses.Weights) {
					m.Weights = buses.Weights[i]
				}
			}
			for _, processor := range taps.Members[i] {
				m.Taps = append(m.Taps, Tap{processor, slices.Index(taps.Bus[processor], uint32(i))})
			}
		}
	case interface{ Contended() contend.Crossbar }:
		x := Crossbar{Crossbar: of.Contended()}
		for i := range n.Processors {
			n.Processors[i].Ports[0].Sends, n.Processors[i].Ports[0].Asks = None, 1
			x.Taps = append(x.Taps, Tap{i, 0})
		}
		n.Crossbars = []Crossbar{x}
	default:
		if n.Switch || of.Shape().Asks() {
			return fmt.Errorf("%s: its NICs share media, but it does not name them", of.Kind())
		}
	}
	return nil
}
