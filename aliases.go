package starloom

import (
	"starloom/cosim"
	"starloom/fabric"
	"starloom/internal/config"
	"starloom/traces/input"
)

// InputError says that something the user gave cannot be used: where it is, what
// is wrong with it and what to do. The command line ends with exit status 2.
type InputError = input.Error

// ToolError says that a program that Starloom runs, a compiler, a converter or a
// simulator, has failed, hung or was killed. The command line ends with exit status 4.
type ToolError = cosim.ToolError

// What networks share and scenarios and reports are made of. Package fabric documents
// their fields.
type (
	// Workload is what a run has to carry: a permutation, one packet to all, or what an
	// adversary chooses.
	Workload = fabric.Workload
	// Permutation says where the packet of every processor goes.
	Permutation = fabric.Permutation
	// OneToAll is a packet of one processor for all others.
	OneToAll = fabric.OneToAll
	// Scatter is an item that spreads from one processor to all.
	Scatter = fabric.Scatter
	// Gossip is a message of every processor for all others.
	Gossip = fabric.Gossip
	// Adversary chooses the packets that are worst for firmware with a table of choices.
	Adversary = fabric.Adversary
	// Rules are the invariants that are checked while a run goes on.
	Rules = fabric.Rules
	// CollisionFree names slots of a period in which frames must not collide.
	CollisionFree = fabric.CollisionFree
	// Metrics are figures of a run, in the order of the report; Get finds one by name.
	Metrics = fabric.Metrics
	// Metric is a figure: an integer, a float64, a text or a list of numbers.
	Metric = fabric.Metric
	// StudyRow sets a measured figure beside a published one.
	StudyRow = fabric.StudyRow
)

// The values of Permutation.Kind.
const (
	PermutationRandom   = fabric.PermutationRandom
	PermutationIdentity = fabric.PermutationIdentity
	PermutationReverse  = fabric.PermutationReverse
	PermutationList     = fabric.PermutationList
	PermutationAll      = fabric.PermutationAll
)

// The rules of package fabric, by name.
const (
	RuleCollisionFree = fabric.RuleCollisionFree
	RuleHeld          = fabric.RuleHeld
	RuleExactlyOnce   = fabric.RuleExactlyOnce
	RuleTrap          = fabric.RuleTrap
	RuleFail          = fabric.RuleFail
	RuleIllegalSend   = fabric.RuleIllegalSend
	RuleIllegalListen = fabric.RuleIllegalListen
	RuleFinishes      = fabric.RuleFinishes
	RuleReceiveStep   = fabric.RuleReceiveStep
	RuleMeetsBudget   = fabric.RuleMeetsBudget
	RuleNoLoss        = fabric.RuleNoLoss
	RuleDeadline      = fabric.RuleDeadline
	RuleNoCreation    = fabric.RuleNoCreation
	RuleOneBus        = fabric.RuleOneBus
	RuleBusLength     = fabric.RuleBusLength
	RuleAgreement     = fabric.RuleAgreement
	RuleValidity      = fabric.RuleValidity
	RuleEnergy        = fabric.RuleEnergy
	RuleLateLight     = fabric.RuleLateLight
)

// The values of Firmware.Mode.
const (
	ModeBanked   = config.ModeBanked
	ModeIsolated = config.ModeIsolated
)
