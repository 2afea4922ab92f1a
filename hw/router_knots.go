package hw

import "slices"

// Knot is a closed set of virtual channels, all of whose packets wait for one another: none of them will ever move,
// whatever the rest does.
type Knot struct {
	VCs   int    // input VCs in it, also those that sources send to
	Since uint64 // the last cycle in which a flit of one of them moved, or was offered by a source that is in it
	Cycle []Held // a shortest cycle in it, of channels between routers: each packet waits for what the next one holds
}

// Held is a virtual channel of a channel between two routers, with the packet at the front of its buffer; or the NIC of a
// node whose firmware takes no packets, with the packet that has to leave before, and the node from which.
type Held struct {
	From, Output int // the router that sends, and its port
	To, VC       int
	Link         int  // the place of the channel among those of the network: links, then of each node the one from it and the one to it
	NIC          bool // then To is the node, From the one whose packet has to leave, and the others are 0
	Packet       uint32
}

// waits is the wait-for graph of input VCs, sinks and sources: by every flit and owner, what has to move first. Of several
// any one is enough. Vertices are the input VCs, then the sinks by place, then the sources.
type waits struct {
	n     *RouterNetwork
	x     *Routers
	owner []int32   // of each output VC, the input VC that owns it, -1 for none
	next  [][]int32 // of each vertex
	moves []bool    // of each vertex: something may move it in the next cycles
	why   []Wait    // of each vertex that waits
	onWay []uint16  // of each wire and VC, the flits on it
	back  []uint16  // likewise the credits
	takes Firmware
}

// Firmware says what the firmware of a node does with packets that wait for a place in its RX FIFO, and, if it is Stuck, which nodes'
// sources have to send one before: of several any one is enough.
type Firmware func(node int) (does Taking, before []int)

// Taking is whether firmware takes packets out of an RX FIFO that is full.
type Taking uint8

// What firmware does.
const (
	Takes   Taking = iota // it will take some
	Starves               // it does not
	Stuck                 // it takes none before a packet has left a source
)

