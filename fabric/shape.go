package fabric

import (
	"starloom/hw"
	"starloom/nic"
)

// Shape is the size of a network. Processors are numbered unit by unit; a shard, and a
// bank of more than one unit, are whole units.
type Shape struct {
	Units   int
	PerUnit int // processors of a unit
	Ports   int // of each processor's NIC
	// Discipline is how NICs get at their media; nil is OnePort.
	Discipline Discipline
	// PortLabels are the paths of the ports inside their unit, if units are one processor and
	// ports have names: dim[1].port[+rho]. Nil: they have numbers.
	PortLabels []string
	Media      int // where frames meet; each ends in a link to its listeners
	// Paths are those of the transmitters and receivers of a network of one unit whose processors have names
	// of their own; nil: they have numbers.
	Paths func() []string
	// Latencies are the cycles of the shortest and of the longest link where links have lengths of their own, if the others have those
	// of link.propagation_cycles; nil: all have.
	Latencies func(linkCycles int) (least, most int)
	// ArbitrationCycles of a slot are before the first phit of a frame; FramesPerSlot may
	// cross one medium one after the other, 0 for one.
	ArbitrationCycles, FramesPerSlot int
	// Loose says that a machine may be cut between any two processors in the slot engine, as it is of a network whose
	// slot engine is package wired.
	Loose bool
	// Words are what firmware is told of the size (sl_shape).
	Words [nic.ShapeWords]uint32
}

// Processors returns the number of processors.
func (s Shape) Processors() int { return s.Units * s.PerUnit }

// NIC is what banks of processors have to know of the discipline.
func (s Shape) NIC() nic.Discipline { return s.Chosen().NIC() }

// Chosen is the discipline that is meant: OnePort if none is named.
func (s Shape) Chosen() Discipline {
	if s.Discipline == nil {
		return OnePort{}
	}
	return s.Discipline
}

// NameLanes names the transmitters or receivers of a bank of NICs that have one for each port.
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

// PortsOf returns how many ports a processor's NIC has.
func (s Shape) PortsOf(processor int) int {
	switch d := s.NIC(); {
	case d.Taps != nil:
		return len(d.Taps.Bus[processor])
	case d.Own != nil:
		return int(d.Own.Ports[processor])
	}
	return s.Ports
}

// Rules are names of the rules that only networks of this discipline can check.
func (s Shape) Rules() []string { return s.Chosen().Rules() }

// Lanes returns how many transmitters and receivers a NIC has.
func (s Shape) Lanes() int {
	d := s.NIC()
	return d.Lanes(s.Ports)
}

// Asks reports whether NICs ask before they send.
func (s Shape) Asks() bool { return s.NIC().Asks }

// WholeUnits returns how many units have at least that many processors, at most all.
func (s Shape) WholeUnits(processors int) int {
	return min(s.Units, (processors+s.PerUnit-1)/s.PerUnit)
}

// Shards cuts the network into shards of at least that many processors.
func (s Shape) Shards(processors int) []hw.Shard {
	return hw.Shards(s.Units, max(1, s.WholeUnits(processors)))
}
