package hw

import "fmt"

// Routers is a bank of input-queued routers with virtual channels, credits and wormhole switching,
// as BookSim 2 has them, packet for packet. Routers may have different numbers of ports.
//
// A head that is on the input wire in cycle a is routed in a (with a routing delay of 0 in no cycle),
// gets an output VC in a+1 (a) at the earliest and crosses the switch in the cycle after that; in
// cycle s of the switch its credit goes to the credit register. Body flits need the switch only.
//
//	cycle        0      1    2    3    4    5    6
//	input wire   head   tail
//	             route  VA   head tail            the switch
//	crossbar                      head tail
//	output wire                        head tail
//
// In a cycle every router takes arrivals and credits, then from its registers alone decides who gets an output VC
// and who crosses the switch, then latches. All virtual channels of a route's set are asked for; of the
// VCs of one input that want one output the next one after the last winner asks for the switch. Ties
// are broken by rotating pointers that move at matches only. A router in which nothing has happened
// is skipped until something arrives.
//
// Throughput one flit per port and cycle. Reset: empty buffers, all pointers 0, all VCs free.
type Routers struct {
	Registers
	config  RouterConfig
	wiring  *routerWiring
	routing RouteTable
	flits   *Flits
	credits *CreditWires
	packets *Packets // whose destinations are looked up

	faults RouterFaults
	dead   []uint64 // of each router: the cycle from which it is dead; nil without faults

	classVCs   int           // of a class
	classFirst [VCsMax]uint8 // of each VC: the first one of its class

	words int     // of a set of virtual channels of one router; 1: allocation works on whole sets
	wide  bool    // allocation goes through the members
	awake []uint8 // of each router: something happened in its last cycle
	moves []uint8 // of each shard: one of its routers is awake; derived from awake

	routerColumns
	pins *routerPins // what RTL in the place of routers needs

	inputOf [64]uint8       // port of each virtual channel of a router with sets of one word
	scratch []routerScratch // per shard
}

// routerColumns are the registers. An input VC or output VC of all routers is numbered by
// (first port of its router + port) * VCs + VC; the members of a router's sets by port * VCs + VC.
type routerColumns struct {
	buffer      []uint64 // [input VC * depth + place] Flit
	head, count []uint16 // of input VCs
	route       []uint64 // of input VCs that wait: the set of admissible output VCs
	out         []uint16 // of active input VCs: the output VC that they own
	moved       []uint32 // of input VCs: the last cycle in which a flit came or went, for what is said of deadlocks
	filled      []uint64 // set of input VCs with flits: derived from count
	waiting     []uint64 // set of input VCs with a routed head that has no output VC
	active      []uint64 // set of input VCs that own an output VC
	sent        []uint16 // of output VCs: flits sent without a credit back
	full        []uint64 // set of output VCs without credit: derived from sent
	used        []uint64 // set of output VCs that a packet owns
	tailed      []uint64 // set of output VCs whose last owner's tail was sent

	vcGrant, vcAccept         []uint16 // pointers of output VCs, of input VCs
	switchGrant, switchAccept []uint8  // pointers of output ports, of input ports
	choice                    []uint8  // of input ports: the VC with the first choice
}

func newRouters(path string, config RouterConfig, w *routerWiring, routing RouteTable, flits *Flits, credits *CreditWires, packets *Packets) *Routers {
	ports := w.first[len(w.ports)]
	vcs, routers := ports*config.VCs, len(w.ports)
	x := &Routers{config: config, wiring: w, routing: routing, flits: flits, credits: credits, packets: packets}
	x.classVCs = config.ClassVCs()
	for vc := range config.VCs {
		x.classFirst[vc] = uint8(vc / x.classVCs * x.classVCs)
	}
	x.words = max(1, (w.portsMax*config.VCs+63)/64)
	x.wide = x.words > 1
	numbers := func() []uint16 { return make([]uint16, vcs) }
	set := func() []uint64 { return make([]uint64, routers*x.words) }
	x.routerColumns = routerColumns{
		buffer: make([]uint64, vcs*config.Depth), head: numbers(), count: numbers(), route: make([]uint64, vcs*x.words), out: numbers(),
		moved: make([]uint32, vcs), filled: set(), waiting: set(), active: set(), sent: numbers(), full: set(), used: set(), tailed: set(),
		vcGrant: numbers(), vcAccept: numbers(),
		switchGrant: make([]uint8, ports), switchAccept: make([]uint8, ports), choice: make([]uint8, ports),
	}
	x.awake, x.moves = make([]uint8, routers), make([]uint8, w.shards)
	x.scratch, x.pins = make([]routerScratch, w.shards), &routerPins{head: flitHead, dataBits: RouterDataBits}
	for i := range x.inputOf {
		x.inputOf[i] = uint8(i / config.VCs)
	}
	x.Registers = Declare(Declaration{Path: path, Registers: x.registers(), Derive: x.derive})
	x.Reset()
	return x
}

func (x *Routers) registers() []Register {
	depth := uint16(x.config.Depth)
	registers := []Register{
		Column("buffer", x.buffer), Column("head", x.head, AtMost(depth-1)), Column("count", x.count, AtMost(depth)),
		Column("moved", x.moved), Column("route", x.route), Column("out", x.out, x.checkMember),
		Column("waiting", x.waiting), Column("active", x.active),
		Column("sent", x.sent, AtMost(depth)), Column("used", x.used), Column("tailed", x.tailed),
		Column("vc_grant", x.vcGrant, x.checkMember), Column("vc_accept", x.vcAccept, x.checkMember),
		Column("switch_grant", x.switchGrant, x.checkPort), Column("switch_accept", x.switchAccept, x.checkPort),
		Column("choice", x.choice, AtMost(uint8(x.config.VCs-1))), Column("awake", x.awake, AtMost[uint8](1)).ResetTo(1),
	}
	if x.routing.Carried {
		x.pins.carried = make([]uint64, len(x.buffer))
		registers = append(registers, Column("carried", x.pins.carried))
	}
	return registers
}

