package crossbar

import (
	"cmp"
	_ "embed"
	"fmt"
	"strings"

	"starloom/fabric"
	"starloom/fabric/contend"
	"starloom/hw"
	"starloom/nic"
	"starloom/traces/input"
)

// source is this file, whose comments describe keys of a scenario.
//
//go:embed network.go
var source string

// Network is a crossbar: a port per processor, both ways. Any set of frames with distinct
// senders and distinct addressees may cross in one slot. Who wants an output that is taken,
// or does not listen, is blocked, keeps its frame and asks again in the next slot.
//
// What a scenario leaves open is "" or 0, and is that of the program, else the first of each
// list of words.
type Network struct {
	// processors, each with an input and an output
	Ports int `json:"ports" jsonschema:"required,minimum=1,maximum=65534"`
	// crossbar: any frames with distinct senders and addressees cross in one slot (default); aloha: one
	// medium without an arbiter, on which two frames are lost: who wants it sends with probability
	// 1/(number of those whose addressee listens)
	Medium string `json:"medium,omitempty" jsonschema:"enum=crossbar,enum=aloha"`
	// head: a sender asks for one output; list: for all of a list, in its order (default: the program's,
	// else head)
	Matching string `json:"matching,omitempty" jsonschema:"enum=head,enum=list"`
	// rendezvous: an output takes at most one frame per slot; queue: it takes all of a slot, one after the
	// other, into the receive FIFO; both only for who listens (default: the program's, else rendezvous)
	Output string `json:"output,omitempty" jsonschema:"enum=rendezvous,enum=queue"`
	// frames for which an output has time in one slot; only with output: queue (default ports-1)
	QueueFrames int `json:"queue_frames,omitempty" jsonschema:"minimum=1,maximum=65533"`
	// which of several senders an output serves: fixed: the lowest; round_robin: the next after the last; matrix: the
	// least recently served; weighted_round_robin: the next with credits after the last, of as many as its weight;
	// lottery: drawn among tickets, as many as its weight (default fixed)
	Arbiter string `json:"arbiter,omitempty"`
	// weight of each input, 1 to 255; for an arbiter with weights (default 1 each)
	Weights []int `json:"weights,omitempty" jsonschema:"minItems=1,minimum=1,maximum=255"`
	// frames that may cross in one slot; 0 for no limit
	Cap int `json:"cap,omitempty" jsonschema:"minimum=0,maximum=65534"`
	// whom the cap serves among equal tags, of which the lowest goes first (default fixed)
	CapArbiter string `json:"cap_arbiter,omitempty"`

	matchingBy, outputBy string // what has set them where the scenario left them open
	listsFor             string // the scheduling that asks by lists
	turns                string // the schedule of scatter/async, which its parameter chooses

	// What Adapt was told: "" and nil for an image without parameters.
	program string
	params  map[string]int64
}

// Words implements strict.Worded: kinds of arbiters declare themselves.
func (Network) Words(field string) []string {
	switch field {
	case "Arbiter":
		return hw.ArbitersFor(hw.ForOutputs)
	case "CapArbiter":
		return hw.ArbitersFor(hw.ForCaps)
	}
	return nil
}

// Declaration implements strict.Commented: comments say what its keys are.
func (Network) Declaration() string { return source }

// The limits of a crossbar: processors have 16 bits.
const (
	PortsMax       = 65534        // inputs, and outputs
	QueueFramesMax = PortsMax - 1 // frames for an output in one slot
)

// The values of Matching.
const (
	MatchHead = "head" // a sender asks for the output of its first frame
	MatchList = "list" // a sender asks for the outputs of a list
)

// The values of Medium.
const (
	MediumCrossbar = "crossbar" // an output for each processor
	MediumALOHA    = "aloha"    // one medium without an arbiter
)

// The values of Output.
const (
	OutputRendezvous = "rendezvous" // an output takes one frame in a slot
	OutputQueue      = "queue"      // an output takes all frames of a slot
)

// settled gives every key that was left open its default.
func (x Network) settled() Network {
	open := func(word *string, value string) {
		if *word == "" {
			*word = value
		}
	}
	open(&x.Medium, MediumCrossbar)
	open(&x.Matching, MatchHead)
	open(&x.Output, OutputRendezvous)
	open(&x.Arbiter, hw.ArbiterFixed.String())
	open(&x.CapArbiter, hw.ArbiterFixed.String())
	if x.Output == OutputQueue && x.QueueFrames == 0 {
		x.QueueFrames = max(1, x.Ports-1)
	}
	x.Cap = min(x.Cap, x.Ports)
	return x
}

