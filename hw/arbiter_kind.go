package hw

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
)

// ArbiterKind is a kind of arbiters by its number; of a kind with Whole it is KIND of arbiter_choice.v. One file declares
// a kind: arbiter_matrix.go has ArbiterMatrix. docs/new-arbiter.md adds one.
type ArbiterKind uint8

// ArbiterSpec declares a kind.
type ArbiterSpec struct {
	Name string // in scenarios, reports and files
	Does string // whom it grants: "the lowest requester"
	Uses ArbiterUse

	Slices   bool // it needs ArbiterShape.SliceCycles, and its turns pass with time
	Weighted bool // it reads ArbiterShape.Weights
	Seeded   bool // it reads ArbiterShape.Seeds

	New func(ArbiterShape) Arbitration

	RTL     fs.FS     // with the twin, arbiter_ and the name; nil for Starloom's own
	Whole   bool      // arbiter_choice.v has the kind: one Verilog module may hold the arbiter beside what it serves
	Mutants []Mistake // of the twin, at least three
}

// A Mistake is a common error in a design, as an edit of Verilog.
type Mistake struct {
	Name     string // the error
	Old, New string // text before and after; Old occurs once in the first source with it
}

// ArbiterShape are the sizes and settings of a bank of arbiters.
type ArbiterShape struct {
	Path        string // of the bank, for faults
	Element     func(arbiter int) string
	Arbiters    int
	Requesters  int // of each arbiter
	Shards      int
	SliceCycles int       // 0 unless the kind has slices
	Weights     [][]uint8 // by arbiter and requester, 1 where missing. Not copied: RTL may set them
	Seeds       []uint32  // by arbiter, 0 as 1. Not copied: read at the first grant after a reset
}

// Arbitration is the memory of the arbiters of one kind, and the resulting order of requests.
type Arbitration interface {
	// Rank gives each request its place: the least rank is granted first, of equal ranks the lower requester, NeverRank never.
	// asks are all requests at the arbiters named there, in any order. A rank is at most NeverRank.
	Rank(shard int, asks []Request, ranks []uint64)
	// Granted notes that a requester's frame begins.
	Granted(arbiter, requester uint32)
	// Pass notes that cycles have passed, slots in the slot engine, where SliceCycles is 1; only kinds with Slices are told.
	Pass(shard int, cycles uint64)
	// Memory declares the registers; only Registers, Collect and Derive are read.
	Memory() Declaration
}

// NeverRank is the rank of a request without a chance.
const NeverRank = 1<<48 - 1

// Forgetful is an arbitration without memory, for kinds to embed.
type Forgetful struct{}

// Granted does nothing.
func (Forgetful) Granted(uint32, uint32) {}

// Pass does nothing.
func (Forgetful) Pass(int, uint64) {}

// Memory is empty.
func (Forgetful) Memory() Declaration { return Declaration{} }

// ArbiterUse is a set of places for an arbiter.
type ArbiterUse uint8

// The uses. A kind is refused for an undeclared use.
const (
	// ForBuses: the taps of a bus.
	ForBuses ArbiterUse = 1 << iota
	// ForSchedules: a bus whose senders keep a schedule: a lone request is granted in its cycle.
	ForSchedules
	// ForOutputs: an output of a crossbar.
	ForOutputs
	// ForCapped: an output under a cap: a grant changes nothing of later choices.
	ForCapped
	// ForQueues: an output with several frames in a slot: a grant leaves the order of the waiting requests.
	ForQueues
	// ForCaps: the choice of a cap among inputs, with the same property.
	ForCaps
	// ForLists: inputs with lists of outputs, by the turns of ListRule.
	ForLists
)

var arbiterKinds [256]*ArbiterSpec

// RegisterArbiter declares a kind under a free number. It panics at a contradiction in the declaration.
func RegisterArbiter(kind ArbiterKind, spec ArbiterSpec) {
	if why := spec.wrong(kind); why != "" {
		panic(fmt.Sprintf("hw: arbiter %q, number %d: %s", spec.Name, kind, why))
	}
	arbiterKinds[kind] = &spec
}

var arbiterName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// wrong says why a kind cannot be declared so, "" if it can.
func (s *ArbiterSpec) wrong(kind ArbiterKind) string {
	used, settings := s.Uses != 0, s.Weighted || s.Seeded
	for _, rule := range []struct {
		is  bool
		why string
	}{
		{kind == noArbiterKind, "numbers are 0 to 254"},
		{arbiterKinds[kind] != nil, "another kind has the number"},
		{!arbiterName.MatchString(s.Name) || s.Name == "none", "a name is lower-case letters, digits and _, and not none"},
		{ArbiterOf(s.Name) != noArbiterKind, "another kind has the name"},
		{used && s.New == nil, "Uses without New"},
		{used && len(s.Mutants) < 3, "a kind has Verilog, and at least three mutants of it"},
		{s.Slices && s.Uses&^ForBuses != 0, "a kind with Slices serves buses alone: only they have slots for turns"},
		{settings && s.Whole, "arbiter_choice.v has no pins for weights and seeds: Whole is not for them"},
		{s.RTL != nil && s.Whole, "Whole is for kinds in Starloom's own arbiter_choice.v"},
		{s.Uses&ForCaps != 0 && !s.Whole, "ForCaps without Whole: cap_arbiter.v chooses by arbiter_choice.v"},
		{s.Uses&ForLists != 0 && s.Name != "fixed" && s.Name != "round_robin", "ForLists is for the kinds of ListRule, fixed and round_robin"},
	} {
		if rule.is {
			return rule.why
		}
	}
	return ""
}

// noArbiterKind has no spec.
const noArbiterKind ArbiterKind = 255

// ArbiterKinds are all kinds, in the order of their numbers.
func ArbiterKinds() (kinds []ArbiterKind) {
	for k, spec := range arbiterKinds {
		if spec != nil {
			kinds = append(kinds, ArbiterKind(k))
		}
	}
	return kinds
}

// ArbiterOf is the kind of a name; a kind without uses if there is none.
func ArbiterOf(name string) ArbiterKind {
	for k, spec := range arbiterKinds {
		if spec != nil && spec.Name == name {
			return ArbiterKind(k)
		}
	}
	return noArbiterKind
}

// Spec is the declaration of a kind, the zero value for an unknown one.
func (k ArbiterKind) Spec() ArbiterSpec {
	if spec := arbiterKinds[k]; spec != nil {
		return *spec
	}
	return ArbiterSpec{}
}

// String returns the kind's name.
func (k ArbiterKind) String() string {
	if spec := arbiterKinds[k]; spec != nil {
		return spec.Name
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// Works reports whether a kind serves a use.
func (k ArbiterKind) Works(use ArbiterUse) bool { return k.Spec().Uses&use != 0 }

// ArbitersFor are the names of the kinds that serve a use.
func ArbitersFor(use ArbiterUse) (names []string) {
	for _, kind := range ArbiterKinds() {
		if kind.Works(use) {
			names = append(names, kind.String())
		}
	}
	return names
}

// ArbiterWorks reports whether the kind of a name serves a use.
func ArbiterWorks(name string, use ArbiterUse) bool { return slices.Contains(ArbitersFor(use), name) }

// weight is that of a requester.
func (s *ArbiterShape) weight(arbiter, requester uint32) uint8 {
	if int(arbiter) < len(s.Weights) {
		if weights := s.Weights[arbiter]; int(requester) < len(weights) {
			return weights[requester]
		}
	}
	return 1
}
