package crossbar

import "starloom/fabric"

// The programs.
const (
	fsaProgram     = "gossip/fsa"
	optimalProgram = "gossip/optimal" // the same, with orders of its own
)

// The values of gossip/fsa's parameter scheduling.
const (
	schedulingNone  = 0
	scheduling2     = 2
	scheduling2Star = 3
)

// Programs implements fabric.Network.
func (x Network) Programs() []fabric.Program {
	once := fabric.Rules{ExactlyOnce: true}
	if x.Medium != MediumALOHA {
		once.CollisionFree = &fabric.CollisionFree{Period: 1, Slots: []int{1}}
	}
	return []fabric.Program{
		{Name: fsaProgram, SlotsPerStep: 1, Rules: once, Workloads: []string{fabric.WorkloadGossip}},
		{Name: optimalProgram, SlotsPerStep: 1, Rules: once, Workloads: []string{fabric.WorkloadGossip}},
	}
}

// Adapt implements fabric.Adaptable: what the scenario leaves open is what the program
// wants.
func (x Network) Adapt(program string, params map[string]int64) fabric.Network {
	if x.Matching == "" && (program == fsaProgram || program == optimalProgram) && params["scheduling"] != schedulingNone {
		x.Matching = MatchList
	}
	return x.settled()
}
