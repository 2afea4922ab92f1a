package fabric

import "starloom/nic"

// Discipline is how NICs get at their media. A network chooses one, in its Shape; what it is
// decides what NICs hold (plain data, package nic), and what an engine does at the boundary of a slot. It is
// data, which each engine reads; one from outside brings its part of both (Accessible, Fast).
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

// NIC implements Discipline.
func (d Streaming) NIC() nic.Discipline {
	return nic.Discipline{AllPorts: true, Addressed: true, Own: d.Own}
}

// Rules implements Discipline.
func (Streaming) Rules() []string { return []string{RuleLatency, RuleInOrder} }
