package fabric

import (
	"fmt"
	"slices"

	"starloom/hw"
)

// Routers describes a network of routers. Nodes are the ports of processors.
type Routers struct {
	Config hw.RouterConfig
	Graph  hw.RouterGraph
	Routes hw.RouteTable
	NIC    *NICPorts
	// a frame's tag selects the VC, within the VCs of its class, in which the frame leaves its NIC; otherwise a NIC
	// uses the VCs in turn
	ByTag bool
	Media int    // media without routers, numbered before the channels
	Tick  int    // cycles between two calls of handlers
	Bits  int    // bits per flit
	Sink  bool   // NICs accept every flit, so RX FIFOs may overflow; otherwise flits wait for free places
	Shown string // before a run: why deadlocks are impossible or possible; "" for no statement

	// Later computes the routes and Shown of a large network when the network runs; nil if both are set.
	Later func() error

	Names []string   // names of routers in a drawing; nil for numbers
	Ports [][]string // names of the ports of each router; nil for numbers
	// Places are the positions of routers in a picture, nil if unknown.
	Places []Place
	Round  map[int]Place // directions in which wraparound links leave
}

// Router returns the name of a router.
func (r *Routers) Router(index int) string {
	if r.Names == nil {
		return fmt.Sprintf("router %d", index)
	}
	return r.Names[index]
}

// Bytes returns the memory of routers, channels, sources and sinks in bytes.
func (r *Routers) Bytes() uint64 { return hw.RouterBytes(&r.Config, &r.Graph, &r.Routes) }

// Channel returns the name of a channel between two routers, from output port output of router from to router to.
func (r *Routers) Channel(from, output, to int) string {
	if r.Names == nil {
		return fmt.Sprintf("router %d to %d", from, to)
	}
	return r.Names[from] + ":" + r.Ports[from][output] + " to " + r.Names[to]
}

// RouterWays computes the paths of packets through routers as sequences of links.
type RouterWays struct {
	*Routers
	first []int   // by router: index in link of its first output port
	link  []int32 // by output port: its link, -1 for none
}

// Ways returns the paths of all packets.
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

// Follow calls pass for each link on the path from one node to another, with all draws 0.
func (w *RouterWays) Follow(source, destination uint32, pass func(link int)) {
	w.FollowBy(source, destination, hw.Chance{}, pass)
}

// FollowBy calls pass for each link on the path from one node to another, with the draws of a packet.
func (w *RouterWays) FollowBy(source, destination uint32, by hw.Chance, pass func(link int)) {
	at, nodes, phase := w.Graph.Source(int(source)), len(w.Graph.Nodes), false
	for {
		hop := w.Routes.NextBy(at.Router, at.Port, int(destination), nodes, phase, w.Config.ClassVCs(), by)
		link := w.link[w.first[at.Router]+hop.Port]
		if link < 0 {
			return
		}
		pass(int(link))
		l := &w.Graph.Links[link]
		at, phase = hw.RouterNode{Router: l.To, Port: l.Input}, hop.Phase
	}
}

// Latency returns the number of cycles that a packet needs through an empty network, from its creation to the arrival
// of its tail. The packet must fit into one buffer.
func (w *RouterWays) Latency(source, destination uint32, flits int) (cycles int) {
	passes := w.Config.PassCycles()
	cycles = 1 + w.Graph.Source(int(source)).Latency + passes + w.Graph.Nodes[destination].Latency + flits - 1
	w.Follow(source, destination, func(link int) { cycles += w.Graph.Links[link].Latency + passes })
	return cycles
}
