package bus

import (
	_ "embed"

	"starloom/fabric"
)

//go:embed metrics.yaml
var meanings string

// Abilities implements fabric.Network.
func (b Network) Abilities() fabric.Abilities {
	return fabric.Abilities{
		Adapt: b.adapt, Settled: b.settled, Resized: b.resized, Holds: b.holds, ROM: b.rom,
		Schedules: fabric.Schedules{Names: scheduleNames(), Plan: b.scheduled},
		Slot:      fabric.SlotEngine{Transport: b.slotTransport},
		Memory:    fabric.Memory{Workload: b.workloadBytes},
		Description: fabric.Description{
			Medium:   "`bus.bus[i]` carries one frame in a slot to all vertices on it",
			Meanings: meanings, Example: example, Studies: []fabric.Study{gossipStudy()},
		},
	}
}

func example(program string) fabric.Example {
	shared := []string{"fabric.bus.vertices=4", "fabric.bus.buses=[[1, 2, 3, 0]]"}
	switch program {
	case "bus/sensors":
		return fabric.Example{Set: append(shared, "fabric.bus.arbiter=fixed",
			"firmware.params={period: 8, spread: 2, readings: 10}")}
	case stopAndWaitProgram:
		return fabric.Example{Set: append(shared, "fabric.bus.arbiter=round_robin", "workload.permutation=reverse")}
	case "bus/traffic":
		return fabric.Example{Set: append(shared, "fabric.bus.arbiter=round_robin",
			"workload.traffic={pattern: uniform, rate: 0.05}")}
	}
	return fabric.Example{Set: []string{"fabric.bus.vertices=12", "fabric.bus.length=4"}}
}