// Knots are the deadlocks that stand now. Call it between cycles; it goes through all virtual channels. takes is
// what firmware does, nil if it takes packets.
func (n *RouterNetwork) Knots(takes Firmware) (knots []Knot) {
	g := n.waits(takes)
	s := components{next: g.next, index: make([]int32, len(g.next)), low: make([]int32, len(g.next)), in: make([]bool, len(g.next))}
	for v := range g.next {
		if !g.moves[v] && s.index[v] == 0 {
			s.visit(int32(v))
		}
	}
	for _, set := range s.closed {
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
	g.next, g.moves, g.why = make([][]int32, vertices), make([]bool, vertices), make([]Wait, vertices)
	before := make([][]int32, vertices)
	for vc := range x.count {
		if router, member := g.member(vc); has(x.of(x.active, router), member) {
			g.owner[g.output(vc)] = int32(vc)
		}
	}
	var free []int32 // what moves, and what waits for it
	for v := range vertices {
		if g.moves[v] = !g.waiting(v); g.moves[v] {
			free = append(free, int32(v))
		}
		for _, w := range g.next[v] {
			before[w] = append(before[w], int32(v))
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
	return &waits{n: n, x: n.Routers, onWay: n.Flits.perVC(vcs, func(f uint64) int { return Flit(f).VC() }),
		back: n.Credits.perVC(vcs, func(vc uint8) int { return int(vc) })}
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

// waiting notes what a vertex waits for; false: nothing keeps it, or it has nothing to do. What waits for nothing that there
// is waits for ever.
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
	case active && x.count[v] == 0: // the rest of its packet has yet to come
		return g.restWaits(v)
	case active:
		out := g.output(v)
		g.why[v] = WaitCredit
		return int(x.sent[out]) == x.config.Depth && g.onFar(v, x.wiring.outputs[out/x.config.VCs].wire, out/x.config.VCs, out%x.config.VCs)
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
			return false
		}
		if owner := g.owner[ow]; owner >= 0 {
			g.on(v, int(owner))
		} else if !g.onFar(v, x.wiring.outputs[ow/vcs].wire, ow/vcs, ow%vcs) { // with its last credit it is free
			return false
		}
	}
	return true
}

func (g *waits) sourceWaits(place int) bool {
	x, vcs, v := g.n.Sources, g.x.config.VCs, g.source(place)
	at := x.next[place]
	if at == x.end[place] || uint64(x.packets.Created[x.queue[place*x.room+int(at&x.mask)]]) > x.clock.cycle {
		return false
	}
	g.why[v] = WaitCredit
	wire, back := x.wiring.sources[place].wire, len(x.wiring.router)+place
	if x.place[place] > 0 {
		vc := int(x.vc[place])
		return int(x.sent[place*vcs+vc]) == x.config.Depth && g.onFar(v, wire, back, vc)
	}
	low, high := x.vcsOf(g.front(v))
	for vc := low; vc <= high; vc++ {
		if s := place*vcs + vc; x.used[s] == 0 && int(x.sent[s]) < x.config.Depth || !g.onFar(v, wire, back, vc) {
			return false
		}
	}
	return true
}

// sinkWaits notes what a sink waits for that has no place for the first packet it holds.
func (g *waits) sinkWaits(place int) bool {
	e, v := g.n.Sinks.eject, g.sink(place)
	if e == nil || g.takes == nil || e.first(place) >= 0 || e.granted[place] == e.packets[place] || e.taken[place] < e.places {
		return false
	}
	does, before := g.takes(g.x.wiring.node[place])
	g.why[v] = WaitFirmware
	for _, node := range before {
		g.on(v, g.source(g.x.wiring.place[node]))
	}
	return does != Takes
}

func (g *waits) on(v, other int) { g.next[v] = append(g.next[v], int32(other)) }

// onFar notes that a vertex waits for the buffer at the far end of a wire of flits, whose credits come on another; false: some
// flits or credits are on their way. It waits for ever for credits that were lost.
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

// components finds the closed sets of a graph by Tarjan's algorithm: those that no edge leaves.
type components struct {
	next       [][]int32
	index, low []int32 // in the order of visits, from 1 on; the least that is reached back
	in         []bool  // on the stack
	stack      []int32
	visits     int32
	closed     [][]int32
}

func (s *components) visit(v int32) (leaves bool) {
	s.visits++
	s.index[v], s.low[v], s.in[v] = s.visits, s.visits, true
	s.stack = append(s.stack, v)
	leaves = len(s.next[v]) == 0 // what waits for nothing that there is is no knot
	for _, w := range s.next[v] {
		switch {
		case s.index[w] == 0:
			leaves = s.visit(w) || leaves
			if s.in[w] {
				s.low[v] = min(s.low[v], s.low[w])
			}
		case s.in[w]:
			s.low[v] = min(s.low[v], s.index[w])
		default:
			leaves = true
		}
	}
	if s.low[v] < s.index[v] {
		return leaves
	}
	at := slices.Index(s.stack, v)
	for _, w := range s.stack[at:] {
		s.in[w] = false
	}
	if !leaves {
		s.closed = append(s.closed, slices.Clone(s.stack[at:]))
	}
	s.stack = s.stack[:at]
	return true
}

// cycle is a shortest cycle in a closed set: channels between routers, and NICs.
func (g *waits) cycle(set []int32) (held []Held) {
	var best []int32
	for _, start := range set {
		before, away := map[int32]int32{}, map[int32]int{}
		queue := []int32{start}
	search:
		for i := 0; i < len(queue) && (best == nil || away[queue[i]]+1 < len(best)); i++ {
			for _, w := range g.next[queue[i]] {
				if w == start {
					way := []int32{queue[i]}
					for v := queue[i]; v != start; way = append(way, v) {
						v = before[v]
					}
					if slices.Reverse(way); best == nil || len(way) < len(best) {
						best = way
					}
					break search
				}
				if _, ok := before[w]; !ok {
					before[w], away[w] = queue[i], away[queue[i]]+1
					queue = append(queue, w)
				}
			}
		}
	}
	x, vcs := g.x, g.x.config.VCs
	links, _ := g.n.channels()
	for i, v := range best {
		if int(v) >= g.source(0) {
			continue // its sink is there, or the channel in which the rest of its packet is missing
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
			continue // of a source
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

// Wait is what a packet waits for that will never move.
type Wait uint8

// What packets wait for.
const (
	WaitCredit   Wait = iota // credits of the buffer at the far end of a channel: it is full, or they were lost
	WaitVC                   // a virtual channel that other packets own
	WaitRest                 // its own next flits
	WaitFirmware             // a place in an RX FIFO that firmware does not empty
	WaitDead                 // nothing: it is in a router that is dead
)

// Stand is a packet that will not move again unless firmware does something.
type Stand struct {
	Packet            uint32
	Node              int // where it is: in the source of a node...
	Router, Input, VC int // ...or, if that is -1, in the buffer of a VC at an input port of a router
	Wait              Wait
	Output, OutputVC  int    // of the router, for WaitCredit; for WaitVC the port alone
	By                uint32 // the packet at the front of what it waits for; PacketPending for none: it was lost
	Full              int    // the node whose RX FIFO it waits for; -1 for none
}

// Standing are the packets that stand, by router, port and virtual channel, then those in sources. Call it between cycles; takes is
// as of Knots.
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

// front is the packet at the front of a vertex that has one; of a VC whose packet has more flits to come, that packet.
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

// LostCredit is a virtual channel of a channel of which credits are missing: fewer than its depth are at the sender, on their way,
// or in flits that are out.
type LostCredit struct{ Channel, VC, Missing int }

// LostCredits holds the invariant of credits: of each virtual channel, what its sender counts as out are flits on the way or in the far
// buffer, and credits on their way back. Call it between cycles, of networks without RTL.
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
