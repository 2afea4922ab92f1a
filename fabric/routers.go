package fabric

import (
	"fmt"
	"slices"

	"starloom/hw"
)

// Routers are what a network of routers is built from. Nodes are the ports of processors.
type Routers struct {
	Config hw.RouterConfig
	Graph  hw.RouterGraph
	Routes hw.RouteTable
	NIC    *NICPorts
	ByTag  bool   // the tag of a frame says in which VC of its class it leaves its NIC; else they are taken in turn
	Media  int    // media without routers, whose numbers are before those of channels
	Tick   int    // cycles between two calls of handlers
	Bits   int    // of a flit, in which frames travel
	Sink   bool   // NICs take every flit, and their RX FIFOs may overflow; else flits wait for a place
	Shown  string // of deadlocks, before a run: that there are none, or why there may be; "" for nothing

	// Later makes the routes of a large network, and Shown, when it is run and not when it is read; nil: they are there.
	Later func() error

	Names []string   // what routers of a drawing are called; nil: they have numbers
	Ports [][]string // what the ports of each router are called; nil: likewise
	// Places are where a picture has routers, nil if nothing is known.
	Places []Place
	Round  map[int]Place // links that lead round to the other side: the way in which they leave
}

// Router is what a router is called.
func (r *Routers) Router(i int) string {
	if r.Names == nil {
		return fmt.Sprintf("router %d", i)
	}
	return r.Names[i]
}

// Bytes is the memory of routers and channels, and of their sources and sinks.
func (r *Routers) Bytes() uint64 { return hw.RouterBytes(&r.Config, &r.Graph, &r.Routes) }

// Channel is what a channel between two routers is called, by its output port and its end.
func (r *Routers) Channel(from, output, to int) string {
	if r.Names == nil {
		return fmt.Sprintf("router %d to %d", from, to)
	}
	return r.Names[from] + ":" + r.Ports[from][output] + " to " + r.Names[to]
}

// RouterWays are the ways of packets through routers, as links.
type RouterWays struct {
	*Routers
	first []int   // of each router: its first output port in link
	link  []int32 // of each output port, -1 for none
}

// Ways are those of all packets.
func (r *Routers) Ways() *RouterWays {
	w, ports := &RouterWays{Routers: r}, 0
	for _, count := range r.Graph.Ports {
		w.first = append(w.first, ports)
		ports += count
	}
	w.link = slices.Repeat([]int32{-1}, ports)
	for i, l := range r.Graph.Links {
		w.link[w.first[l.From]+l.Output] = int32(i)
	}
	return w
}

// Follow passes the links from one node to another.
func (w *RouterWays) Follow(source, destination uint32, pass func(link int)) {
	at, nodes, phase := w.Graph.Nodes[source], len(w.Graph.Nodes), false
	for {
		hop := w.Routes.Next(at.Router, at.Port, int(destination), nodes, phase, w.Config.ClassVCs())
		link := w.link[w.first[at.Router]+hop.Port]
		if link < 0 {
			return
		}
		pass(int(link))
		l := &w.Graph.Links[link]
		at, phase = hw.RouterNode{Router: l.To, Port: l.Input}, hop.Phase
	}
}

// Latency is how many cycles a packet takes through an empty network, from the cycle in which it is created to that of its tail. Its flits
// are no more than a buffer takes.
func (w *RouterWays) Latency(source, destination uint32, flits int) (cycles int) {
	passes := 3 + w.Config.RoutingDelay // of a router: its allocators and the two registers after the switch, and the route
	cycles = 1 + w.Graph.Nodes[source].Latency + passes + w.Graph.Nodes[destination].Latency + flits - 1
	w.Follow(source, destination, func(link int) { cycles += w.Graph.Links[link].Latency + passes })
	return cycles
}
