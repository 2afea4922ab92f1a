package hw

import (
	"cmp"
	"fmt"
	"slices"
)

// RouterLink is a one-way link from an output port to an input port, with its credit channel.
type RouterLink struct {
	From, Output int
	To, Input    int
	Latency      int // cycles, at least 1
}

// RouterNode is a source at an input port and a sink at an output port of a router.
type RouterNode struct {
	Router, Port int
	Latency      int // cycles in each direction, at least 1
}

// RouterGraph is the wiring of routers and nodes. Ports without a link or node are unused.
type RouterGraph struct {
	Ports []int // number of ports by router
	Links []RouterLink
	Nodes []RouterNode
	// by node: the input port of its source; its sink is then at the output port of Nodes (default: both are at Nodes)
	Sources []RouterNode
}

// Source returns the input port at which a node's source is.
func (g *RouterGraph) Source(node int) RouterNode {
	if g.Sources == nil {
		return g.Nodes[node]
	}
	return g.Sources[node]
}

// wireEnd is a wire together with its delay: the number of cycles until a value put on the wire counts.
type wireEnd struct {
	wire  uint32
	delay uint16
}

const unwired = ^uint32(0)

// routerWiring is a graph in the form used by routers, sources and sinks. Port numbers count through all routers in
// order. Places are the nodes in the order of their ports.
type routerWiring struct {
	path      string
	ports     []int
	portsMax  int
	portWords int // words of one router's inputs in a slot of channels
	links     []RouterLink
	first     []int    // by router: number of its first port; the last element is the number of all ports
	router    []uint32 // by port: its router
	nodes     int
	place     []int   // by node: its place
	node      []int   // by place: its node
	places    []Shard // by shard: its places
	shards    int
	owner     []uint16 // by router: its shard

	outputs, inputs []wireEnd // by port: flits from an output, credits from an input
	sources, sinks  []wireEnd // by place: flits from a source, credits from a sink
	delayMax        int
}

func newRouterWiring(path string, g *RouterGraph, config *RouterConfig, shards []Shard) (*routerWiring, error) {
	w := &routerWiring{path: path, ports: g.Ports, nodes: len(g.Nodes), links: g.Links,
		shards: len(shards), first: []int{0}}
	if err := CheckShards(shards, len(g.Ports)); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	w.owner = ShardOfUnit(shards)
	for r, n := range g.Ports {
		if n < 1 || n > RouterPortsMax {
			return nil, fmt.Errorf("%s: %d ports; allowed: 1 to %d", Index(path, r), n, RouterPortsMax)
		}
		w.first = append(w.first, w.first[r]+n)
		w.router = append(w.router, slices.Repeat([]uint32{uint32(r)}, n)...)
		w.portsMax = max(w.portsMax, n)
	}
	w.portWords = (w.portsMax + 63) / 64
	ports := w.first[len(g.Ports)]
	w.outputs, w.inputs = make([]wireEnd, ports), make([]wireEnd, ports)
	for i := range ports {
		w.outputs[i].wire, w.inputs[i].wire = unwired, unwired
	}
	for _, l := range g.Links {
		if err := w.link(l, config); err != nil {
			return nil, err
		}
	}
	return w, w.attach(g, config, shards)
}

func (w *routerWiring) link(l RouterLink, config *RouterConfig) error {
	if err := checkChannelDelay(w.output(l.From, l.Output), l.Latency, 2+config.CreditDelay); err != nil {
		return err
	}
	if w.unknown(l.From, l.Output) || w.unknown(l.To, l.Input) {
		return fmt.Errorf("%s: a port of the link from output %d of router %d to input %d of router %d does not exist",
			w.path, l.Output, l.From, l.Input, l.To)
	}
	out, in := w.first[l.From]+l.Output, w.first[l.To]+l.Input
	return w.wire(&w.outputs[out], &w.inputs[in], wireEnd{uint32(in), uint16(2 + l.Latency)},
		wireEnd{uint32(out), uint16(1 + l.Latency + config.CreditDelay)})
}

func (w *routerWiring) unknown(router, port int) bool {
	return router < 0 || router >= len(w.ports) || port < 0 || port >= w.ports[router]
}

// wire connects two ends: the flits of one direction, and their returning credits.
func (w *routerWiring) wire(near, far *wireEnd, flit, credit wireEnd) error {
	if near.wire != unwired || far.wire != unwired {
		return fmt.Errorf("%s: two links or nodes share one port", w.path)
	}
	*near, *far = flit, credit
	w.delayMax = max(w.delayMax, int(flit.delay), int(credit.delay))
	return nil
}

