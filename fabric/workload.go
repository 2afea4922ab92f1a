package fabric

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"starloom/hw"
	"starloom/traces"
)

// workloadSource is this file: its comments describe keys of a scenario.
//
//go:embed workload.go
var workloadSource string

// Workload is the task of the firmware, in one of its fields. A permutation given directly or in a file ends up in
// Permutation.
type Workload struct {
	// destination of every processor's packet
	Permutation Permutation `json:"permutation"`
	// path of a file with one destination per line (a header line is allowed), relative to the scenario's
	// folder
	File string `json:"file,omitempty" jsonschema:"minLength=1"`
	// one processor broadcasts to all
	OneToAll *OneToAll `json:"one_to_all,omitempty"`
	// every processor broadcasts to all at the same time
	AllToAll *AllToAll `json:"all_to_all,omitempty"`
	// every processor sends its own item to all others; on netlists {}, without keys
	Gossip *Gossip `json:"gossip,omitempty"`
	// an item spreads from one processor to all, by messages to random processors
	Scatter *Scatter `json:"scatter,omitempty"`
	// the permutation that a deterministic two-hop firmware cannot route, built from its choice table
	Adversary *Adversary `json:"adversary,omitempty"`
	// every processor sends a sequence of packets; latencies are measured
	Traffic *Traffic `json:"traffic,omitempty"`
}

func (Workload) Declaration() string { return workloadSource }

const (
	WorkloadPermutation = "permutation" // Workload.Permutation or Workload.File
	WorkloadOneToAll    = "one_to_all"  // Workload.OneToAll
	WorkloadAllToAll    = "all_to_all"  // Workload.AllToAll
	WorkloadAdversary   = "adversary"   // Workload.Adversary
	WorkloadGossip      = "gossip"      // Workload.Gossip
	WorkloadScatter     = "scatter"     // Workload.Scatter
	WorkloadTraffic     = "traffic"     // Workload.Traffic
)

// Kind returns the kind of the workload.
func (w *Workload) Kind() string {
	switch {
	case w.OneToAll != nil:
		return WorkloadOneToAll
	case w.AllToAll != nil:
		return WorkloadAllToAll
	case w.Adversary != nil:
		return WorkloadAdversary
	case w.Gossip != nil:
		return WorkloadGossip
	case w.Scatter != nil:
		return WorkloadScatter
	case w.Traffic != nil:
		return WorkloadTraffic
	}
	return WorkloadPermutation
}

// Usual reports whether the workload is the default workload of a scenario.
func (w *Workload) Usual() bool {
	return w.Kind() == WorkloadPermutation && w.File == "" &&
		(w.Permutation.Kind == "" || w.Permutation.Kind == PermutationRandom)
}

// OneToAll is a broadcast by one processor.
type OneToAll struct {
	// number of the broadcasting processor
	Source int `json:"source" jsonschema:"default=0,minimum=0,maximum=2147483646"`
}

func (OneToAll) Declaration() string { return workloadSource }

// AllToAll makes every processor broadcast.
type AllToAll struct{}

// Gossip makes every processor send its own item to all others, in each session.
type Gossip struct {
	// order in which a processor sends: identity, pipelined, shared-random, worst, optimal, or the path of a file.csv
	// whose row i is the order of processor i, relative to the scenario's folder (default pipelined)
	Orders string `json:"orders,omitempty" jsonschema:"minLength=1"`
	// number of consecutive sessions
	Sessions int `json:"sessions,omitempty" jsonschema:"default=1,minimum=1,maximum=65534"`

	// contents of messages: random, drawn from the seed, or the path of a file.csv relative to the scenario's folder;
	// for a vote a 64-bit integer per module, for patterns a row per pattern with -1, 0 or 1 per neuron (default
	// random)
	Values string `json:"values,omitempty" jsonschema:"minLength=1"`
	// ids of faulty modules in a vote
	Faulty []int `json:"faulty,omitempty" jsonschema:"minItems=1,uniqueItems=true"`
	// value: a faulty module sends the same wrong value to all; two-faced: it sends a wrong one to voters with odd
	// ids; silent: it sends nothing (default value)
	Fault string `json:"fault,omitempty" jsonschema:"enum=value,enum=two-faced,enum=silent"`

	Path       string     `json:"-"` // path of the file of orders from the working folder, "" without a file
	ValuesPath string     `json:"-"` // path of the file of values from the working folder
	Given      [][]uint32 `json:"-"` // orders from Go, instead of Orders
	Vector     []int64    `json:"-"` // values of a vote from Go, instead of Values
}

func (Gossip) Declaration() string { return workloadSource }

// Scatter spreads an item from one processor.
type Scatter struct {
	// number of the first processor with the item
	Origin int `json:"origin" jsonschema:"default=0,minimum=0,maximum=2147483646"`
}

func (Scatter) Declaration() string { return workloadSource }

// FromFile reports whether the orders are in a file.
func (g *Gossip) FromFile() bool { return isTable(g.Orders) }

// ValuesFromFile reports whether the values are in a file.
func (g *Gossip) ValuesFromFile() bool { return isTable(g.Values) }

