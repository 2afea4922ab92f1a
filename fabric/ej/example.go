package ej

import "starloom/fabric"

func (Network) Example(program string) fabric.Example {
	e := fabric.Example{Program: improvedProgram, Set: []string{"fabric.ej.a=3", "fabric.ej.b=4", "fabric.ej.dimensions=1"}}
	if program == misprintedProgram {
		e.Expect = "fail:" + fabric.RuleExactlyOnce // it is what the paper prints, and wrong
	}
	return e
}
