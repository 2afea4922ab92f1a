package netlist

import (
	"math/bits"

	"starloom/hw"
)

// waySets holds the sets of destinations that packets reach through each output port and class of VCs. A set has one
// bit for each of 64 destinations.
type waySets struct {
	d       *dependencies
	classes int      // classes per port
	to      []uint64 // [port*classes + class]

	// Masks of a grid by dimension and coordinate: destinations with this coordinate, and destinations with a larger
	// coordinate.
	same, beyond [][]uint64
}

// fill computes the sets for count destinations, starting with node first.
func (w *waySets) fill(first, count int) {
	d := w.d
	clear(w.to)
	if d.built.Routes.Grid != nil {
		w.fillGrid(first, count)
		return
	}
	nodes, vcs := len(d.built.Graph.Nodes), d.built.Config.ClassVCs()
	for router := range d.built.Graph.Ports {
		for k := range count {
			hop := d.built.Routes.Next(router, 0, first+k, nodes, false, vcs)
			class := 0
			if d.far[d.first[router]+hop.Port] >= 0 {
				class = int(d.of[hop.Low<<8|hop.High])
			}
			w.to[(d.first[router]+hop.Port)*w.classes+class] |= 1 << k
		}
	}
}

// fillGrid computes the sets without the routes of single packets. A router sends packets in the first dimension in
// which the coordinates of router and destination differ. A grid has one class.
func (w *waySets) fillGrid(first, count int) {
	d := w.d
	k := d.built.Routes.Grid.K
	w.masks(k, d.built.Graph.Nodes[first:first+count])
	all := ^uint64(0) >> (64 - count)
	for router, at := range d.first[:len(d.built.Graph.Ports)] {
		here, left := all, router
		for dimension, n := range k {
			c := left % n
			left /= n
			same, beyond := w.same[dimension][c], w.beyond[dimension][c]
			w.to[at+2*dimension] = here & beyond
			w.to[at+2*dimension+1] = here &^ beyond &^ same
			here &= same
		}
		for ; here != 0; here &= here - 1 {
			node := first + bits.TrailingZeros64(here)
			w.to[at+d.built.Graph.Nodes[node].Port] |= here & -here
		}
	}
}

func (w *waySets) masks(k []int, nodes []hw.RouterNode) {
	if w.same == nil {
		for _, n := range k {
			w.same, w.beyond = append(w.same, make([]uint64, n)), append(w.beyond, make([]uint64, n))
		}
	}
	for dimension, n := range k {
		clear(w.same[dimension])
		for i, node := range nodes {
			w.same[dimension][coordinate(k, node.Router, dimension)] |= 1 << i
		}
		larger := uint64(0)
		for c := n - 1; c >= 0; c-- {
			w.beyond[dimension][c] = larger
			larger |= w.same[dimension][c]
		}
	}
}
