// Package bus implements the bus network: vertices, and buses that are sets of vertices.
//
//	        vertex 0   vertex 1   vertex 2   vertex 3
//	           |          |          |          |         each on one bus in a slot
//	bus 0   ---+----------+----------+-------------------
//	bus 1   --------------+---------------------+--------
//	bus 2   --------------------------+---------+--------
//
// A frame that a vertex sends on a bus reaches all vertices that listen to it. Two frames on one bus are lost, unless
// an arbiter lets one of them wait.
package bus

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"starloom/fabric"
	"starloom/fabric/contend"
	"starloom/hw"
	"starloom/nic"
	"starloom/traces"
	"starloom/traces/input"
)

// source is this file, whose comments describe keys of a scenario.
//
//go:embed network.go
var source string

// Network is a bus network: vertices, and buses that are sets of at least two vertices. In a slot a vertex sends or
// listens on one bus: its NIC has one switch for all its taps. A frame on a bus reaches all other vertices on the bus
// (S. Fujita, C. Laforest and S. Perennes, "A Gossip Algorithm for Bus Networks with Buses of Limited Length",
// section 2).
//
// The programs of gossip set the buses of their schedules. All other firmware uses Buses.
//
// With an arbiter, a vertex keeps a blocked frame and requests the bus again in the next slot; its switch stays at
// the bus. The number of turns of tdma is the number of taps of the longest bus: a slot belongs to tap slot mod taps.
type Network struct {
	// processors, each with a NIC that is on one bus in a slot
	Vertices int `json:"vertices" jsonschema:"required,minimum=2,maximum=65534"`
	// maximum number of vertices on a bus in one slot, including the sender; a value above vertices has no effect
	// (default: the largest of buses)
	Length int `json:"length,omitempty" jsonschema:"minimum=2,maximum=2147483647"`
	// the vertices of each bus, highest priority first; only for firmware that needs fixed buses: a program of gossip
	// defines the buses of its schedule
	Buses [][]int `json:"buses,omitempty" jsonschema:"minItems=1"`
	contend.ArbiterKeys

	schedule string // name of the schedule that defines the buses, "" for given buses
	plan     func() *Plan
}

// Declaration implements strict.Commented.
func (Network) Declaration() string { return source }

// Limits of a bus network: processors and taps have 16 bits.
const (
	VerticesMin = 2       // a bus joins two vertices
	VerticesMax = 65534   // limit of vertices
	LengthMin   = 2       // a bus has a sender and a receiver
	BusesMax    = 1 << 20 // limit of buses
)

func (b Network) resized(steps int) fabric.Network {
	if b.Buses != nil {
		return nil
	}
	b.Vertices = fabric.Scaled(b.Vertices, steps)
	return b
}

func (b Network) Kind() string { return "bus" }

func (b Network) Check() error {
	refuse := func(key, reason, remedy string) error {
		return &input.Error{Place: "fabric.bus." + key, Reason: reason, Remedy: remedy}
	}
	scheduled, arbiters := b.schedule != "", append([]string{contend.ArbiterNone}, hw.ArbitersFor(hw.ForBuses)...)
	switch {
	case b.Vertices < VerticesMin || b.Vertices > VerticesMax:
		return refuse("vertices", fmt.Sprintf("vertices is %d", b.Vertices),
			fmt.Sprintf("allowed: %d to %d", VerticesMin, VerticesMax))
	case b.Length < 0 || b.Length == 1:
		return refuse("length", fmt.Sprintf("length is %d", b.Length),
			"allowed: 2 or more; a bus has a sender and a receiver")
	case b.Arbiter != "" && !slices.Contains(arbiters, b.Arbiter):
		return refuse("arbiter", fmt.Sprintf("arbiter is %q", b.Arbiter), "allowed: "+strings.Join(arbiters, ", "))
	case len(b.Buses) > BusesMax:
		return refuse("buses", fmt.Sprintf("there are %d buses", len(b.Buses)), fmt.Sprintf("allowed: 1 to %d", BusesMax))
	case scheduled && b.Buses != nil:
		return refuse("buses", fmt.Sprintf("the schedule %s brings its own buses", b.schedule), "delete buses")
	case scheduled && b.Length == 0:
		return refuse("length", fmt.Sprintf("the schedule %s needs a length, the maximum number of vertices on a bus in "+
			"one slot",
			b.schedule), "add length, 2 or more")
	case scheduled && b.arbitrated() && !hw.ArbiterWorks(b.Arbiter, hw.ForSchedules):
		return refuse("arbiter", fmt.Sprintf("the schedule %s determines the sender of each slot, but arbiter %s grants "+
			"the bus"+
			" a lone request at once", b.schedule, b.Arbiter), "take another arbiter, or none")
	case !scheduled && b.Buses == nil:
		return refuse("buses", "there are no buses", "add buses: [[0, 1], ...], a list of vertices for each bus, or use a "+
			"program "+
			"of gossip, whose schedule brings them: "+
			strings.Join(scheduleNames(), ", "))
	}
	for i, bus := range b.Buses {
		key := hw.Index("buses", i)
		if len(bus) < LengthMin {
			return refuse(key, fmt.Sprintf("bus %d has %s", i,
				traces.Plural(len(bus), "vertex", "vertices")), "give it 2 or more")
		}
		place := make(map[int]int, len(bus))
		for k, vertex := range bus {
			at := hw.Index(key, k)
			if vertex < 0 || vertex >= b.Vertices {
				return refuse(at, fmt.Sprintf("vertex %d is on bus %d", vertex, i),
					fmt.Sprintf("allowed: 0 to %d", b.Vertices-1))
			}
			if before, ok := place[vertex]; ok {
				return refuse(at, fmt.Sprintf("vertex %d is on bus %d twice, at positions %d and %d", vertex, i,
					before, k), "delete one")
			}
			place[vertex] = k
		}
	}
	if r := b.Refuse(b.limit(), "vertices of a bus", true); r.Reason != "" {
		return refuse(r.Key, r.Reason, r.Remedy)
	}
	return nil
}