func (x Network) decided() (n fabric.Network, program []string) {
	if x.matchingBy != "" {
		program = append(program, "matching")
	}
	if x.outputBy != "" {
		program = append(program, "output")
	}
	return x.settled(), program
}

// resized has twice as many ports.
func (x Network) resized(steps int) fabric.Network {
	x.Ports = fabric.Scaled(x.Ports, steps)
	return x
}

func (x Network) Kind() string { return "crossbar" }

func (x Network) Check() error {
	sizes := []conflict{
		{x.Ports < 1 || x.Ports > PortsMax, "ports", fmt.Sprintf("ports is %d", x.Ports), fmt.Sprintf("allowed are 1 to %d", PortsMax)},
		{x.QueueFrames < 0 || x.QueueFrames > QueueFramesMax,
			"queue_frames", fmt.Sprintf("queue_frames is %d", x.QueueFrames), fmt.Sprintf("allowed are 1 to %d", QueueFramesMax)},
		{x.Cap < 0 || x.Cap > PortsMax, "cap", fmt.Sprintf("cap is %d", x.Cap), fmt.Sprintf("allowed are 0 (no limit) to %d", PortsMax)},
	}
	for _, c := range append(sizes, x.conflicts()...) {
		if c.is {
			return &input.Error{Place: "fabric.crossbar." + c.key, Reason: c.reason, Remedy: c.remedy}
		}
	}
	return nil
}

// conflict is a value that is not allowed, alone or beside others.
type conflict struct {
	is                  bool
	key, reason, remedy string
}

// conflicts are the values that do not go together; those of the medium come first.
func (x Network) conflicts() []conflict {
	aloha, list, queue := x.Medium == MediumALOHA, x.Matching == MatchList, x.Output == OutputQueue
	kind, capKind := cmp.Or(x.Arbiter, hw.ArbiterFixed.String()), cmp.Or(x.CapArbiter, hw.ArbiterFixed.String())
	arbiter := kind != hw.ArbiterFixed.String()
	either := func(use hw.ArbiterUse) string { return strings.Join(hw.ArbitersFor(use), " or ") }
	weights, weightsRemedy := contend.RefuseWeights(kind, x.Weights, x.Ports, "ports", !aloha && !list && !queue && x.Cap == 0)
	lists, noLists := "matching is list", "delete matching"
	if x.matchingBy != "" {
		lists, noLists = x.matchingBy+" asks by lists", "take scheduling: 0"
	}
	queues := "output is queue"
	if x.outputBy != "" {
		queues = x.outputBy + " takes output: queue"
	}
	return []conflict{
		{aloha && list, "medium",
			lists + ", and on the medium aloha, without an arbiter, a sender asks for one output", noLists + ", or take medium: crossbar"},
		{aloha && x.Cap > 0, "cap",
			fmt.Sprintf("cap is %d, and on the medium aloha one frame crosses in a slot", x.Cap), "delete cap, or take medium: crossbar"},
		{aloha && arbiter, "arbiter",
			fmt.Sprintf("arbiter is %s, and the medium aloha has none", x.Arbiter), "delete arbiter, or take medium: crossbar"},
		{aloha && queue, "medium",
			queues + ", and on the medium aloha one frame crosses in a slot", "take output: rendezvous or medium: crossbar"},
		{list && !hw.ArbiterWorks(kind, hw.ForLists), "arbiter",
			fmt.Sprintf("%s, and lists are served by an arbiter %s, not %s", lists, either(hw.ForLists), kind), "take one of them, or " + noLists},
		{!hw.ArbiterWorks(kind, hw.ForOutputs), "arbiter",
			fmt.Sprintf("arbiter is %s, which serves no output of a crossbar", kind), "take " + either(hw.ForOutputs)},
		{x.Cap > 0 && !list && !hw.ArbiterWorks(kind, hw.ForCapped), "arbiter",
			fmt.Sprintf("arbiter is %s with a cap, and an output would take turns for frames that the cap holds back", kind),
			fmt.Sprintf("take arbiter: %s, or delete cap", either(hw.ForCapped))},
		{!hw.ArbiterWorks(capKind, hw.ForCaps), "cap_arbiter",
			fmt.Sprintf("cap_arbiter is %s, which does not choose whom a cap serves", capKind), "take " + either(hw.ForCaps)},
		{x.Cap == 0 && capKind != hw.ArbiterFixed.String(), "cap_arbiter",
			fmt.Sprintf("cap_arbiter is %s, and there is no cap", x.CapArbiter), "give cap: 1 or more, or delete cap_arbiter"},
		{x.listsFor != "" && !list, "matching",
			fmt.Sprintf("matching is %s, and %s asks by lists", x.Matching, x.listsFor),
			"delete matching, or take matching: list or scheduling: 0"},
		{queue && list, "matching",
			queues + ", and matching list is for outputs that take one frame in a slot", noLists + ", or take output: rendezvous"},
		{queue && !hw.ArbiterWorks(kind, hw.ForQueues), "arbiter",
			fmt.Sprintf("%s, and an arbiter %s changes the order of the inputs with each frame", queues, kind),
			fmt.Sprintf("take arbiter: %s, or output: rendezvous", either(hw.ForQueues))},
		{weights != "", "weights", weights, weightsRemedy},
		{queue && x.Cap != 0, "cap", queues + ", and a cap is for outputs that take one frame in a slot", "delete cap"},
		{!queue && x.QueueFrames != 0, "queue_frames",
			fmt.Sprintf("queue_frames is %d and output %s; it is only for output queue", x.QueueFrames, x.settled().Output),
			"delete queue_frames, or take output: queue"},
	}
}