func (w *routerWiring) attach(g *RouterGraph, config *RouterConfig, shards []Shard) error {
	nodes := g.Nodes
	if len(nodes) < 1 || len(nodes) > PacketNodesMax {
		return fmt.Errorf("%s: %d nodes; allowed: 1 to %d", w.path, len(nodes), PacketNodesMax)
	}
	w.node = make([]int, len(nodes))
	for node := range nodes {
		if from := g.Source(node); w.unknown(nodes[node].Router, nodes[node].Port) || w.unknown(from.Router, from.Port) {
			return fmt.Errorf("%s: node %d is at port %d of router %d, which does not exist", w.path, node,
				nodes[node].Port, nodes[node].Router)
		}
		w.node[node] = node
	}
	port := func(node int) int { return w.first[nodes[node].Router] + nodes[node].Port }
	slices.SortFunc(w.node, func(a, b int) int { return port(a) - port(b) })
	w.place = make([]int, len(nodes))
	w.sources, w.sinks = make([]wireEnd, len(nodes)), make([]wireEnd, len(nodes))
	ports := uint32(w.first[len(w.ports)])
	for place, node := range w.node {
		w.place[node] = place
		n, at := &nodes[node], port(node)
		if err := checkChannelDelay(Index(w.path, n.Router), n.Latency, 2+config.CreditDelay); err != nil {
			return err
		}
		w.sources[place].wire, w.sinks[place].wire = unwired, unwired
		from := g.Source(node)
		in := w.first[from.Router] + from.Port
		flit, credit := wireEnd{uint32(in), uint16(1 + from.Latency)},
			wireEnd{ports + uint32(place), uint16(1 + from.Latency)}
		if err := w.wire(&w.sources[place], &w.inputs[in], flit, credit); err != nil {
			return err
		}
		flit, credit = wireEnd{ports + uint32(place), uint16(2 + n.Latency)},
			wireEnd{uint32(at), uint16(1 + n.Latency + config.CreditDelay)}
		if err := w.wire(&w.outputs[at], &w.sinks[place], flit, credit); err != nil {
			return err
		}
	}
	w.cut(nodes, shards)
	return nil
}

// cut assigns nodes to shards. A shard is a run of routers with the places of their nodes.
func (w *routerWiring) cut(nodes []RouterNode, shards []Shard) {
	w.places = make([]Shard, len(shards))
	before := func(node, router int) int { return nodes[node].Router - router }
	for _, s := range shards {
		first, _ := slices.BinarySearchFunc(w.node, s.First, before)
		end, _ := slices.BinarySearchFunc(w.node, s.End, before)
		w.places[s.Index] = Shard{s.Index, first, end}
	}
}

// readers returns the readers of a bank of channels: first the ports of each router, then the places of each shard on
// separate cache lines. placeWord is the first word of each shard's places.
func (w *routerWiring) readers() (readers channelReaders, placeWord []int) {
	for r, n := range w.ports {
		readers = append(readers, channelReader{n, w.portWords, w.owner[r]})
	}
	placeWord = make([]int, len(w.places))
	words := len(w.ports) * w.portWords
	fill := wholeLines(words) - words
	words += fill
	readers[len(readers)-1].words += fill
	places := slices.SortedFunc(slices.Values(w.places), func(a, b Shard) int { return a.First - b.First })
	for _, s := range places {
		n := s.End - s.First
		reader := channelReader{n, wholeLines((n + 63) / 64), uint16(s.Index)}
		readers = append(readers, reader)
		placeWord[s.Index] = words
		words += reader.words
	}
	return readers, placeWord
}

func (w *routerWiring) output(router, port int) string {
	return Index(w.path, router) + "." + Index("output", port)
}
func (w *routerWiring) input(router, port int) string {
	return Index(w.path, router) + "." + Index("input", port)
}

// RouterPortsMax is the maximum number of ports of a router.
const RouterPortsMax = 256

// RoutersPerShard is the number of routers per shard; their work takes longer than the barrier after it.
const RoutersPerShard = 64

// VCDepthMax is the maximum number of flits in a buffer.
const VCDepthMax = 4096

// RouterConfig holds the parameters common to all routers of a network.
type RouterConfig struct {
	VCs             int  // virtual channels per port, 1..VCsMax
	Depth           int  // flits per buffer of a virtual channel, 1..VCDepthMax
	RoutingDelay    int  // cycles of routing; 0: lookahead
	CreditDelay     int  // additional cycles before a router counts a credit
	WaitForTail     bool // an output VC becomes free when the tail's credit returns, otherwise when the tail leaves
	VCAllocator     RouterAllocator
	SwitchAllocator RouterAllocator
	Classes         int // traffic classes, each with an equal block of VCs at every port; 0 or 1: one class with all VCs
	Stages          RouterStages
}

// ClassVCs returns the virtual channels per class. Class c starts at VC c*ClassVCs.
func (c *RouterConfig) ClassVCs() int { return c.VCs / max(1, c.Classes) }

// check checks the configuration of routers of up to the given number of ports.
func (c *RouterConfig) check(path string, ports int) error {
	if c.Classes > 1 && c.VCs%c.Classes != 0 {
		return fmt.Errorf("%s: %d classes of %d virtual channels; the number of classes must divide the number of "+
			"channels", path, c.Classes, c.VCs)
	}
	for _, k := range []struct {
		name        string
		value       int
		least, most int
	}{
		{"virtual channels", c.VCs, 1, VCsMax}, {"flits of a buffer", c.Depth, 1, VCDepthMax},
		{"cycles of routing", c.RoutingDelay, 0, stageDelayMax},
		{"cycles of a credit", c.CreditDelay, 0, ChannelDelayMax / 2},
	} {
		if k.value < k.least || k.value > k.most {
			return fmt.Errorf("%s: %d %s; allowed: %d to %d", path, k.value, k.name, k.least, k.most)
		}
	}
	if err := cmp.Or(c.VCAllocator.check(), c.SwitchAllocator.check(), c.CheckStages(ports)); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
