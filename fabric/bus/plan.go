package bus

import (
	"encoding/binary"
	"slices"

	"starloom/fabric/bus/gossip"
	"starloom/hw"
)

// Plan is which buses there are, and which taps a vertex has. It does not change.
type Plan struct {
	// Buses are the vertices of each, tap by tap: in the order in which they were given, in
	// ascending order if the bus is one of a schedule.
	Buses [][]int
	// Steps are, for the steps of a schedule, the bus of each of its entries; nil without one.
	Steps [][]int

	taps *hw.Taps
}

// PlanBuses has the buses that are given.
func PlanBuses(vertices int, buses [][]int) *Plan {
	return &Plan{Buses: buses, taps: hw.NewTaps(vertices, buses)}
}

// PlanSteps has the buses that a schedule uses, in the order in which it does: vertices that are
// together on a bus in several steps have one for all of them, whoever sends.
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

// Port returns the port of a vertex that leads to a bus, -1 if it has no tap there: its ports are
// its buses in ascending order.
func (p *Plan) Port(vertex, bus int) int {
	port, ok := slices.BinarySearch(p.taps.Bus[vertex], uint32(bus))
	if !ok {
		return -1
	}
	return port
}

// Ports returns how many taps a vertex has.
func (p *Plan) Ports(vertex int) int { return len(p.taps.Bus[vertex]) }
