package hw

import "math/bits"

// generalScratch is a shard's work space for one router of the general path.
type generalScratch struct {
	*routerScratch
	vcs, sw, spec matching

	// By crossbar input and output: position + 1 of the request in sw or spec, 0 for none.
	candidates, specCandidates []int32
	matchedIn, matchedOut      []bool // by crossbar input and output: sw has matched or, for MaskByRequests, requested it

	idle    []int32  // input VCs whose heads are routed in this step
	holders []int32  // input VCs that hold their connection
	passes  []bool   // by holder: its flit moves
	moving  []int32  // input VCs that have won the switch
	waits   []int32  // with stages.ordered: input VCs at the allocator of VCs
	asks    []int32  // with stages.ordered: input VCs at the switch that hold no connection
	opened  []bool   // by input: this step has a credit message
	left    struct { // parts of steps
		cycle uint64
		left  float64
		steps int
	}
}

func (w *generalScratch) build(x *generalRouters) {
	s, ports := x.stage, x.wiring.portsMax
	ins, outs := ports*s.InputSpeedup, ports*s.OutputSpeedup
	w.vcs.build(ports * x.config.VCs)
	w.sw.build(max(ins, outs))
	w.candidates = make([]int32, ins*outs)
	if s.spec != nil {
		w.spec.build(max(ins, outs))
		w.specCandidates = make([]int32, ins*outs)
	}
	w.matchedIn, w.matchedOut, w.opened = make([]bool, ins), make([]bool, outs), make([]bool, ports)
}

// latch is the latch of one router.
func (x *generalRouters) latch(r int, shared *routerScratch, flits []uint64, arrived []uint64) {
	w := &x.scratch[shared.shard]
	if w.routerScratch = shared; w.matchedIn == nil {
		w.build(x)
	}
	w.router, w.port, w.ports = r, x.wiring.first[r], x.wiring.ports[r]
	w.vc, w.members = w.port*x.config.VCs, w.ports*x.config.VCs
	filled, s := x.of(x.filled, r), x.stage
	for k, word := range arrived {
		for ; word != 0; word &= word - 1 {
			i := k*64 + bits.TrailingZeros64(word)
			f := Flit(flits[w.port+i])
			member := x.arrive(w.routerScratch, i, f)
			if s.priority != nil {
				x.prioritize(w.vc+member, f)
			}
			if s.ordered && !has(filled, member) {
				x.joins(w, member)
			}
			include(filled, member)
		}
		arrived[k] = 0
	}
	for _, bank := range x.banks {
		x.takeCredits(w, bank)
	}
	something, steps := false, 1
	if s.InternalSpeedup > 1 {
		steps = w.steps(s.InternalSpeedup, x.flits.clock.cycle)
	}
	for range steps {
		something = x.step(w) || something
	}
	if s.queued {
		something = x.drain(w) || something
	}
	x.awake[r] = uint8(bit(something))
}

func (x *generalRouters) takeCredits(w *generalScratch, bank *CreditWires) {
	credits, lit := bank.now()
	at := w.router * x.wiring.portWords
	for k, word := range lit[at : at+x.wiring.portWords] {
		for ; word != 0; word &= word - 1 {
			o := k*64 + bits.TrailingZeros64(word)
			out, none := x.takeCredit(w.routerScratch, o, int(credits[w.port+o]))
			exclude(x.of(x.full, w.router), out)
			if none && x.config.WaitForTail && has(x.of(x.tailed, w.router), out) {
				exclude(x.of(x.used, w.router), out)
			}
			if b := x.stage.buffers; b != nil {
				b.credits(w.port+o, out-o*x.config.VCs, none && has(x.of(x.used, w.router), out))
				x.fills(w.router, o)
			}
		}
		lit[at+k] = 0
	}
}

func (x *generalRouters) prioritize(g int, f Flit) {
	place := int(x.head[g]) + int(x.count[g]) - 1
	if place >= x.config.Depth {
		place -= x.config.Depth
	}
	x.stage.priority[g*x.config.Depth+place] = x.arrived(g, place, f)
}

