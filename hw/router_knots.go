package hw

import (
	"math"
	"slices"

	"starloom/internal/graph"
)

// Knot is a deadlock: a closed set of virtual channels whose packets wait for each other forever.
type Knot struct {
	VCs   int    // number of input VCs in the set, including VCs fed by sources
	Since uint64 // last cycle in which a flit of the set moved, or a source of the set offered a packet
	Cycle []Held // a shortest cycle of channels between routers; each packet waits for the next channel in the list
}

// Held is a virtual channel between two routers with the packet at the front of its buffer. If NIC is set, Held is a
// node whose firmware takes no packets until packet Packet has left the source of node From.
type Held struct {
	From, Output int // sending router and its output port
	To, VC       int
	Link         int  // channel number; links come first, then for each node the channels from and to the node
	NIC          bool // To is the node with the waiting firmware, From the node whose packet must leave; Output, VC: 0
	Packet       uint32
}

// waits is the wait-for graph. Vertices are the input VCs, then the sinks, then the sources, both by place. An edge
// leads from a vertex to each vertex that may release it; one release suffices.
type waits struct {
	n     *RouterNetwork
	x     *Routers
	owner []int32    // by output VC: input VC that owns the output VC, -1 for none
	next  [][]uint32 // by vertex: edges
	moves []bool     // by vertex: true if the vertex may move in the next cycles
	why   []Wait     // by waiting vertex: reason
	onWay []uint16   // by wire and VC: flits in flight
	back  []uint16   // by wire and VC: credits in flight
	takes Firmware
}

// Firmware reports whether a node's firmware takes packets that wait for room in its RX FIFO. For Stuck, before lists
// nodes; firmware waits until the source of one of them has sent a packet.
type Firmware func(node int) (does Taking, before []int)

// Taking is the behaviour of firmware at a full RX FIFO.
type Taking uint8

const (
	Takes   Taking = iota // firmware will take packets
	Starves               // firmware will not take any packet
	Stuck                 // firmware takes packets only after a packet has left a source
)

// Knots returns the present deadlocks. Call Knots between cycles; its work grows with the number of virtual channels.
// takes describes the firmware; nil means that the firmware takes packets.
func (n *RouterNetwork) Knots(takes Firmware) (knots []Knot) {
	g := n.waits(takes)
	for _, set := range graph.Components(g.next, func(v int) bool { return !g.moves[v] }) {
		if !g.closed(set) {
			continue
		}
		k := Knot{Cycle: g.cycle(set)}
		for _, v := range set {
			switch {
			case int(v) < g.sink(0):
				k.VCs++
				k.Since = max(k.Since, uint64(g.x.moved[v]))
			case int(v) >= g.source(0):
				k.Since = max(k.Since, uint64(g.x.packets.Created[g.front(int(v))]))
			}
		}
		knots = append(knots, k)
	}
	return knots
}

func (n *RouterNetwork) waits(takes Firmware) *waits {
	g := n.onTheWay()
	x := g.x
	g.owner, g.takes = slices.Repeat([]int32{-1}, len(x.count)), takes
	vertices := g.source(x.wiring.nodes)
	g.next, g.moves, g.why = make([][]uint32, vertices), make([]bool, vertices), make([]Wait, vertices)
	before := make([][]uint32, vertices)
	for vc := range x.count {
		if router, member := g.member(vc); has(x.of(x.active, router), member) {
			g.owner[g.output(vc)] = int32(vc)
		}
	}
	var free []uint32 // movable vertices with unvisited predecessors
	for v := range vertices {
		if g.moves[v] = !g.waiting(v); g.moves[v] {
			free = append(free, uint32(v))
		}
		for _, w := range g.next[v] {
			before[w] = append(before[w], uint32(v))
		}
	}
	for i := 0; i < len(free); i++ {
		for _, w := range before[free[i]] {
			if !g.moves[w] {
				g.moves[w] = true
				free = append(free, w)
			}
		}
	}
	return g
}

