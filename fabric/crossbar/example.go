package crossbar

import "starloom/fabric"

func (Network) Example(program string) fabric.Example {
	e := fabric.Example{Set: []string{"fabric.crossbar.ports=8"}}
	switch program {
	case "gossip/voting": // of an odd number
		e.Set = []string{"fabric.crossbar.ports=7", "workload.gossip={values: random, faulty: [1, 4], fault: two-faced}"}
	case "gossip/hopfield":
		e.Set = append(e.Set, "workload.gossip={values: random, sessions: 6}", "firmware.params={neurons: 16, patterns: 2, flips: 10, sweeps: 2}")
	}
	return e
}