// step is one step of a router: it settles from the registers alone, then latches. It reports whether anything
// changes.
func (x *generalRouters) step(w *generalScratch) (something bool) {
	s := x.stage
	filled, active, waiting := x.of(x.filled, w.router), x.of(x.active, w.router), x.of(x.waiting, w.router)
	w.vcs.requests, w.sw.requests, w.spec.requests = w.vcs.requests[:0], w.sw.requests[:0], w.spec.requests[:0]
	w.idle, w.holders, w.moving = w.idle[:0], w.holders[:0], w.moving[:0]
	w.waits, w.asks = w.waits[:0], w.asks[:0]
	for k, word := range filled {
		for ; word != 0; word &= word - 1 {
			member := k*64 + bits.TrailingZeros64(word)
			switch at := uint64(1) << (member & 63); {
			case active[k]&at != 0:
				x.askSwitch(w, member)
			case waiting[k]&at != 0:
				x.askVC(w, member)
			default:
				w.idle = append(w.idle, int32(member))
			}
		}
	}
	something = len(w.idle) > 0 || x.stage.routing != nil && s.routeEnd[w.router] != 0
	if x.config.RoutingDelay == 0 {
		for _, member := range w.idle {
			x.routeHeadWide(w, int(member))
			include(waiting, int(member))
			x.askVC(w, int(member))
		}
	}
	something = something || len(w.vcs.requests)+len(w.sw.requests)+len(w.spec.requests)+len(w.holders) > 0
	x.allocateSwitchGeneral(w)
	if x.config.RoutingDelay > 0 {
		x.routeIdle(w)
	}
	x.allocateVCsGeneral(w)
	if s.ordered {
		x.orderHeads(w)
	}
	x.crossGeneral(w)
	return something
}

// routeIdle routes the heads that have arrived. They request output VCs from the next step on.
func (x *generalRouters) routeIdle(w *generalScratch) {
	s, now := x.stage, x.flits.clock.cycle
	if x.config.RoutingDelay > 1 {
		routing, end := x.of(s.routing, w.router), &s.routeEnd[w.router]
		if *end == 0 && len(w.idle) > 0 {
			*end = now + uint64(x.config.RoutingDelay)
			for _, member := range w.idle {
				include(routing, int(member))
			}
		}
		w.idle = w.idle[:0]
		if now+1 < *end {
			return
		}
		for member := range members(routing) {
			w.idle = append(w.idle, int32(member))
		}
		clear(routing)
		*end = 0
	}
	for _, member := range w.idle {
		x.routeHeadWide(w, int(member))
		include(x.of(x.waiting, w.router), int(member))
	}
	if s.ordered {
		x.orderRouted(w)
	}
}

func (x *generalRouters) routeHeadWide(w *generalScratch, member int) {
	if x.masks != nil {
		x.routeSet(w.router, w.vc+member)
		return
	}
	port, low, high := x.frontRoute(w.vc+member, w.router, int(x.stage.memberPort[member]))
	route := x.of(x.route, w.vc+member)
	clear(route)
	for vc := low; vc <= high; vc++ {
		include(route, port*x.config.VCs+vc)
	}
}

