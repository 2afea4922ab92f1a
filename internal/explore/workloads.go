package explore

import (
	"fmt"
	"iter"
	"slices"

	"starloom/fabric"
	"starloom/fabric/traffic"
	"starloom/hw"
	"starloom/internal/config"
	"starloom/internal/runs"
)

// workload is one of the workloads to explore.
type workload struct {
	permutation []uint32 // nil for the scenario's
	arrivals    []uint32 // by chosen packet: its slot
}

func (x workload) equal(y workload) bool {
	return slices.Equal(x.permutation, y.permutation) && slices.Equal(x.arrivals, y.arrivals)
}

// arrivalsMax bounds the combinations of slots of packets.
const arrivalsMax = 4096

// planArrivals checks the packets whose slots are chosen. It gives the configuration a workload of its own, which the
// search changes.
func (b *Bounds) planArrivals(c *config.Config) error {
	chosen := b.chooses(choiceArrivals)
	switch {
	case chosen && len(b.Arrivals) == 0:
		return c.Source.Refuse("explore.choices", "no packet is given whose slot is chosen",
			"write arrivals: [{packet: 0, from: 0, to: 10}] beside choices")
	case !chosen && len(b.Arrivals) > 0:
		return c.Source.Refuse("explore.arrivals", "choices does not list arrivals", "write choices: [arrivals]")
	case !chosen:
		return nil
	case c.Traffic == nil || c.Traffic.Rows == nil:
		return c.Source.Refuse("explore.arrivals", "the workload has no file of packets",
			"write workload: {traffic: {file: packets.csv}}")
	}
	total := uint64(1)
	for i, a := range b.Arrivals {
		at := hw.Index("explore.arrivals", i)
		if a.From > a.To {
			return c.Source.Refuse(at, fmt.Sprintf("from is %d, and to is %d", a.From, a.To), "give slots in order")
		}
		if slices.ContainsFunc(b.Arrivals[:i], func(o Arrival) bool { return o.Packet == a.Packet }) {
			return c.Source.Refuse(at, fmt.Sprintf("packet %d occurs twice", a.Packet), "delete one entry")
		}
		if total *= uint64(a.To-a.From) + 1; total > arrivalsMax {
			return c.Source.Refuse("explore.arrivals", fmt.Sprintf("the packets have more than %d combinations of slots",
				arrivalsMax), "give fewer packets or slots")
		}
	}
	if _, unknown := traffic.Moved(c.Traffic.Rows, b.moves(nil), 1); unknown < len(b.Arrivals) {
		return c.Source.Refuse(hw.Index("explore.arrivals", unknown), fmt.Sprintf("the file has no packet %d",
			b.Arrivals[unknown].Packet), "give the id of a row of "+c.Traffic.File)
	}
	own := *c.Traffic
	c.Traffic = &own
	return nil
}

// moves puts the chosen packets into slots; nil: each into its last.
func (b *Bounds) moves(slots []uint32) (moves []traffic.Move) {
	for i, a := range b.Arrivals {
		if slots != nil {
			a.To = slots[i]
		}
		moves = append(moves, traffic.Move{ID: a.Packet, Slot: a.To})
	}
	return moves
}

// Latest returns the chosen packets of a configuration's file in their last slots. A scenario with these slots has a
// window that covers all of them.
func (b *Bounds) Latest(c *config.Config) (list []config.ChosenArrival) {
	for _, a := range b.Arrivals {
		named := func(r fabric.TrafficRow) bool { return r.ID == a.Packet }
		if c.Traffic != nil && slices.ContainsFunc(c.Traffic.Rows, named) {
			list = append(list, config.ChosenArrival{Packet: a.Packet, Slot: a.To})
		}
	}
	return list
}

// workloads yields the workloads to explore.
func (b *Bounds) workloads(c *config.Config) iter.Seq[workload] {
	if c.Workload.Permutation.Kind == fabric.PermutationAll {
		return allPermutations(c.Network.Shape().Processors())
	}
	if !b.chooses(choiceArrivals) {
		return slices.Values([]workload{{}})
	}
	return func(yield func(workload) bool) {
		var slots []uint32
		for _, a := range b.Arrivals {
			slots = append(slots, a.From)
		}
		for k := 0; k >= 0; {
			if !yield(workload{arrivals: slices.Clone(slots)}) {
				return
			}
			for k = len(slots) - 1; k >= 0; k-- { // the next combination
				if slots[k]++; slots[k] <= b.Arrivals[k].To {
					break
				}
				slots[k] = b.Arrivals[k].From
			}
		}
	}
}

// allPermutations yields the permutations of n numbers in lexicographic order.
func allPermutations(n int) iter.Seq[workload] {
	return func(yield func(workload) bool) {
		total := uint64(1)
		for i := range n {
			total *= uint64(i + 1)
		}
		for k := range total {
			if !yield(workload{permutation: runs.PermutationNumber(n, k)}) {
				return
			}
		}
	}
}
