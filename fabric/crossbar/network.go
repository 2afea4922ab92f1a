// Package crossbar implements the fabric of gossip and scattering: a port per processor, in both directions, and an
// arbiter per output that selects the sender of each slot.
//
//	processor i --asks--> filter of output q --request--> arbiter of q --grant--+
//	            --light------------------------------------------------> crosspoint --> output q --> link --> processor q
//
// A NIC requests the output of its frame's destination, with the frame's tag, or the outputs of a request list. A
// blocked NIC keeps its frame and repeats the request in the next slot.
package crossbar

import (
	"cmp"
	_ "embed"
	"fmt"

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

// Network is a crossbar: a port per processor, in both directions. Any set of frames with distinct senders and
// distinct addressees may cross in one slot. A sender is blocked if its output is taken or does not listen. A blocked
// sender keeps its frame and repeats its request in the next slot.
//
// Open keys are "" or 0. The program sets them; otherwise the first value in the key's list of values applies.
type Network struct {
	// processors, each with an input and an output
	Ports int `json:"ports" jsonschema:"required,minimum=1,maximum=65534"`
	// crossbar: any frames with distinct senders and addressees cross in one slot (default); aloha: one medium
	// without an arbiter, on which two frames are lost: a waiting sender transmits with probability 1/(number of
	// senders whose addressee listens)
	Medium string `json:"medium,omitempty" jsonschema:"enum=crossbar,enum=aloha"`
	contend.CrossbarKeys

	matchingBy, outputBy string // cause of values that the scenario has left open
	listsFor             string // scheduling that asks by request lists
	turns                string // schedule of scatter/async, selected by the program's parameter

	// arguments of Adapt: "" and nil for an image without parameters
	program string
	params  map[string]int64
}

// Declaration implements strict.Commented.
func (Network) Declaration() string { return source }

// Values of Medium.
const (
	MediumCrossbar = "crossbar" // each processor has an output
	MediumALOHA    = "aloha"    // all processors share one medium without an arbiter
)

func (x Network) settled() Network {
	x.Medium, x.CrossbarKeys = cmp.Or(x.Medium, MediumCrossbar), x.Settled(x.Ports)
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

func (x Network) resized(steps int) fabric.Network {
	x.Ports = fabric.Scaled(x.Ports, steps)
	return x
}

func (x Network) Kind() string { return "crossbar" }

func (x Network) Check() error {
	refused := x.Refuse(x.terms())
	if x.Ports < 1 || x.Ports > contend.PortsMax {
		refused = contend.Refusal{Key: "ports", Reason: fmt.Sprintf("ports is %d", x.Ports),
			Remedy: fmt.Sprintf("allowed: 1 to %d", contend.PortsMax)}
	} else if refused.Reason == "" && x.listsFor != "" && x.Matching != contend.MatchList {
		refused = contend.Refusal{Key: "matching",
			Reason: fmt.Sprintf("matching is %s, but %s requests by lists", x.Matching, x.listsFor),
			Remedy: "delete matching, or use matching: list or scheduling: 0"}
	}
	if refused.Reason != "" {
		return &input.Error{Place: "fabric.crossbar." + refused.Key, Reason: refused.Reason, Remedy: refused.Remedy}
	}
	return nil
}

func (x Network) terms() contend.Terms {
	t := contend.Terms{Ports: x.Ports, Noun: "ports"}
	if x.Medium == MediumALOHA {
		t.NoArbiter.Key, t.NoArbiter.Said, t.NoArbiter.Remedy = "medium", "the medium aloha", "medium: crossbar"
	}
	if x.matchingBy != "" {
		t.Lists, t.NoLists = x.matchingBy+" asks by lists", "take scheduling: 0"
	}
	if x.outputBy != "" {
		t.Queues = x.outputBy + " takes output: queue"
	}
	return t
}

// Contended returns the crossbar for both engines.
func (x Network) Contended() contend.Crossbar {
	return x.Crossbar("crossbar", x.Ports, x.Medium == MediumALOHA)
}

func (x Network) Build(plant fabric.Plant) error { return x.Contended().Build(plant, nil) }

func (x Network) slotTransport(c *fabric.Config) (fabric.Transport, error) {
	return x.Contended().SlotTransport(c)
}

// Shape implements fabric.Network: one unit, whose media are the outputs. The first word for firmware is cap.
func (x Network) Shape() fabric.Shape {
	c := x.Contended()
	return fabric.Shape{
		Units: 1, PerUnit: c.Ports, Ports: 1, Media: c.Media(), Discipline: c.Discipline(),
		ArbitrationCycles: c.Cycles(), FramesPerSlot: c.Queue, Words: [nic.ShapeWords]uint32{uint32(c.Cap)},
	}
}

func (x Network) Names() fabric.Names { return names{x.Contended()} }

// names forms paths such as crossbar.nic[3] and crossbar.output[3], or crossbar.medium[0] for a shared medium.
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

// Bytes of an output, without frames.
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
	return "an output of a crossbar accepts one frame at a time"
}