func (n *RouterNetwork) onTheWay() *waits {
	vcs := n.Routers.config.VCs
	x := n.Routers
	g := &waits{n: n, x: x, onWay: n.Flits.perVC(vcs, func(f uint64) int { return Flit(f).VC() }),
		back: make([]uint16, n.Credits.wires*vcs)}
	for _, bank := range x.banks {
		for i, count := range bank.perVC(vcs, func(vc uint8) int { return int(vc) }) {
			g.back[i] += count
		}
	}
	x.path.eachCrossing(func(port int, f Flit) { g.onWay[int(x.wiring.outputs[port].wire)*vcs+f.VC()]++ })
	x.path.eachReturning(func(port, vc int) { g.back[int(x.wiring.inputs[port].wire)*vcs+vc]++ })
	return g
}

func (c *channels[T]) perVC(vcs int, vc func(value T) int) (counts []uint16) {
	counts = make([]uint16, c.wires*vcs)
	c.each(func(at int) { counts[at%c.wires*vcs+vc(c.ring[at])]++ })
	return counts
}

func (g *waits) sink(place int) int   { return len(g.x.count) + place }
func (g *waits) source(place int) int { return len(g.x.count) + g.x.wiring.nodes + place }

func (g *waits) member(vc int) (router, member int) {
	w := g.x.wiring
	router = int(w.router[vc/g.x.config.VCs])
	return router, vc - w.first[router]*g.x.config.VCs
}

func (g *waits) output(vc int) int {
	router, _ := g.member(vc)
	return g.x.wiring.first[router]*g.x.config.VCs + int(g.x.out[vc])
}

// waiting reports whether a vertex is blocked, and records its reason and edges. A blocked vertex without edges is
// blocked forever.
func (g *waits) waiting(v int) bool {
	x := g.x
	if v >= g.source(0) {
		return g.sourceWaits(v - g.source(0))
	}
	if v >= g.sink(0) {
		return g.sinkWaits(v - g.sink(0))
	}
	router, member := g.member(v)
	active, waits := has(x.of(x.active, router), member), has(x.of(x.waiting, router), member)
	switch {
	case x.isDead(router):
		g.why[v] = WaitDead
		return active || x.count[v] > 0
	case active && x.count[v] == 0: // further flits of the packet have yet to arrive
		return g.restWaits(v)
	case active:
		out := g.output(v)
		g.why[v] = WaitCredit
		return has(x.of(x.full, router), int(x.out[v])) &&
			g.onBuffer(v, x.wiring.outputs[out/x.config.VCs].wire, out/x.config.VCs, out%x.config.VCs)
	case waits:
		return g.headWaits(v, router)
	}
	return false
}

func (g *waits) restWaits(v int) bool {
	x, vcs := g.x, g.x.config.VCs
	if g.onWay[v] > 0 {
		return false
	}
	g.why[v] = WaitRest
	up, ports := int(x.wiring.inputs[v/vcs].wire), len(x.wiring.router)
	if up >= ports {
		if s := g.n.Sources; s.place[up-ports] > 0 && int(s.vc[up-ports]) == v%vcs {
			g.on(v, g.source(up-ports))
		}
	} else if owner := g.owner[up*vcs+v%vcs]; owner >= 0 {
		g.on(v, int(owner))
	}
	return true
}

func (g *waits) headWaits(v, router int) bool {
	x, vcs := g.x, g.x.config.VCs
	g.why[v] = WaitVC
	for out := range members(x.of(x.route, v)) {
		ow := x.wiring.first[router]*vcs + out
		if !has(x.of(x.used, router), out) {
			if x.config.Stages.BusyWhenFull && has(x.of(x.full, router), out) &&
				g.onBuffer(v, x.wiring.outputs[ow/vcs].wire, ow/vcs, ow%vcs) {
				continue
			}
			return false
		}
		if owner := g.owner[ow]; owner >= 0 {
			g.on(v, int(owner))
		} else if !g.onFar(v, x.wiring.outputs[ow/vcs].wire, ow/vcs, ow%vcs) { // the VC becomes free with its last credit
			return false
		}
	}
	return true
}

func (g *waits) sourceWaits(place int) bool {
	x, vcs, v := g.n.Sources, g.x.config.VCs, g.source(place)
	if x.classes != nil { // a packet of another class may leave
		return false
	}
	at := x.next[place]
	if at == x.end[place] || uint64(x.packets.Created[x.queue[place*x.room+int(at&x.mask)]]) > x.clock.cycle {
		return false
	}
	g.why[v] = WaitCredit
	wire, back := x.wiring.sources[place].wire, len(x.wiring.router)+place
	if x.place[place] > 0 {
		vc := int(x.vc[place])
		return x.full(place, vc) && g.onBuffer(v, wire, back, vc)
	}
	low, high := x.vcsOf(g.front(v))
	for vc := low; vc <= high; vc++ {
		if s := place*vcs + vc; x.used[s] == 0 && !x.full(place, vc) || !g.onBuffer(v, wire, back, vc) {
			return false
		}
	}
	return true
}