// adapt selects the buses of a schedule; without a schedule, Buses. An image without a schedule keeps the network's
// schedule.
func (b Network) adapt(program, schedule string, _ map[string]int64) fabric.Network {
	if program != "" {
		schedule, _ = strings.CutPrefix(program, "bus/")
	}
	if program != "" || schedule != "" {
		b.schedule = ""
	}
	if schedules[schedule].steps != nil {
		b.schedule = schedule
	}
	steps, n, l, buses := schedules[b.schedule].steps, b.Vertices, b.Length, b.Buses
	b.plan = sync.OnceValue(func() *Plan {
		if steps != nil {
			return PlanSteps(n, steps(n, l))
		}
		return PlanBuses(n, buses)
	})
	return b
}

// Plan returns the buses of an adapted network after a successful Check.
func (b Network) Plan() *Plan {
	if b.plan == nil {
		b = b.adapt("", "", nil).(Network)
	}
	return b.plan()
}

func (b Network) limit() int {
	if b.Length > 0 {
		return b.Length
	}
	longest := 0
	for _, bus := range b.Buses {
		longest = max(longest, len(bus))
	}
	return longest
}

func (b Network) settled() (n fabric.Network, program []string) {
	b.Length = b.limit()
	b.Arbiter = contend.ArbiterOf(b.Arbiter).String()
	return b, nil
}

func (b Network) arbitrated() bool { return contend.ArbiterOf(b.Arbiter) != contend.None }

func (b Network) switched() fabric.Switched {
	return fabric.Switched{Taps: b.Plan().taps, Most: b.limit()}
}

// Contended returns the buses for both engines.
func (b Network) Contended() *contend.Buses {
	p := b.Plan()
	buses := hw.Bank{Name: "bus.bus", Units: 1, PerUnit: len(p.Buses)}
	wires := buses
	wires.Part = "wire"
	return &contend.Buses{Bank: buses, Wires: wires, Taps: p.taps, Arbiter: contend.ArbiterOf(b.Arbiter),
		Weights: contend.SameWeights(b.Weights, len(p.Buses)), Place: "fabric.bus.arbiter"}
}

func (b Network) Build(plant fabric.Plant) error { return b.Contended().Build(plant, nil) }

func (b Network) slotTransport(c *fabric.Config) (fabric.Transport, error) {
	return b.Contended().SlotTransport(b.Shape(), b.Names(), b.switched(), c)
}

// Shape implements fabric.Network: one unit, whose media are the buses. The words for firmware are the number of
// vertices, the length, the number of buses, and a flag: 1 if the buses have arbiters.
func (b Network) Shape() fabric.Shape {
	p := b.Plan()
	s := fabric.Shape{
		Units: 1, PerUnit: b.Vertices, Ports: p.taps.Ports, Media: len(p.Buses), Discipline: b.switched(),
	}
	if b.arbitrated() {
		s.Discipline, s.ArbitrationCycles = fabric.Arbitrated{Switched: b.switched()}, 1
	}
	s.Words = [nic.ShapeWords]uint32{uint32(b.Vertices), uint32(min(b.limit(), b.Vertices)), uint32(len(p.Buses)),
		uint32(s.ArbitrationCycles)}
	return s
}

