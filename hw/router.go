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
	masks   *routeMasks // of a relation; nil for other routes
	flits   *Flits
	packets *Packets // packets in flight, for their destinations

	faults RouterFaults
	dead   []uint64 // by router: cycle from which the router is dead; nil without faults

	classVCs   int           // VCs per class
	classFirst [VCsMax]uint8 // by VC: first VC of its class

	words   int            // words in a set of one router's VCs; if 1, the narrow path operates on whole sets
	general bool           // the general path serves all options and numbers of VCs
	path    routerPath     // the general path
	banks   []*CreditWires // credit wires of each crossbar input of a port
	awake   []uint8        // by router: 1 if the router was active in its last cycle
	moves   []uint8        // by shard: 1 if any of its routers is awake; derived from awake

	routerColumns
	pins *routerPins // pins of RTL that replaces routers

	inputOf [64]uint8       // by VC of a router with one-word sets: input port of the VC
	scratch []routerScratch // by shard
}

// routerPath is an implementation of routers on the same columns.
type routerPath interface {
	latch(router int, w *routerScratch, flits, arrived []uint64)
	registers() []Register
	derive()
	// eachCrossing yields the flits after the switch that have not left their router, with their output ports.
	eachCrossing(yield func(port int, f Flit))
	// eachReturning yields the VCs of credits that have not left their router, with their input ports.
	eachReturning(yield func(port, vc int))
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
	switchGrant, switchAccept []uint8  // pointers by crossbar output and crossbar input
	choice                    []uint8  // by crossbar input: the VC with the highest priority

	crossed []uint64 // by output port: flits that have left, if routes are sets; nil otherwise
	first   []uint64 // by waiting input VC: preferred output VCs of route; nil if no rule prefers any
}

func newRouters(path string, config RouterConfig, w *routerWiring, routing RouteTable, flits *Flits,
	banks []*CreditWires, packets *Packets, general func(*Routers) routerPath) *Routers {
	ports := w.first[len(w.ports)]
	vcs, routers := ports*config.VCs, len(w.ports)
	x := &Routers{config: config, wiring: w, routing: routing, flits: flits, banks: banks,
		packets: packets}
	x.classVCs = config.ClassVCs()
	for vc := range config.VCs {
		x.classFirst[vc] = uint8(vc / x.classVCs * x.classVCs)
	}
	x.words = max(1, (w.portsMax*config.VCs+63)/64)
	x.general = x.words > 1 || config.Beyond() != ""
	numbers := func() []uint16 { return make([]uint16, vcs) }
	set := func() []uint64 { return make([]uint64, routers*x.words) }
	x.routerColumns = routerColumns{
		buffer: make([]uint64, vcs*config.Depth), head: numbers(), count: numbers(),
		route: make([]uint64, vcs*x.words), out: numbers(),
		moved: make([]uint32, vcs), filled: set(), waiting: set(), active: set(), sent: numbers(), full: set(),
		used: set(), tailed: set(),
		vcGrant: numbers(), vcAccept: numbers(),
		switchGrant:  make([]uint8, ports*config.Stages.OutputSpeedup),
		switchAccept: make([]uint8, ports*config.Stages.InputSpeedup),
		choice:       make([]uint8, ports*config.Stages.InputSpeedup),
	}
	if sets := routing.Sets; sets != nil {
		x.masks = newRouteMasks(sets, w.portsMax, config.VCs, x.classVCs, x.words)
		x.crossed = make([]uint64, ports)
	}
	x.awake, x.moves = make([]uint8, routers), make([]uint8, w.shards)
	x.scratch, x.pins = make([]routerScratch, w.shards), &routerPins{head: flitHead, dataBits: RouterDataBits}
	for i := range x.inputOf {
		x.inputOf[i] = uint8(i / config.VCs)
	}
	x.path = general(x)
	registers := append(x.registers(), x.path.registers()...)
	x.Registers = Declare(Declaration{Path: path, Registers: registers, Derive: x.derive})
	x.Reset()
	return x
}

