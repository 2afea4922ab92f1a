package fabric

import "starloom/nic"

// Wiring is who drives and who hears each medium of a passive network, as index slices: the one
// description of which both engines can be made. Entry processor*Shape.Ports+port is a port.
type Wiring struct {
	Sends []uint32 // by port: the medium that it leads to
	Hears []uint32 // by port: the medium that it hears
	// Opposite is, by medium, the one that carries the other direction of the same half-duplex
	// link: frames on both meet. Nil: none does.
	Opposite []uint32
}

// WiringOf returns what a network's names say of it: where each port sends, and what it hears.
func WiringOf(n Network) *Wiring {
	shape, names := n.Shape(), n.Names()
	w := &Wiring{Sends: make([]uint32, shape.Processors()*shape.Ports), Hears: make([]uint32, shape.Processors()*shape.Ports)}
	taps := shape.NIC().Taps
	for processor := range shape.Processors() {
		ports := shape.Ports
		if taps != nil {
			ports = len(taps.Bus[processor])
		}
		for port := range ports {
			at := processor*shape.Ports + port
			w.Sends[at] = uint32(names.SentOn(processor, uint16(port), 0))
			w.Hears[at] = uint32(names.HeardOn(processor, uint16(port)))
		}
	}
	if d, ok := n.(Directed); ok {
		w.Opposite = d.Opposites()
	}
	return w
}

// sent are the ports that a frame to a port of a processor goes to.
func (w *Wiring) sent(processor, ports int, port uint16) []uint32 {
	all := w.Sends[processor*ports : (processor+1)*ports]
	if port == nic.PortAll {
		return all
	}
	return all[port : port+1]
}
