package netlist

import (
	_ "embed"

	"starloom/fabric/contend"
	"starloom/hw"
	"starloom/traces/input/strict"
)

// servingSource is this file, whose comments describe keys of a scenario.
//
//go:embed shared_keys.go
var servingSource string

// Serving holds the keys of stars, buses and crossbars.
type Serving struct {
	// true: links to a star, or to a bus without an arbiter, may have different latencies, each for both directions;
	// shorter links are padded to the longest
	Align bool `json:"align,omitempty"`
	// maximum number of processors on a bus in one slot with access switch, including the sender (default: all)
	Length int `json:"length,omitempty" jsonschema:"minimum=2,maximum=2147483647"`
	contend.CrossbarKeys
}

// Words implements strict.Worded with the kinds of arbiters.
func (s Serving) Words(field string) []strict.Word {
	if field != "Arbiter" {
		return s.CrossbarKeys.Words(field)
	}
	words := append([]strict.Word{{Name: contend.ArbiterNone, Meaning: "of a bus, frames meet (default); " +
		"of a crossbar, all outputs are one medium, for which senders compete with probability " +
		"1/(number of senders whose addressee listens)"}},
		contend.ArbiterWords(hw.ForBuses|hw.ForOutputs)...)
	for i := range words[1:] {
		switch word := &words[1+i]; {
		case word.Name == hw.ArbiterFixed.String():
			word.Meaning += " (default of a crossbar)"
		case !hw.ArbiterWorks(word.Name, hw.ForOutputs):
			word.Meaning += " (of a bus)"
		}
	}
	return words
}

// Declaration implements strict.Commented.
func (Serving) Declaration() string { return servingSource }

// keysOf lists the keys of each kind of shared node.
var keysOf = map[string][]string{
	kindStar:     {"align"},
	kindBus:      {"arbiter", "weights", "length", "align"},
	kindCrossbar: {"arbiter", "weights", "matching", "output", "queue_frames", "cap", "cap_arbiter"},
}
