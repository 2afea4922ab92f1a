package hw

import "math"

// generalRouters is the path of routers with any number of virtual channels and all options.
type generalRouters struct {
	*Routers
	stage   *stages
	columns []Register
	scratch []generalScratch // by shard
}

// stages holds the options and the state of the general path. Columns of unused options are nil.
type stages struct {
	*RouterStages
	vcs, sw    allocation
	spec       allocation // of speculative requests; nil if they take part in sw
	queued     bool       // flits wait in queues after the crossbar, otherwise they leave in the next cycle
	creditful  bool       // credits wait in queues, because a cycle has several steps
	ordered    bool       // the order of flits that enter the crossbar in one step matters
	room       int        // places of each queue
	memberPort []uint16   // by input VC of a router: its port
	memberVC   []uint16

	*crossing
	*returning
	*connections
	*turnColumns

	routing  []uint64 // set of input VCs whose heads are routed
	routeEnd []uint64 // by router: first cycle after these heads are routed; 0 for none
	priority []int32  // [input VC * depth + place]: priority of a flit
	buffers  *sharedBuffers
}

// crossing is the queue after the crossbar, by output port: ready flits, then crossing flits, then flits that wait for
// the crossbar.
type crossing struct {
	outFlits                                 []uint64 // [output * room + place]
	outHead, outReady, outCrossing, outWaits []uint32
	crossEnd                                 []uint64 // by router: first cycle after the flits that cross; 0 for none
}

// returning is the queue of credit messages, by input port.
type returning struct {
	backVCs             []uint16 // [(input * room + place) * InputSpeedup + k]: VC + 1, 0 for none
	backHead, backCount []uint32
}

// connections are the held ways through the switch.
type connections struct {
	heldVC  []uint16 // by crossbar input: VC + 1 that holds it; 0 for none
	heldOut []uint16 // by crossbar input: held crossbar output + 1
	heldIn  []uint16 // by crossbar output: held crossbar input + 1
}

// turnColumns number the places in the queues of a router's stages.
type turnColumns struct {
	turns []uint64 // by router: number of the last turn
	head  []uint64 // by input VC: turn among heads to be routed or to get a VC
	body  []uint64 // by input VC: turn at the switch
}

// newGeneral returns the general path of routers whose columns exist.
func newGeneral(routers *Routers) routerPath {
	w := routers.wiring
	x := &generalRouters{Routers: routers, scratch: make([]generalScratch, w.shards)}
	c := &x.config
	s := &stages{RouterStages: &c.Stages, crossing: &crossing{}, returning: &returning{},
		connections: &connections{}, turnColumns: &turnColumns{}}
	x.stage = s
	ports := w.first[len(w.ports)]
	s.queued = s.OutputSpeedup > 1 || s.InternalSpeedup > 1 || s.CrossbarDelay > 1
	s.creditful, s.ordered = s.InternalSpeedup > 1, s.OutputSpeedup > 1
	s.room = c.VCs * c.Depth
	for member := range w.portsMax * c.VCs {
		s.memberPort, s.memberVC = append(s.memberPort, uint16(member/c.VCs)), append(s.memberVC, uint16(member%c.VCs))
	}
	registers := x.buildAllocators(w)
	ins, outs := ports*s.InputSpeedup, ports*s.OutputSpeedup
	s.buffers = newSharedBuffers(c, ports)
	registers = append(registers, s.buffers.registers()...)
	registers = append(registers, s.buildQueues(c, len(w.ports), ports)...)
	if c.RoutingDelay > 1 {
		s.routing, s.routeEnd = make([]uint64, len(w.ports)*x.words), make([]uint64, len(w.ports))
		registers = append(registers, Column("routing", s.routing), Column("route_end", s.routeEnd))
	}
	if s.HoldSwitch {
		s.heldVC, s.heldOut, s.heldIn = make([]uint16, ins), make([]uint16, ins), make([]uint16, outs)
		registers = append(registers, Column("held_vc", s.heldVC, AtMost(uint16(c.VCs))),
			Column("held_out", s.heldOut, AtMost(uint16(RouterPortsMax))),
			Column("held_in", s.heldIn, AtMost(uint16(RouterPortsMax))))
	}
	if s.Priority.carried() {
		s.priority = make([]int32, len(x.buffer))
		registers = append(registers, Column("priority", s.priority))
	}
	if s.ordered {
		s.turns, s.head, s.body = make([]uint64, len(w.ports)), make([]uint64, ports*c.VCs), make([]uint64, ports*c.VCs)
		registers = append(registers, Column("turns", s.turns), Column("head_turn", s.head), Column("body_turn", s.body))
	}
	x.columns = registers
	return x
}

func (x *generalRouters) registers() []Register { return x.columns }