// Resolve sets the paths of the tables' files.
func (g *Gossip) Resolve(path func(string) string) {
	if g != nil && g.FromFile() {
		g.Path = path(g.Orders)
	}
	if g != nil && g.ValuesFromFile() {
		g.ValuesPath = path(g.Values)
	}
}

func isTable(name string) bool { return strings.HasSuffix(name, ".csv") }

const (
	FaultValue    = "value"     // the same wrong value for everybody
	FaultTwoFaced = "two-faced" // a wrong value for voters with odd ids
	FaultSilent   = "silent"    // no value
	ValuesRandom  = "random"    // drawn from the seed
)

// Count returns the number of sessions.
func (g *Gossip) Count() int { return max(1, g.Sessions) }

// Adversary is a permutation that delays a packet for a number of slots.
type Adversary struct {
	// even number of slots in which a packet must not arrive
	Slots int `json:"slots" jsonschema:"required,minimum=2,maximum=64"`
}

func (Adversary) Declaration() string { return workloadSource }

// Permutation gives the packet of every processor a destination: by a rule, or by a list in which entry i belongs to
// processor i.
type Permutation struct {
	Kind string   // PermutationRandom, PermutationIdentity, PermutationReverse or PermutationList
	List []uint32 // only for PermutationList
}

const (
	PermutationRandom   = "random"   // drawn from the scenario's seed
	PermutationIdentity = "identity" // i to i
	PermutationReverse  = "reverse"  // i to n-1-i
	PermutationList     = "list"     // as given
	PermutationAll      = "all"      // every permutation, one run after the other
)

// MarshalJSON writes the rule's name or the list, as in a scenario file.
func (p Permutation) MarshalJSON() ([]byte, error) {
	if p.Kind == PermutationList {
		return json.Marshal(p.List)
	}
	return json.Marshal(p.Kind)
}

// FillIdentity makes every packet return to its source.
func FillIdentity(permutation []uint32) {
	for i := range permutation {
		permutation[i] = uint32(i)
	}
}

// FillReverse sends processor i's packet to n-1-i.
func FillReverse(permutation []uint32) {
	for i := range permutation {
		permutation[i] = uint32(len(permutation) - 1 - i)
	}
}

// FillRandom sets permutation to a uniformly distributed permutation that depends only on the seed (Fisher-Yates).
func FillRandom(permutation []uint32, seed uint64) {
	stream := hw.NewStream(seed, hw.PurposeWorkload)
	FillIdentity(permutation)
	// The partners of some entries are drawn and loaded ahead, because a large permutation is not in the cache.
	var partners [64]uint32
	for i := len(permutation) - 1; i > 0; {
		some, loaded := partners[:min(i, len(partners))], uint32(0)
		for k := range some {
			some[k] = hw.Below(stream.Draw(uint32(i-k), 0, 0), uint32(i-k+1))
			loaded ^= permutation[some[k]]
		}
		runtime.KeepAlive(loaded)
		for _, j := range some {
			permutation[i], permutation[j] = permutation[j], permutation[i]
			i--
		}
	}
}

// Misplaced returns the reason why a list is not a permutation of the processors, and a remedy. The reason is "" for
// a permutation. entry is the first entry that is out of range or repeated, -1 for a wrong length.
func Misplaced(list []uint32, processors int) (entry int, reason, remedy string) {
	if len(list) != processors {
		count := traces.Plural(processors, "destination", "destinations")
		return -1, fmt.Sprintf("the permutation has %s, but the fabric has %s",
				traces.Plural(len(list), "destination", "destinations"), traces.Plural(processors, "processor", "processors")),
			fmt.Sprintf("give %s: entry i is the destination of processor i's packet", count)
	}
	given, missing := make([]bool, processors), 0
	for _, destination := range list {
		if int(destination) < processors {
			given[destination] = true
		}
	}
	for missing < processors && given[missing] {
		missing++
	}
	clear(given)
	for i, destination := range list {
		if int(destination) >= processors {
			return i, fmt.Sprintf("entry %d of the permutation is %d", i, destination),
				fmt.Sprintf("allowed: 0 to %d", processors-1)
		}
		if given[destination] {
			return i, fmt.Sprintf("not a permutation: destination %d is given twice, by entries %d and %d, and %d is missing",
				destination, slices.Index(list, destination), i, missing), "give every processor exactly one packet"
		}
		given[destination] = true
	}
	return -1, "", ""
}

// CheckPermutation returns an error for the first entry that is out of range 0..processors-1 or repeated.
func CheckPermutation(permutation []uint32, processors int) error {
	if len(permutation) != processors {
		return fmt.Errorf("%s for %s", traces.Plural(len(permutation), "destination", "destinations"),
			traces.Plural(processors, "processor", "processors"))
	}
	seen := make([]bool, processors)
	for i, v := range permutation {
		if uint64(v) >= uint64(processors) {
			return fmt.Errorf("destination %d of processor %d: processors are 0 to %d", v, i, processors-1)
		}
		if seen[v] {
			return fmt.Errorf("destination %d of processor %d is used twice", v, i)
		}
		seen[v] = true
	}
	return nil
}