func (b Network) Names() fabric.Names { return names{b.Plan()} }

// names forms paths such as bus.nic[3], bus.bus[2], and bus.bus[2].tap[1] for the port of the second vertex of bus 2.
type names struct{ plan *Plan }

func (names) Unit() string                   { return "" }
func (names) Processor(processor int) string { return hw.Index("bus.nic", processor) }
func (names) Medium(medium int) string       { return hw.Index("bus.bus", medium) }
func (n names) Link(medium int) string       { return n.Medium(medium) + ".wire" }
func (names) MediumNoun() (one, many string) { return "bus", "buses" }

func (n names) Port(processor int, port uint16) string {
	if taps := n.plan.taps.Bus[processor]; int(port) < len(taps) {
		return hw.Index(n.Medium(int(taps[port]))+".tap", int(n.plan.taps.Tap[processor][port]))
	}
	return hw.Index(n.Processor(processor)+".port", int(port))
}

func (n names) SentOn(processor int, port uint16, _ int) int { return n.HeardOn(processor, port) }

func (n names) HeardOn(processor int, port uint16) int {
	if taps := n.plan.taps.Bus[processor]; int(port) < len(taps) {
		return int(taps[port])
	}
	return -1
}

func (b Network) rom(*fabric.Workload, *fabric.Program) (fabric.ROM, error) {
	return tapROM{b.Plan()}, nil
}

type tapROM struct{ plan *Plan }

func (r tapROM) Words() (processor, machine int) { return 1 + r.plan.taps.Ports, 0 }

func (r tapROM) Processor(processor int, _ uint64, dst []uint32) {
	dst[0] = uint32(r.plan.Ports(processor))
	copy(dst[1:], r.plan.taps.Bus[processor])
}

func (r tapROM) Machine(uint64, []uint32) {}

// Bytes of a bus, of a tap or of a vertex, without frames.
const (
	memoryBus   = 64
	memoryTap   = 56   // grown lists, and the arbiter's counter
	memoryAsks  = 40   // request and grant of a tap, in the cycle engine
	memoryRanks = 112  // request, rank and choice of a vertex, in growing lists of the slot engine
	memoryCycle = 96   // light at both ends, request lines, grants
	memoryPlan  = 1200 // steps of gossip per vertex, with the garbage of their computation
)

func (b Network) MemoryBytes(c *fabric.Config) uint64 {
	p := b.Plan()
	buses, taps := uint64(len(p.Buses)), uint64(0)
	for _, bus := range p.Buses {
		taps += uint64(len(bus))
	}
	if c.Cycle {
		return buses*(memoryBus+memoryCycle) + taps*(memoryTap+memoryAsks)
	}
	bytes := buses*memoryBus + taps*memoryTap + 2*uint64(b.Vertices)*c.RoomBytes(c.FramePayload())
	if b.arbitrated() {
		bytes += uint64(b.Vertices) * memoryRanks
	}
	return bytes
}

// Bytes of Waiting per vertex without waiting frames, and per tap.
const (
	memoryWaiting    = 45
	memoryWaitingTap = 44
	memoryReported   = 670 // report on one tap of each vertex
)

func (b Network) workloadBytes(*fabric.Workload, *fabric.Program) (kept, roms uint64) {
	if b.schedule == "" {
		taps := 0
		for _, bus := range b.Plan().Buses {
			taps += len(bus)
		}
		return uint64(b.Vertices)*(memoryWaiting+memoryReported) + uint64(taps)*memoryWaitingTap, 0
	}
	return uint64(b.Vertices) * (uint64(setWords(b.Vertices))*8 + memoryPlan), 0
}

// holds returns the reason why no run can break a rule, or "" if a run may break the rule. The buses of a schedule
// are never too long. A schedule for more than two vertices gives vertices several buses.
func (b Network) holds(rule string) string {
	switch {
	case rule == fabric.RuleCollisionFree && b.arbitrated():
		return "the arbiter admits one frame at a time to the bus"
	case rule == fabric.RuleBusLength && b.schedule != "":
		return "no bus of a schedule joins more vertices than length allows"
	case (b.schedule == "" || b.Vertices == VerticesMin) && b.Check() == nil:
		return b.switched().Holds(rule)
	}
	return ""
}