// askVC adds the requests of a head for output VCs, and its speculative request for the switch.
func (x *generalRouters) askVC(w *generalScratch, member int) {
	s := x.stage
	route, used, full := x.of(x.route, w.vc+member), x.of(x.used, w.router), x.of(x.full, w.router)
	in, priority, free, credit := member, x.priorityOf(w.vc+member), false, false
	if s.ordered {
		w.waits = append(w.waits, int32(member))
		if s.Speculation.On {
			w.asks = append(w.asks, int32(member))
		}
	}
	if s.ShuffleRequests {
		in = int(s.memberVC[member])*w.ports + int(s.memberPort[member])
	}
	for k, word := range route {
		word &^= used[k]
		free = free || word != 0
		credit = credit || word&^full[k] != 0
		if s.BusyWhenFull {
			word &^= full[k]
		}
		for ; word != 0; word &= word - 1 {
			out, inPriority := k*64+bits.TrailingZeros64(word), int32(0)
			if s.PrioritizeEmpty && x.sent[w.vc+out] > 0 {
				inPriority = leastPriority
			}
			if x.first != nil && has(x.of(x.first, w.vc+member), out) {
				inPriority++
			}
			w.vcs.requests = append(w.vcs.requests, request{int32(in), int32(out), int32(member), inPriority, priority})
		}
	}
	if !s.Speculation.On {
		return
	}
	o := x.routedTo(w.vc + member)
	switch {
	case s.Speculation.AnyVC && !s.Speculation.AnyCredit, !s.Speculation.AnyVC && !free,
		!s.Speculation.AnyCredit && !credit:
	case !s.Speculation.AnyVC && !x.outputOpen(w, o):
	case s.spec != nil:
		x.candidate(w, &w.spec, w.specCandidates, member, o, priority)
	default:
		x.candidate(w, &w.sw, w.candidates, member, o, priority+leastPriority)
	}
}

// outputOpen reports whether the queue of an output takes further flits.
func (x *generalRouters) outputOpen(w *generalScratch, o int) bool {
	s := x.stage
	return s.OutputBuffer == 0 || !s.queued || int(s.outReady[w.port+o]) < s.OutputBuffer
}

// sends reports whether the front flit of an active VC may cross: it has a credit, and its output takes flits.
func (x *generalRouters) sends(w *generalScratch, member int) bool {
	out := int(x.out[w.vc+member])
	return !has(x.of(x.full, w.router), out) && x.outputOpen(w, int(x.stage.memberPort[out]))
}

// askSwitch adds the request of an active VC for the switch.
func (x *generalRouters) askSwitch(w *generalScratch, member int) {
	s := x.stage
	if s.heldVC != nil && s.heldVC[x.crossbarInput(w, member)] == s.memberVC[member]+1 {
		w.holders = append(w.holders, int32(member))
		return
	}
	if s.ordered {
		w.asks = append(w.asks, int32(member))
	}
	if x.sends(w, member) {
		o := int(s.memberPort[x.out[w.vc+member]])
		x.candidate(w, &w.sw, w.candidates, member, o, x.priorityOf(w.vc+member))
	}
}

// crossbarInput returns the number of a VC's crossbar input across all routers.
func (x *generalRouters) crossbarInput(w *generalScratch, member int) int {
	s := x.stage
	return (w.port+int(s.memberPort[member]))*s.InputSpeedup + int(s.memberVC[member])%s.InputSpeedup
}

// candidate requests an output for a VC. Of the VCs of one crossbar input with the highest priority, the first from the
// input's choice on requests it.
func (x *generalRouters) candidate(w *generalScratch, m *matching, candidates []int32, member, o int, priority int32) {
	s := x.stage
	ei, eo := int(s.memberPort[member]), o
	if s.InputSpeedup > 1 {
		ei = ei*s.InputSpeedup + int(s.memberVC[member])%s.InputSpeedup
	}
	if s.OutputSpeedup > 1 {
		eo = eo*s.OutputSpeedup + int(s.memberPort[member])%s.OutputSpeedup
	}
	if s.heldVC != nil && (s.heldOut[w.port*s.InputSpeedup+ei] != 0 || s.heldIn[w.port*s.OutputSpeedup+eo] != 0) {
		return
	}
	at := &candidates[ei*w.ports*s.OutputSpeedup+eo]
	if *at == 0 {
		m.requests = append(m.requests, request{int32(ei), int32(eo), int32(member), priority, priority})
		*at = int32(len(m.requests))
		return
	}
	q, vcs := &m.requests[*at-1], x.config.VCs
	pointer := int(x.choice[w.port*s.InputSpeedup+ei])
	if priority > q.inPriority || priority == q.inPriority && distance(int(s.memberVC[member]), pointer, vcs) <
		distance(int(s.memberVC[q.member]), pointer, vcs) {
		q.member, q.inPriority, q.outPriority = int32(member), priority, priority
	}
}

