package fabric

import (
	"starloom/hw"
	"starloom/nic"
)

// Shape is the size of a network. Processors are numbered unit by unit. Shards, and banks of more than one unit,
// consist of whole units.
type Shape struct {
	Units   int
	PerUnit int // processors per unit
	Ports   int // ports per NIC
	// discipline of the NICs; nil is OnePort
	Discipline Discipline
	// PortLabels are the paths of named ports in units of one processor, e.g. dim[1].port[+rho]; nil for numbered
	// ports.
	PortLabels []string
	Media      int // number of places where frames meet; each has a link to its listeners
	// Paths returns the paths of transmitters and receivers in a network of one unit with named processors; nil for
	// numbered transmitters and receivers.
	Paths func() []string
	// Latencies returns the latencies in cycles of the shortest and the longest link, if links have individual
	// latencies. linkCycles is link.propagation_cycles, the latency of all other links. If Latencies is nil, all
	// links have this latency.
	Latencies func(linkCycles int) (least, most int)
	// ArbitrationCycles is the number of cycles before the first phit of a frame in a slot. FramesPerSlot is the
	// maximum number of consecutive frames on a medium in a slot; 0 means one.
	ArbitrationCycles, FramesPerSlot int
	// Loose means that in the slot engine a shard may end between any two processors, as in package wired.
	Loose bool
	// Words is the size in the form passed to firmware (sl_shape).
	Words [nic.ShapeWords]uint32
}

// Processors returns the number of processors.
func (s Shape) Processors() int { return s.Units * s.PerUnit }

// NIC returns the discipline as data that banks of processors use.
func (s Shape) NIC() nic.Discipline { return s.Chosen().NIC() }

// Chosen returns the discipline, OnePort by default.
func (s Shape) Chosen() Discipline {
	if s.Discipline == nil {
		return OnePort{}
	}
	return s.Discipline
}

// NameLanes returns the bank with names for its transmitters or receivers if NICs have one of them per port.
func (s Shape) NameLanes(bank hw.Bank) hw.Bank {
	switch {
	case s.Paths != nil:
		bank.Labels = s.Paths()
	case !s.NIC().AllPorts:
	case s.PortLabels != nil:
		bank.Name, bank.Labels = "port", s.PortLabels
	default:
		bank.Parts = s.Ports
	}
	return bank
}

// PortsOf returns the number of ports of a processor's NIC.
func (s Shape) PortsOf(processor int) int {
	switch d := s.NIC(); {
	case d.Taps != nil:
		return len(d.Taps.Bus[processor])
	case d.Own != nil:
		return int(d.Own.Ports[processor])
	}
	return s.Ports
}

// Rules returns the names of the rules that need this discipline.
func (s Shape) Rules() []string { return s.Chosen().Rules() }

// Lanes returns the number of transmitters, and of receivers, per NIC.
func (s Shape) Lanes() int {
	d := s.NIC()
	return d.Lanes(s.Ports)
}

// Asks reports whether NICs send requests before frames.
func (s Shape) Asks() bool { return s.NIC().Asks }

// WholeUnits returns the smallest number of units with at least the given number of processors, at most all units.
func (s Shape) WholeUnits(processors int) int {
	return min(s.Units, (processors+s.PerUnit-1)/s.PerUnit)
}

// Shards divides the network into shards with at least the given number of processors.
func (s Shape) Shards(processors int) []hw.Shard {
	return hw.Shards(s.Units, max(1, s.WholeUnits(processors)))
}
