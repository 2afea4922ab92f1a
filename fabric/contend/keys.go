package contend

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"starloom/hw"
	"starloom/traces/input/strict"
)

// keysSource is this file, whose comments describe keys of a scenario.
//
//go:embed keys.go
var keysSource string

// ArbiterKeys holds the keys of an arbiter.
type ArbiterKeys struct {
	// sender that is served
	Arbiter string `json:"arbiter,omitempty"`
	// weight of each sender, 1 to 255: of each port of a crossbar, or of each tap of a bus in the order of its
	// vertices or links; for arbiters with weights (default 1 each)
	Weights []int `json:"weights,omitempty" jsonschema:"minItems=1,minimum=1,maximum=255"`
}

// CrossbarKeys holds the keys of a crossbar. Settled replaces "" and 0 by defaults.
type CrossbarKeys struct {
	// head: a sender requests one output; list: all outputs of a list, in order (default: the program's, otherwise
	// head)
	Matching string `json:"matching,omitempty" jsonschema:"enum=head,enum=list"`
	// rendezvous: an output accepts at most one frame per slot; queue: it accepts all frames of a slot, one after the
	// other, into the receive FIFO; both only while the receiver listens (default: the program's, otherwise
	// rendezvous)
	Output string `json:"output,omitempty" jsonschema:"enum=rendezvous,enum=queue"`
	// maximum number of frames at an output in one slot; only with output: queue (default ports-1)
	QueueFrames int `json:"queue_frames,omitempty" jsonschema:"minimum=1,maximum=65533"`
	ArbiterKeys
	// maximum number of frames in one slot; 0 for no limit
	Cap int `json:"cap,omitempty" jsonschema:"minimum=0,maximum=65534"`
	// order of senders under the cap among equal tags; lower tags precede (default fixed)
	CapArbiter string `json:"cap_arbiter,omitempty"`
}

// Values of Matching and Output.
const (
	MatchHead        = "head"       // a sender requests the output of its first frame
	MatchList        = "list"       // a sender requests the outputs of a list
	OutputRendezvous = "rendezvous" // an output accepts one frame in a slot
	OutputQueue      = "queue"      // an output accepts all frames of a slot
)

// Limits of a crossbar. Processor numbers have 16 bits.
const (
	PortsMax       = 65534        // limit of inputs, also of outputs
	QueueFramesMax = PortsMax - 1 // maximum number of frames at an output in one slot
)

// Words implements strict.Worded with the arbiters of buses.
func (ArbiterKeys) Words(field string) []strict.Word {
	if field != "Arbiter" {
		return nil
	}
	return append([]strict.Word{{Name: ArbiterNone, Meaning: "all of them, and their frames are lost (default)"}},
		ArbiterWords(hw.ForBuses)...)
}

// Declaration implements strict.Commented.
func (ArbiterKeys) Declaration() string { return keysSource }

// Words implements strict.Worded with the arbiters of crossbars.
func (CrossbarKeys) Words(field string) (words []strict.Word) {
	switch field {
	case "Arbiter":
		words = ArbiterWords(hw.ForOutputs)
		words[0].Meaning += " (default)"
	case "CapArbiter":
		for _, name := range hw.ArbitersFor(hw.ForCaps) {
			words = append(words, strict.Word{Name: name})
		}
	}
	return words
}

// Declaration implements strict.Commented.
func (CrossbarKeys) Declaration() string { return keysSource }

// ArbiterWords returns the kinds of arbiters for a use, each with a description of the granted sender.
func ArbiterWords(use hw.ArbiterUse) (words []strict.Word) {
	for _, name := range hw.ArbitersFor(use) {
		words = append(words, strict.Word{Name: name, Meaning: hw.ArbiterOf(name).Spec().Does})
	}
	return words
}

