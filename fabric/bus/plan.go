package bus

import (
	"encoding/binary"
	"slices"

	"starloom/fabric/bus/gossip"
	"starloom/hw"
)

// Plan holds the buses of a network and the taps of its vertices. It is immutable.
type Plan struct {
	// vertices of each bus, tap by tap: in the given order, or ascending for buses of a schedule
	Buses [][]int
	// bus of each entry of a schedule's steps; nil without a schedule
	Steps [][]int

	taps *hw.Taps
}

// PlanBuses returns the plan of given buses.
func PlanBuses(vertices int, buses [][]int) *Plan {
	return &Plan{Buses: buses, taps: hw.NewTaps(vertices, buses)}
}

// PlanSteps returns the plan of a schedule's buses, in the order of first use. Equal sets of vertices are one bus, in
// all steps and for all senders.
func PlanSteps(vertices int, steps []gossip.Step) *Plan {
	entries := 0
	for _, step := range steps {
		entries += len(step)
	}
	number, buses, used := make(map[string]int, entries), make([][]int, 0, entries), make([][]int, 0, len(steps))
	var key []byte
	for _, step := range steps {
		in := make([]int, len(step))
		for i, bus := range step {
			members := append([]int{bus.Sender}, bus.Receivers...)
			slices.Sort(members)
			key = key[:0]
			for _, vertex := range members {
				key = binary.LittleEndian.AppendUint32(key, uint32(vertex))
			}
			n, ok := number[string(key)]
			if !ok {
				n = len(buses)
				number[string(key)] = n
				buses = append(buses, members)
			}
			in[i] = n
		}
		used = append(used, in)
	}
	p := PlanBuses(vertices, buses)
	p.Steps = used
	return p
}

// Port returns the port of a vertex at a bus, or -1 if the vertex has no tap at the bus. The ports of a vertex are
// its buses in ascending order.
func (p *Plan) Port(vertex, bus int) int {
	port, ok := slices.BinarySearch(p.taps.Bus[vertex], uint32(bus))
	if !ok {
		return -1
	}
	return port
}

// Ports returns the number of taps of a vertex.
func (p *Plan) Ports(vertex int) int { return len(p.taps.Bus[vertex]) }
