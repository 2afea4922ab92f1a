package netlist

import (
	"cmp"
	"slices"

	"starloom/fabric"
	"starloom/hw"
	"starloom/traces/input"
)

// routed are routers while they are drawn.
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

// word is the rule for routes that are not said one by one.
func (w *routed) word() string { return cmp.Or(w.routes.word, w.usual) }

// claims reports whether routes are those of a rule that is free of deadlock.
func (w *routed) claims() bool {
	return len(w.routes.entries) == 0 && slices.Contains([]string{routesDOR, routesDimOrder, routesDateline, routesMinimal}, w.word())
}

// processor is what routes call the processor of a node.
func (w *routed) processor(node int) string {
	processor, _ := w.NIC.At(node)
	return w.processors[processor]
}

// give is one route.
func (w *routed) give(router, node, port int) {
	w.table[router*len(w.Graph.Nodes)+node] = int16(port)
}

// refuse says what is wrong with routes.
func (w *routed) refuse(place, reason, remedy string) error {
	return &input.Error{Place: place, Reason: reason, Remedy: remedy}
}