// sinkWaits is waiting for a sink without room for its first held packet.
func (g *waits) sinkWaits(place int) bool {
	e, v := g.n.Sinks.eject, g.sink(place)
	if e == nil || g.takes == nil || e.first(place, 0, false) >= 0 || e.granted[place] == e.packets[place] ||
		e.taken[place] < e.places {
		return false
	}
	does, before := g.takes(g.x.wiring.node[place])
	g.why[v] = WaitFirmware
	for _, node := range before {
		g.on(v, g.source(g.x.wiring.place[node]))
	}
	return does != Takes
}

func (g *waits) on(v, other int) { g.next[v] = append(g.next[v], uint32(other)) }

// onBuffer is onFar for a credit of a VC, which any VC that shares its buffer may release.
func (g *waits) onBuffer(v int, wire uint32, back, vc int) bool {
	if !g.x.config.Stages.Buffers.Shared {
		return g.onFar(v, wire, back, vc)
	}
	waits := true
	for vc := range g.x.config.VCs {
		waits = g.onFar(v, wire, back, vc) && waits
	}
	return waits
}

// onFar reports whether vertex v waits for the buffer at the far end of a flit wire, or for lost credits, and adds
// the edge to that buffer. While flits or credits are in flight, onFar returns false. back is the wire of the
// credits.
func (g *waits) onFar(v int, wire uint32, back, vc int) bool {
	vcs, ports := g.x.config.VCs, len(g.x.wiring.router)
	far := int(wire)*vcs + vc
	switch {
	case g.onWay[far] > 0 || g.back[back*vcs+vc] > 0:
		return false
	case int(wire) < ports:
		if g.x.count[far] > 0 {
			g.on(v, far)
		}
	case g.n.Sinks.held(int(wire)-ports, vc) > 0:
		g.on(v, g.sink(int(wire)-ports))
	}
	return true
}

// closed reports whether every vertex of a component waits, and only for vertices of the component.
func (g *waits) closed(set []uint32) bool {
	in := map[uint32]bool{}
	for _, v := range set {
		in[v] = true
	}
	for _, v := range set {
		if len(g.next[v]) == 0 || slices.ContainsFunc(g.next[v], func(w uint32) bool { return !in[w] }) {
			return false
		}
	}
	return true
}

// cycle returns a shortest cycle in a closed set: channels between routers, and NICs.
func (g *waits) cycle(set []uint32) (held []Held) {
	best := graph.ShortestCycle(g.next, set, func(uint32) bool { return true }, math.MaxInt)
	x, vcs := g.x, g.x.config.VCs
	links, _ := g.n.channels()
	for i, v := range best {
		if int(v) >= g.source(0) {
			continue // represented by its sink, or by the channel that lacks further flits of its packet
		}
		if place := int(v) - g.sink(0); place >= 0 {
			source := int(best[(i+1)%len(best)])
			h := Held{From: x.wiring.node[source-g.source(0)], To: x.wiring.node[place], NIC: true, Packet: g.front(source)}
			h.Link = len(x.wiring.links) + 2*h.From
			held = append(held, h)
			continue
		}
		up := int(x.wiring.inputs[int(v)/vcs].wire)
		if up >= len(x.wiring.router) {
			continue // channel of a source
		}
		from := int(x.wiring.router[up])
		h := Held{From: from, Output: up - x.wiring.first[from], To: int(x.wiring.router[int(v)/vcs]), VC: int(v) % vcs,
			Link: int(links[int(v)/vcs]), Packet: PacketPending}
		if x.count[v] > 0 {
			h.Packet = g.front(int(v))
		}
		held = append(held, h)
	}
	return held
}

// Wait is the reason why a packet will never move.
type Wait uint8

