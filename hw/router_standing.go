package hw

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