func (s *stages) buildQueues(c *RouterConfig, routers, ports int) (registers []Register) {
	if s.queued {
		s.outFlits, s.crossEnd = make([]uint64, ports*s.room), make([]uint64, routers)
		s.outHead, s.outReady = make([]uint32, ports), make([]uint32, ports)
		s.outCrossing, s.outWaits = make([]uint32, ports), make([]uint32, ports)
		most := AtMost(uint32(s.room))
		registers = append(registers, Column("out_flits", s.outFlits), Column("cross_end", s.crossEnd),
			Column("out_head", s.outHead, AtMost(uint32(s.room-1))), Column("out_ready", s.outReady, most),
			Column("out_crossing", s.outCrossing, most), Column("out_waits", s.outWaits, most))
	}
	if s.creditful {
		s.backVCs = make([]uint16, ports*s.room*s.InputSpeedup)
		s.backHead, s.backCount = make([]uint32, ports), make([]uint32, ports)
		registers = append(registers, Column("back_vcs", s.backVCs, AtMost(uint16(c.VCs))),
			Column("back_head", s.backHead, AtMost(uint32(s.room-1))),
			Column("back_count", s.backCount, AtMost(uint32(s.room))))
	}
	return registers
}

func (x *generalRouters) buildAllocators(w *routerWiring) (registers []Register) {
	c, s := &x.config, x.stage
	sizes := func(per int) (all []int) {
		for _, n := range w.ports {
			all = append(all, n*per)
		}
		return all
	}
	build := func(name string, kind RouterAllocator, ins, outs int, grant, accept pointers) allocation {
		a := kind.spec().New(&allocatorShape{name: name, parameter: kind.parameter(), ins: sizes(ins), outs: sizes(outs),
			grant: grant, accept: accept})
		registers = append(registers, a.registers()...)
		return a
	}
	s.vcs = build("vc", c.VCAllocator, c.VCs, c.VCs, pointers{vcs: x.vcGrant}, pointers{vcs: x.vcAccept})
	s.sw = build("switch", c.SwitchAllocator, s.InputSpeedup, s.OutputSpeedup, pointers{ports: x.switchGrant},
		pointers{ports: x.switchAccept})
	if s.Speculation.On && s.Speculation.Own {
		grant, accept := make([]uint8, len(x.switchGrant)), make([]uint8, len(x.switchAccept))
		registers = append(registers, Column("speculative_grant", grant), Column("speculative_accept", accept))
		s.spec = build("speculative", s.Speculation.Allocator, s.InputSpeedup, s.OutputSpeedup, pointers{ports: grant},
			pointers{ports: accept})
	}
	return registers
}

// steps returns the number of steps of a cycle. Each cycle adds the internal speed-up to an accumulator, and each step
// takes 1 from it.
func (w *generalScratch) steps(speedup float64, cycle uint64) (steps int) {
	if whole := int(speedup); float64(whole) == speedup {
		return whole
	}
	a := &w.left
	if a.cycle > cycle {
		a.cycle, a.left = 0, 0
	}
	for ; a.cycle <= cycle; a.cycle++ {
		a.left, steps = a.left+speedup, 0
		for a.left >= 1 {
			a.left--
			steps++
		}
		a.steps = steps
	}
	return a.steps
}

// drain puts the first ready flit of each output and the first credit message of each input onto their wires. It
// reports whether flits or credits remain.
func (x *generalRouters) drain(w *generalScratch) (remain bool) {
	s := x.stage
	for port := w.port; port < w.port+w.ports; port++ {
		if s.outReady[port] > 0 {
			at := s.outHead[port]
			to := &x.wiring.outputs[port]
			x.flits.put(w.shard, to.wire, to.delay-1, s.outFlits[port*s.room+int(at)])
			s.outHead[port] = s.after(at, 1)
			s.outReady[port]--
			remain = remain || int(s.outReady[port]) == s.OutputBuffer-1 // flits that waited for this place may cross
		}
		remain = remain || s.outReady[port]|s.outCrossing[port]|s.outWaits[port] != 0
		if !s.creditful || s.backCount[port] == 0 {
			continue
		}
		at, to := s.backHead[port], &x.wiring.inputs[port]
		message := s.backVCs[(port*s.room+int(at))*s.InputSpeedup:][:s.InputSpeedup]
		for k, vc := range message {
			if vc > 0 {
				x.banks[k].put(w.shard, to.wire, to.delay, uint8(vc-1))
			}
		}
		clear(message)
		s.backHead[port] = s.after(at, 1)
		s.backCount[port]--
		remain = remain || s.backCount[port] > 0
	}
	return remain
}

