package netlist

import (
	"math/bits"
	"slices"

	"starloom/hw"
)

// waySets holds the sets of destinations that packets reach through each output port and class of VCs. A set has one
// bit for each of 64 destinations.
type waySets struct {
	d       *dependencies
	classes int      // classes per port
	most    int      // maximum number of ports of a router
	to      []uint64 // [port*classes + class]

	// Masks of a grid by dimension and coordinate: destinations with this coordinate, and destinations with a larger
	// coordinate.
	same, beyond [][]uint64
}

// dependBySets finds the dependencies by intersecting sets of destinations. A packet in the channel from one router
// to the next may request an output of the next router if the channel and the output have a common destination. This
// requires that a node of each router sends to all destinations, and that only router and destination determine the
// route; otherwise dependBySets returns false. The order of successors differs from that of walk. A shortest cycle
// depends on this order.
func (d *dependencies) dependBySets() (count int, ok bool) {
	g, routes := &d.built.Graph, &d.built.Routes
	if d.built.NIC != nil || routes.Ports == nil && routes.Rule == nil || routes.Outcomes() > 1 {
		return 0, false
	}
	sends := make([]bool, len(g.Ports))
	for node := range g.Nodes {
		sends[g.Source(node).Router] = true
	}
	if slices.Contains(sends, false) {
		return 0, false
	}
	w := &waySets{d: d, classes: max(1, len(d.number)), most: slices.Max(g.Ports)}
	w.to = make([]uint64, len(d.router)*w.classes)
	meets := make([]bool, len(d.router)*w.classes*w.most*w.classes)
	for first := 0; first < len(g.Nodes); first += 64 {
		w.fill(first, min(64, len(g.Nodes)-first))
		w.meet(meets)
	}
	d.next = make([][]uint32, len(d.kinds)*len(d.router))
	var held, asked []uint32
	for at, meet := range meets {
		if !meet {
			continue
		}
		in, class, port, then := w.split(at)
		held = d.vertices(held[:0], in, class)
		asked = d.vertices(asked[:0], d.far[d.first[d.router[in]]+port], then)
		for _, a := range held {
			for _, b := range asked {
				count += d.add(a, b)
			}
		}
	}
	return count, true
}

// split converts an index of meets to an input port, the class of the channel to this port, the next output port of
// the router, and the class at this output port.
func (w *waySets) split(at int) (in, class, port, then int) {
	then, at = at%w.classes, at/w.classes
	port, at = at%w.most, at/w.most
	return at / w.classes, at % w.classes, port, then
}

// meet marks all pairs of consecutive channels with a common destination.
func (w *waySets) meet(meets []bool) {
	d := w.d
	for out, in := range d.far {
		if in < 0 {
			continue
		}
		for class, ways := range w.to[out*w.classes : (out+1)*w.classes] {
			if ways == 0 {
				continue
			}
			first, end := d.first[d.router[in]], d.first[d.router[in]+1]
			at := (in*w.classes + class) * w.most * w.classes
			for k, then := range w.to[first*w.classes : end*w.classes] {
				if ways&then != 0 && d.far[first+k/w.classes] >= 0 {
					meets[at+k] = true
				}
			}
		}
	}
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

func coordinate(k []int, router, dimension int) int {
	for _, n := range k[:dimension] {
		router /= n
	}
	return router % k[dimension]
}