const (
	WaitCredit   Wait = iota // credits of the buffer at a channel's far end: the buffer is full, or the credits are lost
	WaitVC                   // a virtual channel owned by other packets
	WaitRest                 // the packet's own next flits
	WaitFirmware             // room in an RX FIFO that firmware does not empty
	WaitDead                 // no event: the packet is in a dead router
)

// Stand is a packet that stays in place unless firmware acts.
type Stand struct {
	Packet            uint32
	Node              int // node of the source that holds the packet, or -1
	Router, Input, VC int // input VC that holds the packet if Node is -1
	Wait              Wait
	Output, OutputVC  int    // output port of the router, and for WaitCredit the output VC
	By                uint32 // packet at the front of the awaited buffer, PacketPending if none
	Full              int    // node whose RX FIFO the packet waits for, -1 if none
}

// Standing returns the blocked packets by router, port and virtual channel, then by source. Call Standing between
// cycles. takes describes the firmware, as for Knots.
func (n *RouterNetwork) Standing(takes Firmware) (stands []Stand) {
	g := n.waits(takes)
	x, vcs := g.x, g.x.config.VCs
	for v, moves := range g.moves {
		if moves || v >= g.sink(0) && v < g.source(0) {
			continue
		}
		s := Stand{Packet: g.front(v), Node: -1, Wait: g.why[v], By: PacketPending, Full: -1, Output: -1}
		if v >= g.source(0) {
			s.Node = x.wiring.node[v-g.source(0)]
		} else {
			router, member := g.member(v)
			s.Router, s.Input, s.VC = router, member/vcs, member%vcs
			switch s.Wait {
			case WaitCredit:
				s.Output, s.OutputVC = int(x.out[v])/vcs, int(x.out[v])%vcs
			case WaitVC:
				for out := range members(x.of(x.route, v)) {
					s.Output = out / vcs
				}
			}
		}
		for _, w := range g.next[v] {
			if int(w) >= g.sink(0) && int(w) < g.source(0) {
				s.Full = x.wiring.node[int(w)-g.sink(0)]
			} else {
				s.By = g.front(int(w))
			}
			break
		}
		stands = append(stands, s)
	}
	return stands
}

// front returns the packet at the front of a vertex; for an empty VC, its unfinished packet.
func (g *waits) front(v int) uint32 {
	if v >= g.source(0) {
		s, place := g.n.Sources, v-g.source(0)
		return s.queue[place*s.room+int(s.next[place]&s.mask)]
	}
	x := g.x
	at := int(x.head[v])
	if x.count[v] == 0 {
		at = (at + x.config.Depth - 1) % x.config.Depth
	}
	return Flit(x.buffer[v*x.config.Depth+at]).Packet()
}

func (x *PacketSinks) held(place, vc int) int {
	if x.eject == nil {
		return 0
	}
	return int(x.eject.count[place*x.eject.vcs+vc])
}

// LostCredit counts the missing credits of a virtual channel: credits that are neither at the sender, nor in flight,
// nor held by flits.
type LostCredit struct{ Channel, VC, Missing int }

// LostCredits checks the credit invariant: a sender's count of outstanding flits equals the number of flits in flight
// and in the far buffer, plus the number of credits in flight. Call it between cycles, and only if the network
// contains no RTL.
func (n *RouterNetwork) LostCredits() (lost []LostCredit) {
	g := n.onTheWay()
	x, vcs, ports := g.x, g.x.config.VCs, len(g.x.wiring.router)
	flits, _ := n.channels()
	of := func(wire uint32, back, vc int, sent uint16) {
		far := int(wire)*vcs + vc
		there := int(g.onWay[far] + g.back[back*vcs+vc])
		if int(wire) < ports {
			there += int(x.count[far])
		} else {
			there += n.Sinks.held(int(wire)-ports, vc)
		}
		if missing := int(sent) - there; missing != 0 {
			lost = append(lost, LostCredit{int(flits[wire]), vc, missing})
		}
	}
	for port := range ports {
		if to := x.wiring.outputs[port].wire; to != unwired {
			for vc := range vcs {
				of(to, port, vc, x.sent[port*vcs+vc])
			}
		}
	}
	for place := range x.wiring.nodes {
		for vc := range vcs {
			of(x.wiring.sources[place].wire, ports+place, vc, n.Sources.sent[place*vcs+vc])
		}
	}
	return lost
}