func (x *Routers) checkMember(i int, member uint16) error {
	port := i / x.config.VCs
	if ports := x.wiring.ports[x.wiring.router[port]]; int(member) >= ports*x.config.VCs {
		return fmt.Errorf("element %d is %d, a router of %d ports has %d virtual channels", i, member, ports, ports*x.config.VCs)
	}
	return nil
}

func (x *Routers) checkPort(i int, port uint8) error {
	if ports := x.wiring.ports[x.wiring.router[i]]; int(port) >= ports {
		return fmt.Errorf("element %d is %d, the router has %d ports", i, port, ports)
	}
	return nil
}

func (x *Routers) derive() {
	clear(x.filled)
	clear(x.full)
	clear(x.moves)
	for r, awake := range x.awake {
		x.moves[x.wiring.owner[r]] |= awake
	}
	for port, r := range x.wiring.router {
		first := (port - x.wiring.first[r]) * x.config.VCs
		for vc := range x.config.VCs {
			g, member := port*x.config.VCs+vc, first+vc
			if x.count[g] > 0 {
				x.filled[int(r)*x.words+member/64] |= 1 << (member & 63)
			}
			if int(x.sent[g]) == x.config.Depth {
				x.full[int(r)*x.words+member/64] |= 1 << (member & 63)
			}
		}
	}
}

func (x *Routers) Latches() []Wire { return []Wire{&x.flits.channels, &x.credits.channels} }

func (x *Routers) Latch(s Shard) {
	if x.moves[s.Index] == 0 && !x.flits.shows(s.Index) && !x.credits.shows(s.Index) {
		return
	}
	x.latchShard(s)
	moves := uint8(0)
	for _, awake := range x.awake[s.First:s.End] {
		moves |= awake
	}
	x.moves[s.Index] = moves
}

func (x *Routers) latchShard(s Shard) {
	flits, arrived := x.flits.now()
	credits, back := x.credits.now()
	w := &x.scratch[s.Index]
	if w.shard = s.Index; x.wide && w.wide.ready == nil {
		w.wide.build(x)
	}
	words := x.wiring.portWords
	for r := s.First; r < s.End; r++ {
		at := r * words
		something := x.awake[r]
		for k := at; k < at+words; k++ {
			if arrived[k]|back[k] != 0 {
				something = 1
			}
		}
		if something == 0 {
			continue
		}
		if x.pins.replaced != nil && x.pins.replaced[r] || x.isDead(r) {
			x.noteHeads(r)
			clear(arrived[at : at+words])
			clear(back[at : at+words])
			if x.isDead(r) {
				x.awake[r] = 0
			}
			continue
		}
		if x.wide {
			x.latchWide(r, w, flits, arrived[at:at+words], credits, back[at:at+words])
			continue
		}
		x.latch(r, w, flits, arrived[at], credits, back[at])
		arrived[at], back[at] = 0, 0
	}
}

// QuietFor implements Quiet: in every router nothing has happened.
func (x *Routers) QuietFor(limit uint64) uint64 {
	for _, moves := range x.moves {
		if moves != 0 {
			return 0
		}
	}
	return limit
}

// RouterFaults are what goes wrong in a network of routers, from outside. Channels are numbered: first the links of the graph, then of
// each node the one to its router and the one from it; a credit's channel is that of its flits. What is asked is asked once, in the shard that
// sends, with the cycle in which it would be at the far end. Answers depend on nothing but that.
type RouterFaults interface {
	// LosesFlit reports whether a flit vanishes on a channel. It may note harm of its packet.
	LosesFlit(shard, channel int, cycle uint64, f Flit) bool
	// LosesCredit reports whether a credit vanishes on its way back.
	LosesCredit(shard, channel, vc int, cycle uint64) bool
	// DeadFrom is the cycle from which a router does nothing and loses all that comes to it; math.MaxUint64 for never.
	DeadFrom(router int) uint64
}

// noteHeads notes how far the heads have come that RTL in the place of a router takes, or a dead one: no one sees it there.
func (x *Routers) noteHeads(r int) {
	for port := x.wiring.first[r]; port < x.wiring.first[r+1]; port++ {
		if f, lit := x.flits.at(uint32(port), 0); lit && Flit(f).Head() {
			x.packets.Hops[Flit(f).Packet()] = Flit(f).Hops()
		}
	}
}

func (x *Routers) isDead(r int) bool { return x.dead != nil && x.flits.clock.cycle >= x.dead[r] }

// RouterDataBits are the bits of a flit that a router in a network does not look at: the phase, the routers that it has
// come to and the packet.
const RouterDataBits = 1 + flitPacketShift - flitHopsShift + 32

// flitCarriedHead is flitHead of a flit whose packet is not counted: that of a router alone.
const flitCarriedHead = 1 << 3

// routerPins is what stands at the pins of routers for which RTL stands, or of one that is a device itself.
type routerPins struct {
	head     Flit     // its bit
	dataBits int      // of a flit
	replaced []bool   // by router; nil: none
	carried  []uint64 // [input VC*depth + place]: the route that a flit has brought with it; nil: a route table says

	// By port: what has been put.
	valid, credit []bool
	flit          []Flit
	vc, creditVC  []uint64
	route         []uint64
}

func (p *routerPins) build(ports int) {
	p.valid, p.credit, p.flit = make([]bool, ports), make([]bool, ports), make([]Flit, ports)
	p.vc, p.creditVC, p.route = make([]uint64, ports), make([]uint64, ports), make([]uint64, ports)
}
