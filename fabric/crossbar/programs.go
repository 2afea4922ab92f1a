package crossbar

import "starloom/fabric"

// The programs.
const (
	fsaProgram      = "gossip/fsa"
	votingProgram   = "gossip/voting"
	hopfieldProgram = "gossip/hopfield"
)

// The values of their parameter scheduling.
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
	votes, energy := once, once
	votes.Agreement, votes.Validity, energy.Energy = true, true, true
	gossips := []string{fabric.WorkloadGossip}
	return []fabric.Program{
		{Name: fsaProgram, SlotsPerStep: 1, Rules: once, Workloads: gossips},
		{Name: hopfieldProgram, SlotsPerStep: 1, Rules: energy, Workloads: gossips},
		{Name: votingProgram, SlotsPerStep: 1, Rules: votes, Workloads: gossips},
	}
}

// Adapt implements fabric.Adaptable: what the scenario leaves open is what the program
// wants.
func (x Network) Adapt(program string, params map[string]int64) fabric.Network {
	x.program, x.params = program, params
	gossips := program == fsaProgram || program == votingProgram || program == hopfieldProgram
	if x.Matching == "" && gossips && params["scheduling"] != schedulingNone {
		x.Matching = MatchList
	}
	return x.settled()
}
