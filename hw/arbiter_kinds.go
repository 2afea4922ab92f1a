package hw

import (
	"fmt"
	"slices"
)

// ArbiterKind says who of several requesters is served.
type ArbiterKind uint8

// The kinds of arbiters. "Free" is a cycle in which no holder goes on.
const (
	// ArbiterFixed: the lowest index. The others may starve.
	ArbiterFixed ArbiterKind = iota
	// ArbiterRoundRobin: the first requester after the one that was granted last.
	// A requester waits for at most Requesters-1 frames of others.
	ArbiterRoundRobin
	// ArbiterMatrix: the requester whose last grant began longest ago, before all
	// of them those that never had one, lowest index first. At most Requesters-1
	// frames of others.
	ArbiterMatrix
	// ArbiterTDMA: requester 0 for SliceCycles cycles, then 1, and so on, whether
	// they request or not; only the one whose turn it is can be granted. The turns
	// never stop: who is still held up by another's frame when its turn ends has
	// lost it.
	ArbiterTDMA
)

// ArbiterKinds are the names of the kinds in scenarios, reports and files.
var ArbiterKinds = []string{"fixed", "round_robin", "matrix", "tdma"}

// ArbiterUse is what an arbiter is used for.
type ArbiterUse uint8

// The uses. A kind is refused for any that it is not known to work for (arbiterUses).
const (
	// ForBuses: to serve the taps of a bus.
	ForBuses ArbiterUse = 1 << iota
	// ForSchedules: to serve a bus whose senders keep a schedule: who requests alone is granted in that cycle.
	ForSchedules
	// ForOutputs: to serve an output of a crossbar.
	ForOutputs
	// ForCapped: to serve an output whose frames a cap may hold back: a grant changes nothing of later choices.
	ForCapped
	// ForCaps: to choose whom a cap serves.
	ForCaps
	// ForLists: to give turns to inputs that ask for one output of a list.
	ForLists
)

// arbiterUses are the uses of each kind. A kind without an entry has none.
var arbiterUses = []ArbiterUse{
	ArbiterFixed:      ForBuses | ForSchedules | ForOutputs | ForCapped | ForCaps | ForLists,
	ArbiterRoundRobin: ForBuses | ForSchedules | ForOutputs | ForCaps | ForLists,
	ArbiterMatrix:     ForBuses | ForSchedules | ForOutputs | ForCaps,
	ArbiterTDMA:       ForBuses,
}

// String returns the kind's name.
func (k ArbiterKind) String() string {
	if int(k) < len(ArbiterKinds) {
		return ArbiterKinds[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// Works reports whether a kind is known to work for a use.
func (k ArbiterKind) Works(use ArbiterUse) bool {
	return int(k) < len(arbiterUses) && arbiterUses[k]&use != 0
}

// ArbitersFor are the names of the kinds that work for a use.
func ArbitersFor(use ArbiterUse) (names []string) {
	for k := range arbiterUses {
		if kind := ArbiterKind(k); kind.Works(use) {
			names = append(names, kind.String())
		}
	}
	return names
}

// ArbiterWorks reports whether the kind of a name is known to work for a use.
func ArbiterWorks(name string, use ArbiterUse) bool { return slices.Contains(ArbitersFor(use), name) }

// ArbiterOf is the kind of a name; one that works for no use if there is none.
func ArbiterOf(name string) ArbiterKind { return ArbiterKind(slices.Index(ArbiterKinds, name)) }
