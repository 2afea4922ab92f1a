package hw

import "fmt"

// Routers is a bank of input-queued routers with virtual channels, credits and wormhole switching. Their behaviour
// equals that of BookSim 2 packet for packet. Routers may have different numbers of ports.
//
// A head on the input wire in cycle a is routed in a (without a cycle if the routing delay is 0), gets an output VC
// in a+1 (a) at the earliest, and crosses the switch one cycle later; at the same time its credit enters the credit
// register. Body flits need only the switch.
//
//	cycle        0      1    2    3    4    5    6
//	input wire   head   tail
//	             route  VA   head tail            the switch
//	crossbar                      head tail
//	output wire                        head tail
//
// In a cycle every router accepts arrivals and credits, allocates output VCs and the switch from its registers alone,
// and then latches. A head requests all virtual channels of its route. If several VCs of one input request the same
// output, the next VC after the last winner requests the switch. Rotating pointers break ties and advance only at
// matches. Idle routers are skipped until something arrives.
//
// Throughput one flit per port and cycle. Reset: empty buffers, all pointers 0, all VCs free.
type Routers struct {
	Registers
	config  RouterConfig
	wiring  *routerWiring
	routing RouteTable
	flits   *Flits
	credits *CreditWires
	packets *Packets // packets in flight, for their destinations

	faults RouterFaults
	dead   []uint64 // by router: cycle from which the router is dead; nil without faults

	classVCs   int           // VCs per class
	classFirst [VCsMax]uint8 // by VC: first VC of its class

	words int     // words in a set of one router's VCs; if 1, allocation operates on whole sets
	wide  bool    // allocation iterates over members
	awake []uint8 // by router: 1 if the router was active in its last cycle
	moves []uint8 // by shard: 1 if any of its routers is awake; derived from awake

	routerColumns
	pins *routerPins // pins of RTL that replaces routers

	inputOf [64]uint8       // by VC of a router with one-word sets: input port of the VC
	scratch []routerScratch // by shard
}

// routerColumns holds the registers. The number of an input or output VC is (first port of the router + port) * VCs +
// VC. In the sets of a router, the number is port * VCs + VC.
type routerColumns struct {
	buffer      []uint64 // [input VC * depth + place] Flit
	head, count []uint16 // position of the first flit, and number of flits, by input VC
	route       []uint64 // by waiting input VC: set of permitted output VCs
	out         []uint16 // by active input VC: output VC that the input VC owns
	moved       []uint32 // by input VC: last cycle in which a flit entered or left, for reports of deadlocks
	filled      []uint64 // set of input VCs with flits, derived from count
	waiting     []uint64 // set of input VCs with a routed head and no output VC yet
	active      []uint64 // set of input VCs that own an output VC
	sent        []uint16 // by output VC: number of sent flits whose credit has not returned
	full        []uint64 // set of output VCs without credit, derived from sent
	used        []uint64 // set of output VCs owned by packets
	tailed      []uint64 // set of output VCs whose last owner has sent its tail

	vcGrant, vcAccept         []uint16 // pointers by output VC and input VC
	switchGrant, switchAccept []uint8  // pointers by output port and input port
	choice                    []uint8  // by input port: the VC with the highest priority
}

func newRouters(path string, config RouterConfig, w *routerWiring, routing RouteTable, flits *Flits,
	credits *CreditWires, packets *Packets) *Routers {
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
		buffer: make([]uint64, vcs*config.Depth), head: numbers(), count: numbers(),
		route: make([]uint64, vcs*x.words), out: numbers(),
		moved: make([]uint32, vcs), filled: set(), waiting: set(), active: set(), sent: numbers(), full: set(),
		used: set(), tailed: set(),
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
		return fmt.Errorf("element %d is %d, but a router of %d ports has %d virtual channels", i, member,
			ports, ports*x.config.VCs)
	}
	return nil
}

func (x *Routers) checkPort(i int, port uint8) error {
	if ports := x.wiring.ports[x.wiring.router[i]]; int(port) >= ports {
		return fmt.Errorf("element %d is %d, but the router has %d ports", i, port, ports)
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

func (x *Routers) QuietFor(limit uint64) uint64 {
	for _, moves := range x.moves {
		if moves != 0 {
			return 0
		}
	}
	return limit
}

// RouterFaults injects faults into a network of routers. Channel numbers start with the links of the graph. Two
// channels per node follow: to its router, and from its router. A credit has the channel number of its flits. The
// sending shard calls LosesFlit and LosesCredit once for each flit or credit, with the cycle of arrival. Results must
// depend only on the arguments.
type RouterFaults interface {
	// LosesFlit reports whether a flit is lost on a channel. It may record harm to the packet.
	LosesFlit(shard, channel int, cycle uint64, f Flit) bool
	// LosesCredit reports whether a credit is lost on its way back.
	LosesCredit(shard, channel, vc int, cycle uint64) bool
	// DeadFrom returns the first cycle in which a router is dead: inactive, losing its inputs. It returns
	// math.MaxUint64 for never.
	DeadFrom(router int) uint64
}

// noteHeads records the hops of heads that enter a replaced or dead router; no later point can observe these heads.
func (x *Routers) noteHeads(r int) {
	for port := x.wiring.first[r]; port < x.wiring.first[r+1]; port++ {
		if f, lit := x.flits.at(uint32(port), 0); lit && Flit(f).Head() {
			x.packets.Hops[Flit(f).Packet()] = Flit(f).Hops()
		}
	}
}

func (x *Routers) isDead(r int) bool { return x.dead != nil && x.flits.clock.cycle >= x.dead[r] }

// RouterDataBits is the number of bits of a flit that a router passes on: phase, hops and packet.
const RouterDataBits = 1 + flitPacketShift - flitHopsShift + 32

// flitCarriedHead replaces flitHead in a stand-alone router, whose hops are not counted.
const flitCarriedHead = 1 << 3

// routerPins holds the pins of replaced or stand-alone routers.
type routerPins struct {
	head     Flit     // flag of a head
	dataBits int      // data bits per flit
	replaced []bool   // by router: RTL replaces the router; nil if RTL replaces none
	carried  []uint64 // [input VC*depth + place]: route that a flit carries; nil with a route table

	// By port: values put on the pins.
	valid, credit []bool
	flit          []Flit
	vc, creditVC  []uint64
	route         []uint64
}

func (p *routerPins) build(ports int) {
	p.valid, p.credit, p.flit = make([]bool, ports), make([]bool, ports), make([]Flit, ports)
	p.vc, p.creditVC, p.route = make([]uint64, ports), make([]uint64, ports), make([]uint64, ports)
}