func (x *Routers) registers() []Register {
	depth, s := uint16(x.config.Depth), &x.config.Stages
	choices := make([]uint8, s.InputSpeedup)
	for i := range choices {
		choices[i] = uint8(i % x.config.VCs)
	}
	registers := []Register{
		Column("buffer", x.buffer), Column("head", x.head, AtMost(depth-1)), Column("count", x.count, AtMost(depth)),
		Column("moved", x.moved), Column("route", x.route), Column("out", x.out, x.checkMember),
		Column("waiting", x.waiting), Column("active", x.active),
		Column("sent", x.sent, AtMost(depth)), Column("used", x.used), Column("tailed", x.tailed),
		Column("vc_grant", x.vcGrant, x.checkMember), Column("vc_accept", x.vcAccept, x.checkMember),
		Column("switch_grant", x.switchGrant, x.checkPort(s.OutputSpeedup, s.InputSpeedup)),
		Column("switch_accept", x.switchAccept, x.checkPort(s.InputSpeedup, s.OutputSpeedup)),
		Column("choice", x.choice, AtMost(uint8(x.config.VCs-1))).ResetTo(choices...),
		Column("awake", x.awake, AtMost[uint8](1)).ResetTo(1),
	}
	if x.crossed != nil {
		registers = append(registers, Column("crossed", x.crossed))
	}
	if x.masks != nil && x.masks.first != nil {
		x.first = make([]uint64, len(x.route))
		registers = append(registers, Column("first", x.first))
	}
	if x.masks != nil && x.masks.options != nil {
		column, register := routeLFSRs("lfsr", len(x.count))
		x.masks.lfsr, registers = column, append(registers, register)
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

// checkPort returns the check of pointers to ports with a speed-up of to, of ports with a speed-up of from.
func (x *Routers) checkPort(from, to int) func(i int, port uint8) error {
	return func(i int, port uint8) error {
		if ports := x.wiring.ports[x.wiring.router[i/from]]; int(port) >= ports*to {
			return fmt.Errorf("element %d is %d, but the router has %d ports", i, port, ports)
		}
		return nil
	}
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
	x.path.derive()
}

func (x *Routers) Latches() []Wire {
	wires := []Wire{&x.flits.channels}
	for _, bank := range x.banks {
		wires = append(wires, &bank.channels)
	}
	return wires
}

func (x *Routers) Latch(s Shard) {
	shows := x.moves[s.Index] != 0 || x.flits.shows(s.Index)
	for _, bank := range x.banks {
		shows = shows || bank.shows(s.Index)
	}
	if !shows {
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
	credits, back := x.banks[0].now()
	w := &x.scratch[s.Index]
	w.shard = s.Index
	words := x.wiring.portWords
	for r := s.First; r < s.End; r++ {
		at := r * words
		something := x.awake[r]
		for k := at; k < at+words; k++ {
			if arrived[k]|back[k] != 0 {
				something = 1
			}
		}
		if something == 0 && !x.backAt(r) {
			continue
		}
		if x.pins.replaced != nil && x.pins.replaced[r] || x.isDead(r) {
			x.noteHeads(r)
			clear(arrived[at : at+words])
			for _, bank := range x.banks {
				_, back := bank.now()
				clear(back[at : at+words])
			}
			if x.isDead(r) {
				x.awake[r] = 0
			}
			continue
		}
		if x.general {
			x.path.latch(r, w, flits, arrived[at:at+words])
			continue
		}
		x.latch(r, w, flits, arrived[at], credits, back[at])
		arrived[at], back[at] = 0, 0
	}
}

// backAt reports whether a credit of the further banks arrives at a router.
func (x *Routers) backAt(r int) bool {
	for _, bank := range x.banks[1:] {
		_, back := bank.now()
		for _, word := range back[r*x.wiring.portWords : (r+1)*x.wiring.portWords] {
			if word != 0 {
				return true
			}
		}
	}
	return false
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
