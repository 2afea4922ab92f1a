package fabric

import (
	"fmt"
)

// Names returns the paths shown in waveforms, captures and reports.
type Names interface {
	// Unit returns the path of the processors' units without the index, e.g. ring.node.
	Unit() string
	Processor(processor int) string
	Port(processor int, port uint16) string
	Medium(medium int) string
	// Link returns the path of the link from a medium to its listeners.
	Link(medium int) string
	// MediumNoun returns the noun for a medium, singular and plural.
	MediumNoun() (one, many string)
	// SentOn returns the medium at a processor's port. For nic.PortAll it returns the medium towards processor
	// towards.
	SentOn(processor int, port uint16, towards int) int
	// HeardOn returns the medium that a processor hears at a port, -1 if the port does not exist.
	HeardOn(processor int, port uint16) int
}

// UnitNames implements the paths of processors for all networks.
type UnitNames struct {
	Path    string // path of the units: Names.Unit
	PerUnit int
	Ports   []string // Shape.PortLabels
}

// Unit returns the path of the units.
func (u UnitNames) Unit() string { return u.Path }

// Processor returns the path of a processor, e.g. ring.node[3].nic[0].
func (u UnitNames) Processor(processor int) string {
	return fmt.Sprintf("%s[%d].nic[%d]", u.Path, processor/u.PerUnit, processor%u.PerUnit)
}

// Port returns the path of a port of a processor.
func (u UnitNames) Port(processor int, port uint16) string {
	if int(port) < len(u.Ports) {
		return fmt.Sprintf("%s[%d].%s", u.Path, processor, u.Ports[port])
	}
	return fmt.Sprintf("%s.port[%d]", u.Processor(processor), port)
}
