package bus

import (
	"starloom/fabric"
	"starloom/fabric/bus/gossip"
)

// The programs of gossip, which bring their buses.
const (
	twoPhaseProgram = "bus/two-phase"
	improvedProgram = "bus/improved"
	naiveProgram    = "bus/naive"
)

// scheduleOf returns the schedule of a program of gossip, nil for other firmware.
func scheduleOf(program string) func(n, l int) []gossip.Step {
	switch program {
	case twoPhaseProgram:
		return gossip.TwoPhase
	case improvedProgram:
		return gossip.Improved
	case naiveProgram:
		return gossip.Naive
	}
	return nil
}

// Programs implements fabric.Network.
func (b Network) Programs() []fabric.Program { return nil }

// Schedules implements fabric.Network.
func (b Network) Schedules() []string { return nil }

// Schedule implements fabric.Network.
func (b Network) Schedule(string, fabric.Referee) (fabric.Schedule, error) { return nil, nil }

// Studies implements fabric.Network.
func (b Network) Studies() []*fabric.Study { return nil }

// Referee implements fabric.Network.
func (b Network) Referee(*fabric.Workload, *fabric.Program) fabric.Referee {
	return NewWaiting(b)
}
