package fabric

import (
	"starloom/hw"
	"starloom/nic"
)

// Discipline determines how NICs access their media. A network selects a discipline in its Shape. The discipline
// determines the hardware of NICs (package nic) and the work of engines at slot boundaries. Engines read a discipline
// as data. A discipline of another package adds its own part to both engines (plant.Accessible, Fast).
//
//	OnePort      sends to one port, or one frame to all, and hears one
//	AllPorts     sends and hears at all ports at once; credits
//	Addressed    asks an output for the addressee of its frame, or for one of a list
//	Switched     one switch to all taps: a processor hears the medium that it sends to
//	Arbitrated   the same, and asks for the medium of its port
//	Streaming    sends and receives flit by flit, at a router
type Discipline interface {
	// NIC returns the discipline as data for banks of processors.
	NIC() nic.Discipline
	// Rules returns the names of the rules that need this discipline.
	Rules() []string
}

// Streaming is the discipline of NICs at routers. Each port sends frames flit by flit to the addressed processors. A
// port may send and receive several frames in a slot, which is a tick.
type Streaming struct {
	Own *nic.Own // ports of each processor; nil if all have the same
}

func (d Streaming) NIC() nic.Discipline {
	return nic.Discipline{AllPorts: true, Addressed: true, Own: d.Own}
}

func (Streaming) Rules() []string { return []string{RuleLatency, RuleInOrder} }

// OnePort is the discipline of a NIC with one transmitter and one receiver. Each is switched to one port per slot. A
// NIC may also send a frame to all ports at once.
type OnePort struct {
	// Wiring replaces the wiring that repeats in each unit, and Own the common number of ports. The network is then
	// one unit, and Media.Hears has one input per medium.
	Wiring *Wiring
	Own    *nic.Own
}

func (d OnePort) NIC() nic.Discipline { return nic.Discipline{Own: d.Own} }

func (d OnePort) wiredBy() *Wiring { return d.Wiring }

func (OnePort) Rules() []string { return nil }

// AllPorts is the discipline of a NIC with a transmitter and a receiver per port, at most nic.LanesMax, all usable in
// one slot. A CreditPlan may limit the frames in flight.
type AllPorts struct {
	// Wiring replaces the wiring that repeats in each unit, and Own the common number of ports. The network is then
	// one unit, and Media.Hears has one input per medium.
	Wiring *Wiring
	Own    *nic.Own
}

func (d AllPorts) NIC() nic.Discipline { return nic.Discipline{AllPorts: true, Own: d.Own} }

func (d AllPorts) wiredBy() *Wiring { return d.Wiring }

func (AllPorts) Rules() []string { return nil }

// Addressed is the discipline of a NIC that requests the output of its frame's destination, as on a crossbar. The NIC
// repeats the request at the start of each slot until the network serves it.
type Addressed struct {
	// ROM words per processor for lists of destinations that a NIC requests together; 0 for one destination
	ListWords int
	Shared    bool // all outputs are one medium: NICs drop frames for others
}

func (d Addressed) NIC() nic.Discipline {
	return nic.Discipline{Addressed: true, Asks: true, ListWords: d.ListWords}
}

func (Addressed) Rules() []string { return nil }

// Switched is the discipline of a NIC with one switch for all its taps. A sending processor hears only the medium on
// which it sends.
type Switched struct {
	Taps *hw.Taps // taps of each NIC
	Most int      // maximum number of NICs switched to a medium in one slot
	Each []int    // maximum for each medium; nil if Most applies to all
}

func (d Switched) NIC() nic.Discipline { return nic.Discipline{Taps: d.Taps} }

func (Switched) Rules() []string { return switchedRules }

// Holds returns the reason why no run can break a rule, "" if a run may break the rule.
func (d Switched) Holds(rule string) string {
	switch {
	case rule == RuleOneBus && d.Taps.Ports < 2:
		return "no processor has taps on two buses"
	case rule == RuleBusLength:
		for bus, members := range d.Taps.Members {
			if d.Each == nil && len(members) > d.Most || d.Each != nil && len(members) > d.Each[bus] {
				return ""
			}
		}
		return "no bus has more taps than the bus length allows"
	}
	return ""
}

// Arbitrated is Switched with an arbiter per medium: the NIC requests the medium of its port.
type Arbitrated struct{ Switched }

func (d Arbitrated) NIC() nic.Discipline { return nic.Discipline{Asks: true, Taps: d.Taps} }

// Mixed is AllPorts with several classes of lanes. A lane sends freely, requests its port's medium (Arbitrated) or
// requests an addressee (Addressed). The first lanes may lead to routers (Streaming); a machine with such lanes is a
// Joint.
type Mixed struct {
	Wiring *Wiring // NoMedium for lanes that request an addressee or stream
	Own    *nic.Own
	Lanes  *nic.Classes
}

func (d Mixed) NIC() nic.Discipline {
	return nic.Discipline{AllPorts: true, Own: d.Own, Classes: d.Lanes}
}

func (d Mixed) wiredBy() *Wiring { return d.Wiring }

func (d Mixed) Rules() []string {
	if d.Lanes.Routed != nil {
		return Streaming{}.Rules()
	}
	return nil
}

// Server selects, in the slot engine, the requests that the media of a network serve.
type Server interface {
	// Listen sets the tag that a lane's receiver accepts from a crossbar in the current slot, or nic.TagAny. listens
	// reports whether the receiver listens.
	Listen(receiver int, listens bool, tag uint16)
	// Serve computes a slot. It calls served with each served transmitter and its medium.
	Serve(slot uint32, asks []Ask, served func(transmitter int, medium uint32))
	Reset(seed uint64)
	State(v *hw.StateVisitor)
}

// Ask is a transmitter's request in a slot.
type Ask struct {
	Transmitter int
	Output      uint16 // output of a crossbar
	Tag         uint16
}