// after returns the place n places after another place of a queue.
func (s *stages) after(place, n uint32) uint32 {
	if place += n; place >= uint32(s.room) {
		place -= uint32(s.room)
	}
	return place
}

// beginCrossing starts the crossing of the flits that wait for the crossbar, if it is idle.
func (x *generalRouters) beginCrossing(w *generalScratch) {
	s := x.stage
	if s.crossEnd[w.router] != 0 {
		return
	}
	for port := w.port; port < w.port+w.ports; port++ {
		if s.outWaits[port] > 0 {
			s.outCrossing[port], s.outWaits[port] = s.outWaits[port], 0
			s.crossEnd[w.router] = x.flits.clock.cycle + uint64(s.CrossbarDelay)
		}
	}
}

// endCrossing makes the flits ready that have crossed.
func (x *generalRouters) endCrossing(w *generalScratch) {
	s := x.stage
	if end := s.crossEnd[w.router]; end == 0 || x.flits.clock.cycle+1 < end {
		return
	}
	s.crossEnd[w.router] = 0
	for port := w.port; port < w.port+w.ports; port++ {
		s.outReady[port] += s.outCrossing[port]
		s.outCrossing[port] = 0
	}
}

// enter appends a flit to the queue before the crossbar.
func (s *stages) enter(port int, f Flit) {
	place := s.after(s.outHead[port], 0)
	for _, n := range []uint32{s.outReady[port], s.outCrossing[port], s.outWaits[port]} {
		place = s.after(place, n)
	}
	s.outFlits[port*s.room+int(place)] = uint64(f)
	s.outWaits[port]++
}

// arrived returns the priority of a flit that arrives at a place of an input VC.
func (x *generalRouters) arrived(g, place int, f Flit) int32 {
	p, packet := x.packets, f.Packet()
	switch x.stage.Priority {
	case PriorityAge:
		return math.MaxInt32 - int32(p.Created[packet])
	case PriorityLocalAge:
		return math.MaxInt32 - int32(x.flits.clock.cycle)
	case PriorityNetworkAge:
		return math.MaxInt32 - int32(p.FlitSent[p.FirstFlit[packet]+f.ordinal()])
	case PrioritySequence:
		return math.MaxInt32 - int32(p.Sequence[packet])
	case PriorityClass:
		return p.Traffic.priority(packet)
	}
	if f.Head() { // PriorityHopCount
		return int32(f.Hops())
	}
	before := place - 1
	if before < 0 {
		before = x.config.Depth - 1
	}
	return x.stage.priority[g*x.config.Depth+before] // that of the flit before, whose place still holds it
}

// priorityOf returns the priority of an input VC with flits.
func (x *generalRouters) priorityOf(g int) int32 {
	s := x.stage
	switch {
	case s.Priority == NoPriority:
		return 0
	case s.Priority == PriorityQueueLength:
		return int32(x.count[g])
	case !s.Donate || s.Priority == PriorityLocalAge:
		return s.priority[g*x.config.Depth+int(x.head[g])]
	}
	most := int32(math.MinInt32)
	for k := range int(x.count[g]) {
		place := int(x.head[g]) + k
		if place >= x.config.Depth {
			place -= x.config.Depth
		}
		most = max(most, s.priority[g*x.config.Depth+place])
	}
	return most
}

// eachCrossing yields the flits after the switch that have not left their router, with their output ports.
func (x *generalRouters) eachCrossing(yield func(port int, f Flit)) {
	s := x.stage
	for port := range s.outHead {
		for k := range s.outReady[port] + s.outCrossing[port] + s.outWaits[port] {
			yield(port, Flit(s.outFlits[port*s.room+int(s.after(s.outHead[port], k))]))
		}
	}
}

func (x *generalRouters) eachReturning(yield func(port, vc int)) {
	s := x.stage
	for port := range s.backHead {
		for k := range s.backCount[port] {
			at := (port*s.room + int(s.after(s.backHead[port], k))) * s.InputSpeedup
			for _, vc := range s.backVCs[at : at+s.InputSpeedup] {
				if vc > 0 {
					yield(port, int(vc-1))
				}
			}
		}
	}
}

// fills updates the set of output VCs without credit at output o, after sends and credits of a shared buffer.
func (x *generalRouters) fills(r, o int) {
	full := x.of(x.full, r)
	for vc := range x.config.VCs {
		if x.stage.buffers.full(x.wiring.first[r]+o, vc) {
			include(full, o*x.config.VCs+vc)
		} else {
			exclude(full, o*x.config.VCs+vc)
		}
	}
}

func (x *generalRouters) derive() {
	for r, ports := range x.wiring.ports {
		for o := 0; x.stage.buffers != nil && o < ports; o++ {
			x.fills(r, o)
		}
	}
}