// allocateSwitchGeneral matches the requests for the switch, and notes the VCs that have won it.
func (x *generalRouters) allocateSwitchGeneral(w *generalScratch) {
	s := x.stage
	if s.ordered {
		w.inOrder(w.holders, s.body)
	}
	w.passes = w.passes[:0]
	for _, member := range w.holders {
		w.passes = append(w.passes, x.sends(w, int(member)))
	}
	outs := w.ports * s.OutputSpeedup
	x.matchSwitch(w, s.sw, &w.sw, w.candidates, outs)
	for _, k := range w.sw.matches {
		x.win(w, &w.sw.requests[k])
	}
	if s.spec == nil {
		return
	}
	x.matchSwitch(w, s.spec, &w.spec, w.specCandidates, outs)
	mark := func(on bool) {
		for _, k := range w.sw.matches {
			w.matchedIn[w.sw.requests[k].in], w.matchedOut[w.sw.requests[k].out] = on, on
		}
		for _, out := range w.sw.closed {
			w.matchedOut[out] = on
		}
		for k := range w.sw.requests {
			if s.Speculation.MaskByRequests {
				w.matchedOut[w.sw.requests[k].out] = on
			}
		}
	}
	mark(true)
	for _, k := range w.spec.matches {
		if q := &w.spec.requests[k]; !w.matchedIn[q.in] && !w.matchedOut[q.out] {
			x.win(w, q)
		}
	}
	mark(false)
}

func (x *generalRouters) matchSwitch(w *generalScratch, a allocation, m *matching, candidates []int32, outs int) {
	s := x.stage
	m.matches, m.closed = m.matches[:0], m.closed[:0]
	if len(m.requests) == 0 {
		return
	}
	m.router, m.in, m.out = w.router, w.port*s.InputSpeedup, w.port*s.OutputSpeedup
	m.ins, m.outs = w.ports*s.InputSpeedup, outs
	a.match(m)
	for i := range m.requests {
		q := &m.requests[i]
		candidates[int(q.in)*outs+int(q.out)] = 0
	}
}

// win notes a VC that has won the switch, and advances the choice of its crossbar input.
func (x *generalRouters) win(w *generalScratch, q *request) {
	s := x.stage
	vc := (int(s.memberVC[q.member]) + s.InputSpeedup) % x.config.VCs
	x.choice[w.port*s.InputSpeedup+int(q.in)] = uint8(vc)
	w.moving = append(w.moving, q.member)
}

func (x *generalRouters) allocateVCsGeneral(w *generalScratch) {
	m := &w.vcs
	if m.matches = m.matches[:0]; len(m.requests) == 0 {
		return
	}
	m.router, m.in, m.out, m.ins, m.outs = w.router, w.vc, w.vc, w.members, w.members
	x.stage.vcs.match(m)
	for _, k := range m.matches {
		q := &m.requests[k]
		member, out := int(q.member), int(q.out)
		x.out[w.vc+member] = uint16(out)
		exclude(x.of(x.waiting, w.router), member)
		exclude(x.of(x.tailed, w.router), out)
		include(x.of(x.active, w.router), member)
		include(x.of(x.used, w.router), out)
	}
}

// crossGeneral moves the flits of the VCs that hold a connection or have won the switch. A speculative winner moves if
// it has got a VC with credit in this step.
func (x *generalRouters) crossGeneral(w *generalScratch) {
	s := x.stage
	if s.Speculation.On {
		kept := w.moving[:0]
		for _, member := range w.moving {
			if has(x.of(x.active, w.router), int(member)) && !has(x.of(x.full, w.router), int(x.out[w.vc+int(member)])) {
				kept = append(kept, member)
			}
		}
		w.moving = kept
	}
	if s.queued {
		x.beginCrossing(w)
		x.endCrossing(w)
	}
	x.passHolders(w)
	if s.ordered {
		x.orderMoving(w, func(member int) { x.crossWinner(w, member) })
	} else {
		for _, member := range w.moving {
			x.crossWinner(w, int(member))
		}
	}
	if s.creditful {
		clear(w.opened[:w.ports])
	}
}

