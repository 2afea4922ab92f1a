package netlist

import (
	_ "embed"

	"starloom/fabric/contend"
	"starloom/hw"
)

// servingSource is this file, whose comments describe keys of a scenario.
//
//go:embed shared_keys.go
var servingSource string

// Serving are the keys of stars, buses and crossbars.
type Serving struct {
	// of a star, or of a bus without an arbiter: links to it may have latencies that differ, each that of both of its
	// ways; the shorter ones are padded to the longest
	Align bool `json:"align,omitempty"`
	// which of several senders a bus, or an output of a crossbar, serves: fixed: the first link; round_robin: the next
	// after the last; matrix: the least recently served; weighted_round_robin: the next with credits after the last, of as
	// many as its weight; lottery: drawn among tickets, as many as its weight; tdma, of a bus: the one whose turn the slot
	// is; none: of a bus,
	// frames meet; of a crossbar, all outputs are one medium, and who wants it sends with probability
	// 1/(number of those whose addressee listens) (default: of a bus none, of a crossbar fixed)
	Arbiter string `json:"arbiter,omitempty"`
	// weight of each link of a bus or a crossbar, 1 to 255, in their order; for an arbiter with weights (default 1 each)
	Weights []int `json:"weights,omitempty" jsonschema:"minItems=1,minimum=1,maximum=255"`
	// of a bus, with access switch: processors that may be on it in one slot, the sender included (default: all)
	Length int `json:"length,omitempty" jsonschema:"minimum=2,maximum=2147483647"`
	// of a crossbar: head: a sender asks for one output; list: for all of a list, in its order (default head)
	Matching string `json:"matching,omitempty" jsonschema:"enum=head,enum=list"`
	// of a crossbar: rendezvous: an output takes at most one frame per slot; queue: it takes all of a slot, one after
	// the other (default rendezvous)
	Output string `json:"output,omitempty" jsonschema:"enum=rendezvous,enum=queue"`
	// of a crossbar with output queue: frames for which an output has time in one slot (default: ports-1)
	QueueFrames int `json:"queue_frames,omitempty" jsonschema:"minimum=1,maximum=65533"`
	// of a crossbar: frames that may cross in one slot (default: no limit)
	Cap int `json:"cap,omitempty" jsonschema:"minimum=0,maximum=65534"`
	// of a crossbar: whom the cap serves among equal tags, of which the lowest goes first (default fixed)
	CapArbiter string `json:"cap_arbiter,omitempty"`
}

// Words implements strict.Worded: kinds of arbiters declare themselves.
func (Serving) Words(field string) []string {
	switch field {
	case "Arbiter":
		return append([]string{contend.ArbiterNone}, hw.ArbitersFor(hw.ForBuses|hw.ForOutputs)...)
	case "CapArbiter":
		return hw.ArbitersFor(hw.ForCaps)
	}
	return nil
}

func (Serving) Declaration() string { return servingSource }

// keysOf are the keys of nodes at which processors share something.
var keysOf = map[string][]string{
	kindStar:     {"align"},
	kindBus:      {"arbiter", "weights", "length", "align"},
	kindCrossbar: {"arbiter", "weights", "matching", "output", "queue_frames", "cap", "cap_arbiter"},
}

// The words of keys.
var (
	matchings = []string{"head", "list"}
	outputs   = []string{"rendezvous", "queue"}
)

const (
	matchList   = "list"
	outputQueue = "queue"
)
