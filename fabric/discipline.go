package fabric

import (
	"errors"

	"starloom/hw"
	"starloom/nic"
)

// Discipline is how NICs get at their media. A network chooses one, in its Shape; what it is
// decides what NICs hold (plain data, package nic), and what the hardware of the cycle engine does
// at the boundary of a slot.
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
	// Access is its half of a plant, made before the network has built its media.
	Access(p *Plant) (Access, error)
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

// Access implements Discipline: a Stream has no plant.
func (Streaming) Access(*Plant) (Access, error) {
	return nil, errors.New("networks of routers have a Stream, and no plant")
}

// Access is a discipline's half of a Plant: what is between the banks of processors and the
// transmitters and receivers. It is called per shard and window, never per processor, except for
// frames that were received. Of the plant it needs Load and Sent of transmitters, Receivers, Receive
// and Placed: package fabric/fabrictest/tuned has a discipline from outside.
type Access interface {
	// Outputs is how many media a transmitter can be switched to, or outputs it can ask for.
	Outputs() int
	// Begin begins a slot: this cycle is the last one of the slot before.
	Begin()
	// Hear delivers what the receivers of a window say of a slot: see Transport.Hear.
	Hear(shard int, bank *nic.Bank, ledger *Ledger, slot uint32, window Window)
	// Send sets the load inputs of transmitters and what receivers listen to: see Transport.Send.
	Send(shard int, bank *nic.Bank, ledger *Ledger, slot uint32, window Window, cells []uint32)
	// IsFor reports whether a NIC takes a frame that came to it. It is called for frames that were received.
	IsFor(processor int, frame nic.Frame) bool
	// Placed counts what the transmitters first..end-1 of a shard have sent in the slot that has
	// crossed: Plant.Placed for each frame and port.
	Placed(shard, first, end int)
	// Crossed is called when a slot has crossed, before anybody hears it.
	Crossed(slot uint32)
	// Reset forgets the run, and State visits all that a run has changed.
	Reset()
	State(v *hw.StateVisitor)
}

// free is the part of disciplines whose NICs do not ask: nothing is kept between boundaries.
type free struct{}

func (free) Begin()                    {}
func (free) Crossed(uint32)            {}
func (free) Reset()                    {}
func (free) State(*hw.StateVisitor)    {}
func (free) IsFor(int, nic.Frame) bool { return true }
