package fabric

import (
	"fmt"
)

// Names are the paths of everything, as waveforms, captures and reports show them.
type Names interface {
	// Unit is the path of the units of processors without their index, e.g. ring.node.
	Unit() string
	Processor(processor int) string
	Port(processor int, port uint16) string
	Medium(medium int) string
	// Link is what leads from a medium to its listeners.
	Link(medium int) string
	// MediumNoun is what a medium is called, of one and of many.
	MediumNoun() (one, many string)
	// SentOn is the medium that a processor's port leads to; nic.PortAll is the port
	// that leads to the processor towards.
	SentOn(processor int, port uint16, towards int) int
	// HeardOn is the medium that a processor hears at a port, -1 where it has fewer ports than others.
	HeardOn(processor int, port uint16) int
}

// UnitNames are the paths of processors, which are the same in every network.
type UnitNames struct {
	Path    string // of the units: Names.Unit
	PerUnit int
	Ports   []string // Shape.PortLabels
}

// Unit implements Names.
func (u UnitNames) Unit() string { return u.Path }

// Processor implements Names, e.g. ring.node[3].nic[0].
func (u UnitNames) Processor(processor int) string {
	return fmt.Sprintf("%s[%d].nic[%d]", u.Path, processor/u.PerUnit, processor%u.PerUnit)
}

// Port implements Names.
func (u UnitNames) Port(processor int, port uint16) string {
	if int(port) < len(u.Ports) {
		return fmt.Sprintf("%s[%d].%s", u.Path, processor, u.Ports[port])
	}
	return fmt.Sprintf("%s.port[%d]", u.Processor(processor), port)
}
