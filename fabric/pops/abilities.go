package pops

import (
	_ "embed"

	"starloom/fabric"
)

//go:embed metrics.yaml
var meanings string

func (p Network) Abilities() fabric.Abilities {
	return fabric.Abilities{
		Resized: p.resized, Holds: p.holds,
		Schedules: fabric.Schedules{Names: []string{scheduleOffline, scheduleSort}, Plan: p.schedule},
		Slot:      fabric.SlotEngine{Transport: p.slotTransport},
		Twins:     fabric.Twins{Whole: p.twin},
		Description: fabric.Description{
			Medium: "`pops.group[a].coupler[b]` leads from all processors of group a to all processors of group b, " +
				"and carries one " +
				"frame in a slot: " +
				"if two processors of group a send to group b in the same slot, their light collides, and both frames are lost",
			Meanings: meanings, Example: example, Studies: []fabric.Study{routingStudy()},
		},
	}
}

func example(string) fabric.Example {
	return fabric.Example{Program: randomProgram, Set: []string{"fabric.pops.groups=4", "fabric.pops.group_size=4"}}
}
