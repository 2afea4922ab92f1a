package fabric

import (
	"starloom/hw"
	"starloom/nic"
)

// Discipline is how NICs get at their media. A network chooses one, in its Shape; what it is
// decides what NICs hold (plain data, package nic), and what an engine does at the boundary of a slot. It is
// data, which each engine reads; one from outside brings its part of both (plant.Accessible, Fast).
//
//	OnePort      sends to one port, or one frame to all, and hears one
//	AllPorts     sends and hears at all ports at once; credits
//	Addressed    asks an output for the addressee of its frame, or for one of a list
//	Switched     one switch to all taps: a processor that sends hears what it sends to
//	Arbitrated   the same, and asks for the medium of its port
//	Streaming    sends and receives flit by flit, at a router
type Discipline interface {
	// NIC is what a bank of processors has to know of it.
	NIC() nic.Discipline
	// Rules are names of rules that only networks of this discipline can check; nil for none.
	Rules() []string
}

// Streaming is the discipline of a NIC at routers: from each of its ports a frame goes to the processor that it is addressed to, flit by
// flit, and it sends and receives several frames in a slot, which is a tick.
type Streaming struct {
	Own *nic.Own // which ports there are, nil if all processors have the same
}

func (d Streaming) NIC() nic.Discipline {
	return nic.Discipline{AllPorts: true, Addressed: true, Own: d.Own}
}

func (Streaming) Rules() []string { return []string{RuleLatency, RuleInOrder} }

// OnePort is the discipline of a NIC with one transmitter and one receiver, each of which is
// switched to one port in a slot; a frame may go to all ports at once.
type OnePort struct {
	// Wiring says where ports lead if that is not the same in each unit, Own which there are: all is one
	// unit then, and Media.Hears has one input for each medium.
	Wiring *Wiring
	Own    *nic.Own
}

func (d OnePort) NIC() nic.Discipline { return nic.Discipline{Own: d.Own} }

func (d OnePort) wiredBy() *Wiring { return d.Wiring }

func (OnePort) Rules() []string { return nil }

// AllPorts is the discipline of a NIC with a transmitter and a receiver for each of its ports, at
// most nic.LanesMax, which all send and hear in one slot. A CreditPlan may bound what is on the way.
type AllPorts struct {
	// Wiring says where ports lead if that is not the same in each unit, Own which there are: all is one
	// unit then, and Media.Hears has one input for each medium.
	Wiring *Wiring
	Own    *nic.Own
}

func (d AllPorts) NIC() nic.Discipline { return nic.Discipline{AllPorts: true, Own: d.Own} }

func (d AllPorts) wiredBy() *Wiring { return d.Wiring }

func (AllPorts) Rules() []string { return nil }

// Addressed is the discipline of a NIC that asks the output of its frame's destination, as on a
// crossbar, at the start of a slot, and again in the next one if it is not served.
type Addressed struct {
	ListWords int  // of each processor's ROM: a list of destinations that it may ask for at once; 0 if it asks for one
	Shared    bool // outputs are one medium: NICs drop what is for others
}

func (d Addressed) NIC() nic.Discipline {
	return nic.Discipline{Addressed: true, Asks: true, ListWords: d.ListWords}
}

func (Addressed) Rules() []string { return nil }

// Switched is the discipline of a NIC with one switch to all of its taps: a processor that sends
// hears the medium that it sends to, or nothing.
type Switched struct {
	Taps *hw.Taps // where the ports of each NIC lead
	Most int      // NICs that may be switched to a medium in one slot
	Each []int    // the same, by medium; nil: Most to all
}

func (d Switched) NIC() nic.Discipline { return nic.Discipline{Taps: d.Taps} }

func (Switched) Rules() []string { return switchedRules }

// Holds says why no run can break a rule, "" if one may.
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
		return "no bus has more taps than processors may be on it"
	}
	return ""
}

// Arbitrated is the discipline of a NIC as with Switched which asks for the medium of its port,
// which has an arbiter, as for an output.
type Arbitrated struct{ Switched }

func (d Arbitrated) NIC() nic.Discipline { return nic.Discipline{Asks: true, Taps: d.Taps} }

// Mixed is the discipline of a NIC as with AllPorts whose lanes are of several classes: one that is free sends,
// others ask for the medium of their port, or for an addressee, as with Arbitrated and Addressed, and the first ones
// may be at routers, as with Streaming: a machine that has such lanes is a Joint.
type Mixed struct {
	Wiring *Wiring // of lanes that ask for an addressee, or stream: NoMedium
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

// Server decides in the slot engine whom the media of a network serve that NICs have to ask for.
type Server interface {
	// Listen says what the receiver of a lane takes of a crossbar in the slot that crosses, any tag or one.
	Listen(receiver int, listens bool, tag uint16)
	// Serve decides; served is called with those who are, and the medium of their frames.
	Serve(slot uint32, asks []Ask, served func(transmitter int, medium uint32))
	Reset(seed uint64)
	State(v *hw.StateVisitor)
}

// Ask is what a transmitter asks for in a slot.
type Ask struct {
	Transmitter int
	Output      uint16 // of a crossbar
	Tag         uint16
}
