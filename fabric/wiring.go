package fabric

import (
	"starloom/hw"
	"starloom/nic"
)

// Wiring is who drives and who hears each medium of a passive network, as index slices: the one
// description of which both engines can be made. Entry processor*Shape.Ports+port is a port.
type Wiring struct {
	Sends []uint32 // by port: the medium that it leads to, NoMedium for none
	Hears []uint32 // by port: the medium that it hears, NoMedium for none
	// Opposite is, by medium, the one that carries the other direction of the same half-duplex
	// link: frames on both meet. Nil: none does.
	Opposite []uint32
}

// NoMedium is where a port leads that leads nowhere, or that hears nothing.
const NoMedium = hw.NoCoupler

// input is the receivers' input of what a port hears where all media are inputs of one unit, nic.PortNone for none.
func (w *Wiring) input(at int) int {
	if medium := w.Hears[at]; medium != NoMedium {
		return int(medium)
	}
	return nic.PortNone
}

// sent are the ports that a frame to a port of a processor goes to.
func (w *Wiring) sent(processor, ports int, port uint16) []uint32 {
	all := w.Sends[processor*ports : (processor+1)*ports]
	if port == nic.PortAll {
		return all
	}
	return all[port : port+1]
}
