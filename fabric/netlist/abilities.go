package netlist

import (
	"starloom/fabric"
)

func (n Network) Abilities() fabric.Abilities {
	net := n.drawn()
	return fabric.Abilities{
		Refuses: n.refuses, Settle: n.Settle, CheckFIFOs: net.checkFIFOs, Holds: net.holds, ROM: n.rom,
		Slot:   fabric.SlotEngine{Transport: n.slotTransport},
		Server: net.server, Opposites: net.opposites, Credits: net.credits, Routers: n.routers,
		Memory: fabric.Memory{Workload: n.workloadBytes},
		Description: fabric.Description{
			Keys: "mesh: {k: [4, 4]}", Example: example, Studies: []fabric.Study{routersStudy()}, Sketch: n.sketch, Routers: n.sketchRouters,
		},
	}
}

func example(string) fabric.Example {
	return fabric.Example{Program: nextHopProgram, Set: []string{
		`fabric.netlist.nodes={"p[0..3]": processor, hub: star}`, `fabric.netlist.links=[["p[0..3]:0", hub], ["p[0]:1", "p[1]:1"]]`,
	}}
}
