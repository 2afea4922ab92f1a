package plant

import (
	"starloom/fabric"
	"starloom/hw"
	"starloom/nic"
)

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
	Hear(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32, window fabric.Window)
	// Send sets the load inputs of transmitters and what receivers listen to: see Transport.Send.
	Send(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32, window fabric.Window, cells []uint32)
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