// passHolders moves a flit of each held connection. A connection without flits or credits ends.
func (x *generalRouters) passHolders(w *generalScratch) {
	s := x.stage
	for i, member := range w.holders {
		if !w.passes[i] {
			x.release(w, int(member))
		} else if tail, empty := x.moveGeneral(w, int(member)); tail || empty {
			x.release(w, int(member))
		}
		if s.ordered && has(x.of(x.filled, w.router), int(member)) {
			x.joins(w, int(member))
		}
	}
}

func (x *generalRouters) crossWinner(w *generalScratch, member int) {
	s := x.stage
	if tail, empty := x.moveGeneral(w, member); s.heldVC != nil && !tail && !empty {
		ei, eo := x.crossbarInput(w, member), x.crossbarOutput(w, member)
		s.heldVC[ei], s.heldOut[ei] = s.memberVC[member]+1, uint16(eo+1)
		s.heldIn[w.port*s.OutputSpeedup+eo] = uint16(ei-w.port*s.InputSpeedup) + 1
	}
}

// crossbarOutput returns the crossbar output of an active VC within the router.
func (x *generalRouters) crossbarOutput(w *generalScratch, member int) int {
	s := x.stage
	return int(s.memberPort[x.out[w.vc+member]])*s.OutputSpeedup + int(s.memberPort[member])%s.OutputSpeedup
}

func (x *generalRouters) release(w *generalScratch, member int) {
	s, ei := x.stage, x.crossbarInput(w, member)
	s.heldIn[w.port*s.OutputSpeedup+int(s.heldOut[ei])-1] = 0
	s.heldVC[ei], s.heldOut[ei] = 0, 0
}

// moveGeneral moves the front flit of an input VC into the crossbar. It reports whether the flit is a tail, and
// whether the buffer is now empty.
func (x *generalRouters) moveGeneral(w *generalScratch, member int) (tail, empty bool) {
	s, r, vcs, depth := x.stage, w.router, x.config.VCs, x.config.Depth
	v, i, vc, out := w.vc+member, int(s.memberPort[member]), int(s.memberVC[member]), int(x.out[w.vc+member])
	o := int(s.memberPort[out])
	at := int(x.head[v])
	f := Flit(x.buffer[v*depth+at])
	if at++; at == depth {
		at = 0
	}
	x.head[v] = uint16(at)
	x.count[v]--
	x.moved[v] = uint32(x.flits.clock.cycle)
	x.sent[w.vc+out]++
	if s.buffers != nil {
		s.buffers.sends(w.port+o, out-o*vcs, f.Tail())
		x.fills(r, o)
	} else if int(x.sent[w.vc+out]) == depth {
		include(x.of(x.full, r), out)
	}
	f = f.onVC(out - o*vcs)
	if s.queued {
		s.enter(w.port+o, f)
	} else {
		to := &x.wiring.outputs[w.port+o]
		x.flits.put(w.shard, to.wire, to.delay, uint64(f))
	}
	if x.crossed != nil {
		x.crossed[w.port+o]++
	}
	x.returnCredit(w, i, vc)
	if empty = x.count[v] == 0; empty {
		exclude(x.of(x.filled, r), member)
	}
	if tail = f.Tail(); tail {
		exclude(x.of(x.active, r), member)
		include(x.of(x.tailed, r), out)
		if !x.config.WaitForTail {
			exclude(x.of(x.used, r), out)
		}
	}
	return tail, empty
}

// returnCredit adds a VC to the credit message that an input sends in this step.
func (x *generalRouters) returnCredit(w *generalScratch, i, vc int) {
	s, port := x.stage, w.port+i
	bank := vc % s.InputSpeedup
	if !s.creditful {
		to := &x.wiring.inputs[port]
		x.banks[bank].put(w.shard, to.wire, to.delay, uint8(vc))
		return
	}
	if !w.opened[i] {
		w.opened[i] = true
		s.backCount[port]++
	}
	place := s.after(s.backHead[port], s.backCount[port]-1)
	s.backVCs[(port*s.room+int(place))*s.InputSpeedup+bank] = uint16(vc) + 1
}
