package stream

import (
	"starloom/fabric"
)

// Flying is a Transport whose frames may be on their way at a boundary: a run is not over before they have come.
type Flying interface {
	InFlight() (frames int)
	// Stands reports whether none of them will ever come, and AtEnd finds what the end of a run shows of them.
	Stands() bool
	// Deadlocked reports whether some wait for one another for ever, which ends a run.
	Deadlocked() bool
	AtEnd(checks *fabric.Checks, find func(fabric.Finding))
	// Forget says that the TX FIFO of a processor is emptied, whatever was in it: what its NIC has taken goes on, so many frames.
	Forget(processor int) (goOn int)
}