// Contended is the crossbar in both engines.
func (x Network) Contended() contend.Crossbar {
	x = x.settled()
	c := contend.Crossbar{Head: "crossbar", Ports: x.Ports, NoArbiter: x.Medium == MediumALOHA, List: x.Matching == MatchList,
		Arbiter: hw.ArbiterOf(x.Arbiter), Weights: x.Weights, Cap: x.Cap, CapArbiter: hw.ArbiterOf(x.CapArbiter)}
	if x.Output == OutputQueue {
		c.Queue = x.QueueFrames
	}
	return c
}

func (x Network) Build(plant fabric.Plant) error { return x.Contended().Build(plant, nil) }

func (x Network) slotTransport(c *fabric.Config) (fabric.Transport, error) {
	return x.Contended().SlotTransport(c)
}

// Shape implements fabric.Network: one unit, whose media are the outputs. The first word
// for firmware is cap.
func (x Network) Shape() fabric.Shape {
	c := x.Contended()
	return fabric.Shape{
		Units: 1, PerUnit: c.Ports, Ports: 1, Media: c.Media(), Discipline: c.Discipline(),
		ArbitrationCycles: c.Cycles(), FramesPerSlot: c.Queue, Words: [nic.ShapeWords]uint32{uint32(c.Cap)},
	}
}

func (x Network) Names() fabric.Names { return names{x.Contended()} }

// names are paths such as crossbar.nic[3] and crossbar.output[3], or crossbar.medium[0] if all
// share one.
type names struct{ contend.Crossbar }

func (names) Unit() string                   { return "" }
func (names) Processor(processor int) string { return hw.Index("crossbar.nic", processor) }

func (n names) Port(processor int, _ uint16) string { return n.Processor(processor) + ".port[0]" }

func (n names) SentOn(_ int, _ uint16, towards int) int { return n.HeardOn(towards, 0) }

func (n names) HeardOn(processor int, _ uint16) int {
	if n.Shared() {
		return 0
	}
	return processor
}

// What an output takes, in bytes, beside its frames.
const (
	memorySlot  = 24
	memoryCycle = 96
)

func (x Network) MemoryBytes(c *fabric.Config) uint64 {
	ports := uint64(x.Ports)
	if c.Cycle {
		return ports * (memoryCycle + 3*(ports+63)/64*8)
	}
	return ports * (memorySlot + 2*c.RoomBytes(c.FramePayload()))
}

func (x Network) holds(rule string) string {
	if rule != fabric.RuleCollisionFree || x.Medium == MediumALOHA {
		return ""
	}
	return "an output of a crossbar takes one frame at a time"
}
