package netlist

import (
	"fmt"

	"starloom/fabric"
)

// Of is the netlist of another network, whose NICs send to one port or to all at once and do not ask: the same
// numbers, names and words. What makes a network more than its wiring is not in it.
func Of(n fabric.Network) (*Net, error) {
	shape, names := n.Shape(), n.Names()
	net := &Net{Name: n.Kind(), Words: shape.Words}
	switch shape.Discipline.(type) {
	case nil, fabric.OnePort:
		net.OnePort = true
	case fabric.AllPorts:
	default:
		return nil, fmt.Errorf("%s: NICs of a netlist send to one port, or at all at once; these are %T", n.Kind(), shape.Discipline)
	}
	wiring := fabric.WiringOf(n)
	net.one, net.many = names.MediumNoun()
	for i := range shape.Processors() {
		p := Processor{Path: names.Processor(i)}
		for port := range shape.PortsOf(i) {
			at := i*shape.Ports + port
			p.Ports = append(p.Ports, Port{Path: names.Port(i, uint16(port)), Sends: medium(wiring.Sends[at]), Hears: medium(wiring.Hears[at])})
		}
		net.Processors = append(net.Processors, p)
	}
	for i := range shape.Media {
		m := Medium{Path: names.Medium(i), Link: names.Link(i), Star: net.OnePort, Latency: Usual, Opposite: None}
		if wiring.Opposite != nil && int(wiring.Opposite[i]) != i {
			m.Opposite, m.Pair = int(wiring.Opposite[i]), m.Path+".link"
		}
		net.Media = append(net.Media, m)
	}
	return net.finish(), nil
}
