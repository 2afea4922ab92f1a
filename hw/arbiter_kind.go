package hw

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
)

// ArbiterKind is the number of a kind of arbiter. For a kind with Whole, this number is the parameter KIND of
// arbiter_choice.v. Each kind has its own file, such as arbiter_matrix.go for ArbiterMatrix.
// docs/how-to/add-an-arbiter.md explains how to add a kind.
type ArbiterKind uint8

// ArbiterSpec declares an arbiter kind.
type ArbiterSpec struct {
	Name string // name in scenarios, reports and files
	Does string // the granted requester, e.g. "the lowest requester"
	Uses ArbiterUse

	Slices   bool // the kind needs ArbiterShape.SliceCycles; its turn changes with time
	Weighted bool // the kind reads ArbiterShape.Weights
	Seeded   bool // the kind reads ArbiterShape.Seeds

	New func(ArbiterShape) Arbitration

	RTL     fs.FS     // file system with the twin arbiter_NAME; nil for kinds built into Starloom
	Whole   bool      // arbiter_choice.v implements the kind, so one module can contain the arbiter and the medium
	Mutants []Mistake // mutants of the twin, at least three
}

// A Mistake is a common design error, written as an edit of Verilog text.
type Mistake struct {
	Name     string
	Old, New string // Old occurs exactly once in the first source that contains it
}

// ArbiterShape holds the sizes and settings of a bank of arbiters.
type ArbiterShape struct {
	Path        string // path of the bank in error messages
	Element     func(arbiter int) string
	Arbiters    int
	Requesters  int
	Shards      int
	SliceCycles int       // 0 unless the kind has slices
	Weights     [][]uint8 // by arbiter and requester, 1 if missing; not copied, because RTL may set the weights
	Seeds       []uint32  // by arbiter, 0 means 1; not copied, but read at the first grant after reset
}

// Arbitration is the memory of all arbiters of one kind and shape. It ranks requests.
type Arbitration interface {
	// Rank sets ranks[k], 0..NeverRank, for asks[k]. The lowest rank wins; among equal ranks the lowest requester
	// wins. A request with NeverRank is not granted. asks contains every request of each arbiter that occurs in it,
	// in any order.
	Rank(shard int, asks []Request, ranks []uint64)
	// Granted records that a requester's frame begins.
	Granted(arbiter, requester uint32)
	// Pass advances the turns of kinds with Slices by a number of cycles. In the slot engine, cycles counts slots,
	// and SliceCycles is 1.
	Pass(shard int, cycles uint64)
	// Memory declares the registers. Only Registers, Collect and Derive are read.
	Memory() Declaration
}

// NeverRank is the rank of a request that must not be granted.
const NeverRank = 1<<48 - 1

// Forgetful is an Arbitration without memory. Kinds without memory embed Forgetful.
type Forgetful struct{}

// Granted does nothing.
func (Forgetful) Granted(uint32, uint32) {}

// Pass does nothing.
func (Forgetful) Pass(int, uint64) {}

// Memory returns an empty declaration.
func (Forgetful) Memory() Declaration { return Declaration{} }

// ArbiterUse is a set of roles that an arbiter can have.
type ArbiterUse uint8

// Roles of arbiters. A machine rejects an arbiter in a role that the kind does not declare.
const (
	// ForBuses: arbitrates the taps of a bus.
	ForBuses ArbiterUse = 1 << iota
	// ForSchedules: arbitrates a bus whose senders follow a schedule; a lone request is granted in its cycle.
	ForSchedules
	// ForOutputs: arbitrates one output of a crossbar.
	ForOutputs
	// ForCapped: arbitrates an output under a cap; a grant does not affect later choices.
	ForCapped
	// ForQueues: arbitrates an output that carries several frames per slot; a grant keeps the order of the waiting
	// requests.
	ForQueues
	// ForCaps: chooses inputs under a cap; a grant keeps the order of the waiting requests.
	ForCaps
	// ForLists: orders inputs with lists of outputs (ListRule).
	ForLists
)

var arbiterKinds [256]*ArbiterSpec

// RegisterArbiter declares a kind under a free number. It panics if the declaration is inconsistent.
func RegisterArbiter(kind ArbiterKind, spec ArbiterSpec) {
	if why := spec.wrong(kind); why != "" {
		panic(fmt.Sprintf("hw: arbiter %q, number %d: %s", spec.Name, kind, why))
	}
	arbiterKinds[kind] = &spec
}

var arbiterName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// wrong returns the reason why a declaration is invalid, "" for a valid declaration.
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
		{used && len(s.Mutants) < 3, "a kind needs Verilog, and at least three mutants of it"},
		{s.Slices && s.Uses&^ForBuses != 0, "a kind with Slices serves only buses: only buses have slots for turns"},
		{settings && s.Whole, "arbiter_choice.v has no pins for weights and seeds, so Whole excludes them"},
		{s.RTL != nil && s.Whole, "Whole is only for kinds in Starloom's own arbiter_choice.v"},
		{s.Uses&ForCaps != 0 && !s.Whole, "ForCaps without Whole: cap_arbiter.v chooses by arbiter_choice.v"},
		{s.Uses&ForLists != 0 && s.Name != "fixed" && s.Name != "round_robin", "ForLists is for the kinds of ListRule, " +
			"fixed and round_robin"},
	} {
		if rule.is {
			return rule.why
		}
	}
	return ""
}

const noArbiterKind ArbiterKind = 255

// ArbiterKinds returns all kinds in ascending order.
func ArbiterKinds() (kinds []ArbiterKind) {
	for k, spec := range arbiterKinds {
		if spec != nil {
			kinds = append(kinds, ArbiterKind(k))
		}
	}
	return kinds
}

// ArbiterOf returns the kind with the name, or an undeclared kind if no kind has this name.
func ArbiterOf(name string) ArbiterKind {
	for k, spec := range arbiterKinds {
		if spec != nil && spec.Name == name {
			return ArbiterKind(k)
		}
	}
	return noArbiterKind
}

// Spec returns the kind's declaration, or the zero value for an undeclared kind.
func (k ArbiterKind) Spec() ArbiterSpec {
	if spec := arbiterKinds[k]; spec != nil {
		return *spec
	}
	return ArbiterSpec{}
}

func (k ArbiterKind) String() string {
	if spec := arbiterKinds[k]; spec != nil {
		return spec.Name
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// Works reports whether the kind supports a role.
func (k ArbiterKind) Works(use ArbiterUse) bool { return k.Spec().Uses&use != 0 }

// ArbitersFor returns the names of the kinds that support a role.
func ArbitersFor(use ArbiterUse) (names []string) {
	for _, kind := range ArbiterKinds() {
		if kind.Works(use) {
			names = append(names, kind.String())
		}
	}
	return names
}

// ArbiterWorks reports whether the named kind supports a role.
func ArbiterWorks(name string, use ArbiterUse) bool { return slices.Contains(ArbitersFor(use), name) }

func (s *ArbiterShape) weight(arbiter, requester uint32) uint8 {
	if int(arbiter) < len(s.Weights) {
		if weights := s.Weights[arbiter]; int(requester) < len(weights) {
			return weights[requester]
		}
	}
	return 1
}