// Settled replaces open keys of a crossbar by their defaults, and reduces the cap to the number of ports.
func (k CrossbarKeys) Settled(ports int) CrossbarKeys {
	k.Matching, k.Output = cmp.Or(k.Matching, MatchHead), cmp.Or(k.Output, OutputRendezvous)
	k.Arbiter, k.CapArbiter = cmp.Or(k.Arbiter, hw.ArbiterFixed.String()), cmp.Or(k.CapArbiter, hw.ArbiterFixed.String())
	if k.Output == OutputQueue && k.QueueFrames == 0 {
		k.QueueFrames = max(1, ports-1)
	}
	k.Cap = min(k.Cap, ports)
	return k
}

// Crossbar returns the crossbar with these keys. The fixed arbiter replaces a rejected one.
func (k CrossbarKeys) Crossbar(head string, ports int, noArbiter bool) Crossbar {
	k = k.Settled(ports)
	kind := func(name string) hw.ArbiterKind {
		if !hw.ArbiterWorks(name, hw.ForOutputs) {
			return hw.ArbiterFixed
		}
		return hw.ArbiterOf(name)
	}
	c := Crossbar{Head: head, Ports: ports, NoArbiter: noArbiter, List: k.Matching == MatchList,
		Arbiter: kind(k.Arbiter), Weights: k.Weights, Cap: k.Cap, CapArbiter: kind(k.CapArbiter)}
	if k.Output == OutputQueue {
		c.Queue = k.QueueFrames
	}
	return c
}

// Refusal describes a value that is illegal alone or in combination with others: its key, the reason and the remedy.
// Reason is "" if all values are legal.
type Refusal struct{ Key, Reason, Remedy string }

// Refuse checks the weights against the number of requesters of an arbiter. noun is the noun for requesters. others
// permits another arbiter as the remedy.
func (k ArbiterKeys) Refuse(requesters int, noun string, others bool) Refusal {
	var weighted []string
	for _, kind := range hw.ArbiterKinds() {
		if kind.Spec().Weighted {
			weighted = append(weighted, kind.String())
		}
	}
	switch either := strings.Join(weighted, " or "); {
	case k.Weights == nil:
		return Refusal{}
	case !slices.Contains(weighted, k.Arbiter):
		remedy := "delete weights"
		if others {
			remedy += ", or use arbiter: " + either
		}
		return Refusal{"weights",
			fmt.Sprintf("weights need arbiter %s, but arbiter is %s", either, cmp.Or(k.Arbiter, ArbiterNone)), remedy}
	case len(k.Weights) > requesters:
		return Refusal{"weights", fmt.Sprintf("%d weights are given for %d %s", len(k.Weights), requesters,
			noun), "delete the surplus weights"}
	}
	for i, weight := range k.Weights {
		if weight < WeightMin || weight > WeightMax {
			return Refusal{"weights", fmt.Sprintf("weight %d is %d", i, weight),
				fmt.Sprintf("allowed: %d to %d", WeightMin, WeightMax)}
		}
	}
	return Refusal{}
}

// Terms holds a network's wording for refused keys of a crossbar.
type Terms struct {
	Ports int
	Noun  string // noun for ports: "ports", "links"

	// For a crossbar without an arbiter: the key that removes the arbiter, the key's description, and the remedy; ""
	// with an arbiter.
	NoArbiter struct{ Key, Said, Remedy string }

	Lists, NoLists string // cause of requests by lists, and the remedy; "" if the cause is the key matching
	Queues         string // cause of queues at outputs; "" if the cause is the key output
}

