package crossbar

import (
	_ "embed"
	"slices"

	"starloom/fabric"
)

//go:embed metrics.yaml
var meanings string

// Abilities implements fabric.Network.
func (x Network) Abilities() fabric.Abilities {
	return fabric.Abilities{
		Adapt: x.adapt, Settled: x.decided, Resized: x.resized, Holds: x.holds, ROM: x.rom, Reflexive: true,
		Schedules: fabric.Schedules{Names: slices.Clone(turnOrders), Plan: x.schedule},
		Slot:      fabric.SlotEngine{Transport: x.slotTransport},
		Memory:    fabric.Memory{Workload: x.workloadBytes, Slot: slotBytes},
		Description: fabric.Description{Meanings: meanings, Example: example,
			Studies: []fabric.Study{gossipStudy(), scatterStudy()}},
	}
}

func example(program string) fabric.Example {
	e := fabric.Example{Set: []string{"fabric.crossbar.ports=8"}}
	switch program {
	case "gossip/voting": // voting requires an odd number
		e.Set = []string{"fabric.crossbar.ports=7", "workload.gossip={values: random, faulty: [1, 4], fault: two-faced}"}
	case "gossip/hopfield":
		e.Set = append(e.Set, "workload.gossip={values: random, sessions: 6}",
			"firmware.params={neurons: 16, patterns: 2, flips: 10, sweeps: 2}")
	}
	return e
}
