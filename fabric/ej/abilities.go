package ej

import (
	_ "embed"

	"starloom/fabric"
)

//go:embed metrics.yaml
var meanings string

func (e Network) Abilities() fabric.Abilities {
	return fabric.Abilities{
		Adapt: e.adapt, Settled: e.settled, Resized: e.resized, Holds: e.holds, ROM: e.rom,
		Slot:      fabric.SlotEngine{Transport: e.slotTransport, Parks: e.Credits == nil},
		Opposites: e.opposites, Credits: fabric.CreditPlan{All: e.Credits},
		Memory: fabric.Memory{Workload: e.workloadBytes, Queue: e.queueBytes},
		Description: fabric.Description{Meanings: meanings, Example: example,
			Studies: []fabric.Study{broadcastStudy()}, Plane: e.plane},
	}
}

func example(program string) fabric.Example {
	e := fabric.Example{Program: improvedProgram,
		Set: []string{"fabric.ej.a=3", "fabric.ej.b=4", "fabric.ej.dimensions=1"}}
	if program == misprintedProgram {
		e.Expect = "fail:" + fabric.RuleExactlyOnce // the paper's misprint
	}
	return e
}
