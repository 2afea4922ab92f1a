package pops

import "starloom/fabric"

func (Network) Example(string) fabric.Example {
	return fabric.Example{Program: randomProgram, Set: []string{"fabric.pops.groups=4", "fabric.pops.group_size=4"}}
}
