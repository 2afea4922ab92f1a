package netlist

import "starloom/fabric"

func (Network) Example(string) fabric.Example {
	return fabric.Example{Program: nextHopProgram, Set: []string{
		`fabric.netlist.nodes={"p[0..3]": processor, hub: star}`, `fabric.netlist.links=[["p[0..3]:0", hub], ["p[0]:1", "p[1]:1"]]`,
	}}
}

// Keys are those of the shortest scenario.
func (Network) Keys() string { return "mesh: {k: [4, 4]}" }
