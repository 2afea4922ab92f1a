package starloom

import "starloom/fabric"

// What networks share, and is a part of this package's interface.
type (
	Workload      = fabric.Workload
	OneToAll      = fabric.OneToAll
	Adversary     = fabric.Adversary
	Permutation   = fabric.Permutation
	Rules         = fabric.Rules
	CollisionFree = fabric.CollisionFree
	Metrics       = fabric.Metrics
	Metric        = fabric.Metric
	StudyRow      = fabric.StudyRow
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
	RuleLateLight     = fabric.RuleLateLight
)
