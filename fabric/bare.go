package fabric

import (
	"fmt"
	"slices"

	"starloom/hw"
	"starloom/nic"
	"starloom/traces/input"
)

// Bare is a network of routers whose processors are sources and sinks of packets and run no firmware.
type Bare interface {
	Network
	// Routers are how it is wired, nil for a network without routers.
	Routers() *Routers
	// SketchRouters are the places of its routers, in the place of processors, and of links, in that of media; false: too many.
	SketchRouters() (Sketch, bool)
}

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

// Settling is a network that may leave to Settle what takes long: it comes before a run, and may be called again. Errors are *input.Errors.
type Settling interface {
	Network
	Settle() error
}

// Settle makes what a network has left for later.
func Settle(n Network) error {
	if s, ok := n.(Settling); ok {
		return s.Settle()
	}
	return nil
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

// Pace gives the slots of processors at routers, which are ticks, their length; without firmware they are cycles. An error
// is an *input.Error about a key of the scenario.
func Pace(n Network, bare bool, t *nic.Timing) error {
	r := RoutersOf(n)
	if r == nil {
		return nil
	}
	if Slotted(n) {
		return paceSlots(r, t)
	}
	if t.Tick, t.PhitBits = r.Tick, r.Bits; bare {
		t.Tick = 1
	} else if t.ComputeCycles >= t.Tick {
		return &input.Error{Place: "firmware.cpu.budget_cycles", Reason: fmt.Sprintf("budget_cycles is %d, and a tick has %d", t.ComputeCycles, t.Tick),
			Remedy: fmt.Sprintf("allowed are 0 to %d; or write a longer fabric.netlist.streaming.tick", t.Tick-1)}
	}
	return nil
}

// paceSlots lets the guard of a slot fill a tick.
func paceSlots(r *Routers, t *nic.Timing) error {
	slot := t.SlotCycles()
	if slot > r.Tick {
		return &input.Error{Place: "fabric.netlist.streaming.tick",
			Reason: fmt.Sprintf("a tick has %d cycles, and a slot of the ports that are at no router takes %d", r.Tick, slot),
			Remedy: fmt.Sprintf("write tick: %d or more", slot)}
	}
	t.GuardCycles += r.Tick - slot
	return nil
}

// TimebaseOf is that of a run on a network: a slot or a tick has so many cycles.
func TimebaseOf(n Network, bare bool, cycles int) Timebase {
	switch routers := RoutersOf(n) != nil; {
	case routers && bare:
		return Timebase{Cycles: 1, Unit: UnitCycles}
	case routers:
		return Timebase{Cycles: cycles, Unit: UnitCycles, Word: UnitTicks}
	}
	return Timebase{Cycles: cycles, Unit: UnitSlots, Word: UnitSlots}
}

// Slotted reports whether a network has routers, and media that carry frames in slots.
func Slotted(n Network) bool {
	r := RoutersOf(n)
	return r != nil && r.Media > 0
}

// RoutersOf are the routers of a network, nil for none: then processors run firmware.
func RoutersOf(n Network) *Routers {
	if bare, ok := n.(Bare); ok {
		return bare.Routers()
	}
	return nil
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
