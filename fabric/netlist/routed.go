package netlist

import (
	"cmp"
	"slices"

	"starloom/fabric"
	"starloom/hw"
	"starloom/traces/input"
)

type routed struct {
	*fabric.Routers
	*mistakes
	unsure
	place  string
	routes *Routes
	usual  string // the word of routes that the network brings

	nicPorts int // of each processor, but of nodes

	grid   []int // sizes of a mesh, a torus, a ring; nil for others
	around bool  // whose ends are joined
	graph  *Anynet
	groups *Dragonfly // nil for others

	routers, processors []string // what routes call them

	table []int16                // [router*nodes + destination]: port, -1 for none
	class []uint8                // likewise: of classes
	known []hw.VCRange           // classes; the first one is all VCs
	far   [][]*[2]int            // of each router and port, the router that it leads to and the latency, nil for none
	given map[[2]int]*routeEntry // routes that are said one by one
}

func (w *routed) word() string { return cmp.Or(w.routes.word, w.usual) }

func (w *routed) claims() bool {
	return len(w.routes.entries) == 0 && slices.Contains([]string{routesDOR, routesDimOrder, routesDateline, routesMinimal}, w.word())
}

func (w *routed) processor(node int) string {
	processor, _ := w.NIC.At(node)
	return w.processors[processor]
}

func (w *routed) give(router, node, port int) {
	w.table[router*len(w.Graph.Nodes)+node] = int16(port)
}

func (w *routed) refuse(place, reason, remedy string) error {
	return &input.Error{Place: place, Reason: reason, Remedy: remedy}
}