// Refuse checks for values out of range and for contradictions, first those of a crossbar without an arbiter.
func (k CrossbarKeys) Refuse(t Terms) Refusal {
	none, list, queue := t.NoArbiter.Key != "", k.Matching == MatchList, k.Output == OutputQueue
	set := k.Settled(t.Ports)
	kind, capKind, fixed := set.Arbiter, set.CapArbiter, hw.ArbiterFixed.String()
	if none && kind == ArbiterNone {
		kind = fixed
	}
	works := func(use hw.ArbiterUse) bool { return hw.ArbiterWorks(kind, use) }
	either := func(use hw.ArbiterUse) string { return strings.Join(hw.ArbitersFor(use), " or ") }
	lists, noLists, queues := cmp.Or(t.Lists, "matching is list"), cmp.Or(t.NoLists, "delete matching"),
		cmp.Or(t.Queues, "output is queue")
	for _, rule := range []struct {
		is bool
		Refusal
	}{
		{k.QueueFrames < 0 || k.QueueFrames > QueueFramesMax,
			Refusal{"queue_frames", fmt.Sprintf("queue_frames is %d", k.QueueFrames),
				fmt.Sprintf("allowed: 1 to %d", QueueFramesMax)}},
		{k.Cap < 0 || k.Cap > PortsMax,
			Refusal{"cap", fmt.Sprintf("cap is %d", k.Cap), fmt.Sprintf("allowed: 0 (no limit) to %d", PortsMax)}},
		{none && list, Refusal{t.NoArbiter.Key,
			lists + ", but a sender requests only one output on " + t.NoArbiter.Said + ", which has no arbiter",
			noLists + ", or use " + t.NoArbiter.Remedy}},
		{none && k.Cap > 0,
			Refusal{"cap", fmt.Sprintf("cap is %d, but only one frame crosses %s in a slot", k.Cap, t.NoArbiter.Said),
				"delete cap, or use " + t.NoArbiter.Remedy}},
		{none && kind != fixed,
			Refusal{"arbiter", fmt.Sprintf("arbiter is %s, but %s has no arbiter", kind, t.NoArbiter.Said),
				"delete arbiter, or use " + t.NoArbiter.Remedy}},
		{none && queue, Refusal{t.NoArbiter.Key, queues + ", but only one frame crosses " + t.NoArbiter.Said + " in a slot",
			"use output: rendezvous or " + t.NoArbiter.Remedy}},
		{list && !works(hw.ForLists), Refusal{"arbiter",
			fmt.Sprintf("%s, but lists need arbiter %s, and arbiter is %s", lists, either(hw.ForLists), kind),
			"use one of these arbiters, or " + noLists}},
		{!works(hw.ForOutputs), Refusal{"arbiter",
			fmt.Sprintf("arbiter is %s, which cannot serve the outputs of a crossbar", kind), "use " + either(hw.ForOutputs)}},
		{k.Cap > 0 && !list && !works(hw.ForCapped), Refusal{"arbiter",
			fmt.Sprintf("arbiter is %s, but with a cap its turns would go to frames that the cap holds back", kind),
			fmt.Sprintf("use arbiter: %s, or delete cap", either(hw.ForCapped))}},
		{!hw.ArbiterWorks(capKind, hw.ForCaps), Refusal{"cap_arbiter",
			fmt.Sprintf("cap_arbiter is %s, which cannot choose the senders under a "+
				"cap", capKind), "use " + either(hw.ForCaps)}},
		{k.Cap == 0 && capKind != fixed, Refusal{"cap_arbiter",
			fmt.Sprintf("cap_arbiter is %s, but no cap is given", capKind), "give cap: 1 or more, or delete cap_arbiter"}},
		{queue && list, Refusal{"matching",
			queues + ", but matching: list needs outputs that accept one frame in a slot",
			noLists + ", or use output: rendezvous"}},
		{queue && !works(hw.ForQueues), Refusal{"arbiter",
			fmt.Sprintf("%s, but arbiter %s changes the order of the inputs with each frame", queues, kind),
			fmt.Sprintf("use arbiter: %s, or output: rendezvous", either(hw.ForQueues))}},
		{queue && k.Cap != 0, Refusal{"cap",
			queues + ", but a cap needs outputs that accept one frame in a slot", "delete cap"}},
		{!queue && k.QueueFrames != 0, Refusal{"queue_frames",
			fmt.Sprintf("queue_frames is %d, but output is %s, not queue", k.QueueFrames, set.Output),
			"delete queue_frames, or use output: queue"}},
	} {
		if rule.is {
			return rule.Refusal
		}
	}
	return set.ArbiterKeys.Refuse(t.Ports, t.Noun, !none && !list && !queue && k.Cap == 0)
}
