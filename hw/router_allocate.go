package hw

import "math/bits"

// routerScratch is what a shard needs while it works on one router: the router's sets, and the
// requests that are being matched.
type routerScratch struct {
	shard    int
	router   int
	port, vc int // the first ones of the router
	ports    int // of the router
	members  int // virtual channels of the router

	filled, waiting, active, tailed uint64
	free, credit                    uint64 // output VCs without an owner, with credit

	ask   [64]uint64 // of each input, the outputs that it asks for
	asked [64]uint64 // of each output, the inputs that ask for it; 0 between two matchings
	given [64]uint64 // of each input, the outputs that grant it; 0 between two matchings

	wide wideScratch
}

// from is the smallest member of a set that is not empty, counted from a pointer on and around.
func from(set uint64, pointer uint16) int {
	if above := set >> (pointer & 63) << (pointer & 63); above != 0 {
		set = above
	}
	return bits.TrailingZeros64(set)
}

func (x *Routers) latch(r int, w *routerScratch, flits []uint64, arrived uint64, credits []uint8, back uint64) {
	w.router, w.port, w.ports = r, x.wiring.first[r], x.wiring.ports[r]
	w.vc, w.members = w.port*x.config.VCs, w.ports*x.config.VCs
	w.filled, w.waiting, w.active, w.tailed = x.filled[r], x.waiting[r], x.active[r], x.tailed[r]
	w.free, w.credit = ^x.used[r], ^x.full[r]
	for ; arrived != 0; arrived &= arrived - 1 {
		i := bits.TrailingZeros64(arrived)
		w.filled |= 1 << (x.arrive(w, i, Flit(flits[w.port+i])) & 63)
	}
	for ; back != 0; back &= back - 1 {
		o := bits.TrailingZeros64(back)
		out, none := x.takeCredit(w, o, int(credits[w.port+o]))
		bit := uint64(1) << (out & 63)
		w.credit |= bit
		if none && x.config.WaitForTail {
			w.free |= bit & w.tailed
		}
	}

	// All three sets are fixed before anything is latched.
	idle := w.filled &^ w.active &^ w.waiting
	ready := x.ready(w)
	waiting := w.waiting
	for set := idle; set != 0; set &= set - 1 {
		x.routeHead(w, bits.TrailingZeros64(set))
	}
	w.waiting |= idle
	if x.config.RoutingDelay == 0 {
		waiting |= idle
	}
	free := w.free
	something := idle
	if waiting != 0 {
		something |= x.allocateVCs(w, waiting, free)
	}
	if ready != 0 {
		x.allocateSwitch(w, ready)
	}
	x.filled[r], x.waiting[r], x.active[r], x.tailed[r] = w.filled, w.waiting, w.active, w.tailed
	x.used[r], x.full[r] = ^w.free, ^w.credit
	x.awake[r] = 0
	if something|ready != 0 {
		x.awake[r] = 1
	}
}

func (x *Routers) arrive(w *routerScratch, i int, f Flit) (member int) {
	member = i*x.config.VCs + f.VC()
	g, depth := w.vc+member, x.config.Depth
	count := int(x.count[g])
	if count == depth {
		broken(x.wiring.input(w.router, i), "a flit for VC %d, whose buffer holds %d", f.VC(), depth)
	}
	place := int(x.head[g]) + count
	if place >= depth {
		place -= depth
	}
	x.buffer[g*depth+place] = uint64(f.further())
	x.count[g] = uint16(count + 1)
	x.moved[g] = uint32(x.flits.clock.cycle)
	return member
}

// takeCredit counts a credit at output o, for an output VC that it returns; none: no flit of it is out any more.
func (x *Routers) takeCredit(w *routerScratch, o, vc int) (out int, none bool) {
	out = o*x.config.VCs + vc
	g := w.vc + out
	if x.sent[g] == 0 {
		broken(x.wiring.output(w.router, o), "a credit for VC %d, of which none is out", vc)
	}
	x.sent[g]--
	return out, x.sent[g] == 0
}

// ready is the set of input VCs that ask for the switch: active, with a flit and a credit.
func (x *Routers) ready(w *routerScratch) (ready uint64) {
	out := x.out[w.vc : w.vc+w.members]
	for set := w.active & w.filled; set != 0; set &= set - 1 {
		member := bits.TrailingZeros64(set)
		ready |= w.credit >> (out[member] & 63) & 1 << (member & 63)
	}
	return ready
}

// routeHead finds the output VCs that the head at the front of an input VC may take.
func (x *Routers) routeHead(w *routerScratch, member int) {
	g := w.vc + member
	if carried := x.pins.carried; carried != nil {
		x.route[g] = carried[g*x.config.Depth+int(x.head[g])]
		return
	}
	port, low, high := x.frontRoute(g, w.router, int(x.inputOf[member&63]))
	vcs := ^uint64(0) >> ((63 - uint(high-low)) & 63) << (low & 63)
	x.route[g] = vcs << (port * x.config.VCs & 63)
}

func (x *Routers) frontRoute(g, router, input int) (port, low, high int) {
	front := &x.buffer[g*x.config.Depth+int(x.head[g])]
	destination, first := int(x.packets.Destination[Flit(*front).Packet()]), int(x.classFirst[Flit(*front).VC()])
	if x.routing.Ports != nil {
		at := router*x.wiring.nodes + destination
		if x.routing.Classes == nil {
			return int(x.routing.Ports[at]), first, first + x.classVCs - 1
		}
		class := x.routing.VCs[x.routing.Classes[at]]
		return int(x.routing.Ports[at]), first + int(class.Low), first + int(class.High)
	}
	to := x.routing.Next(router, input, destination, x.wiring.nodes, *front&flitPhase != 0, x.classVCs)
	*front &^= flitPhase
	if to.Phase {
		*front |= flitPhase
	}
	return to.Port, first + to.Low, first + to.High
}

// allocateVCs gives output VCs that are free to waiting heads, and returns the input VCs that got one.
func (x *Routers) allocateVCs(w *routerScratch, waiting, free uint64) (matched uint64) {
	var asking, seen, contended uint64
	route := x.route[w.vc : w.vc+w.members]
	for ; waiting != 0; waiting &= waiting - 1 {
		member := bits.TrailingZeros64(waiting)
		ask := route[member] & free
		if ask == 0 {
			continue
		}
		w.ask[member&63] = ask
		asking |= 1 << (member & 63)
		contended |= seen & ask
		seen |= ask
	}
	accept, grant := x.vcAccept[w.vc:w.vc+w.members], x.vcGrant[w.vc:w.vc+w.members]
	if x.config.VCAllocator == SeparableInputFirst {
		return x.vcsInputFirst(w, asking, accept, grant)
	}
	for set := asking; set != 0 && contended != 0; set &= set - 1 {
		member := bits.TrailingZeros64(set)
		for ask := w.ask[member&63] & contended; ask != 0; ask &= ask - 1 {
			w.asked[bits.TrailingZeros64(ask)] |= 1 << (member & 63)
		}
	}
	for set := contended; set != 0; set &= set - 1 {
		out := bits.TrailingZeros64(set)
		w.given[from(w.asked[out], grant[out])&63] |= 1 << (out & 63)
		w.asked[out] = 0
	}
	for set := asking; set != 0; set &= set - 1 {
		member := bits.TrailingZeros64(set)
		given := w.ask[member&63]&^contended | w.given[member&63] // what no other input asks for is given
		w.given[member&63] = 0
		if given != 0 {
			x.own(w, member, from(given, accept[member]))
			matched |= 1 << (member & 63)
		}
	}
	return matched
}

func (x *Routers) vcsInputFirst(w *routerScratch, asking uint64, accept, grant []uint16) (matched uint64) {
	picked := uint64(0)
	for ; asking != 0; asking &= asking - 1 {
		member := bits.TrailingZeros64(asking)
		out := from(w.ask[member&63], accept[member])
		w.asked[out&63] |= 1 << (member & 63)
		picked |= 1 << (out & 63)
	}
	for ; picked != 0; picked &= picked - 1 {
		out := bits.TrailingZeros64(picked)
		member := from(w.asked[out], grant[out])
		w.asked[out] = 0
		x.own(w, member, out)
		matched |= 1 << (member & 63)
	}
	return matched
}

func (x *Routers) own(w *routerScratch, member, out int) {
	x.give(w, member, out)
	in, bit := uint64(1)<<(member&63), uint64(1)<<(out&63)
	w.waiting &^= in
	w.active |= in
	w.free &^= bit
	w.tailed &^= bit
}

// give notes an output VC that is given, and moves both pointers past the match.
func (x *Routers) give(w *routerScratch, member, out int) {
	x.out[w.vc+member] = uint16(out)
	x.vcGrant[w.vc+out] = next(member, w.members)
	x.vcAccept[w.vc+member] = next(out, w.members)
}

func next(i, n int) uint16 {
	if i++; i == n {
		return 0
	}
	return uint16(i)
}

// allocateSwitch gives the outputs of the crossbar to inputs with ready flits, and moves one flit of each winner.
func (x *Routers) allocateSwitch(w *routerScratch, ready uint64) {
	var asking, seen, contended uint64 // inputs, outputs
	vcs := x.config.VCs
	out := x.out[w.vc : w.vc+w.members]
	for set := ready; set != 0; {
		i := int(x.inputOf[bits.TrailingZeros64(set)])
		mine := uint64(0)
		for ; set != 0; set &= set - 1 {
			member := bits.TrailingZeros64(set)
			if int(x.inputOf[member]) != i {
				break
			}
			mine |= 1 << (x.inputOf[out[member]&63] & 63)
		}
		w.ask[i&63] = mine
		asking |= 1 << (i & 63)
		contended |= seen & mine
		seen |= mine
	}
	accept, grant := x.switchAccept[w.port:w.port+w.ports], x.switchGrant[w.port:w.port+w.ports]
	if x.config.SwitchAllocator == SeparableInputFirst {
		x.switchInputFirst(w, ready, asking, accept, grant)
		return
	}
	for set := asking; set != 0 && contended != 0; set &= set - 1 {
		i := bits.TrailingZeros64(set)
		for ask := w.ask[i] & contended; ask != 0; ask &= ask - 1 {
			w.asked[bits.TrailingZeros64(ask)] |= 1 << (i & 63)
		}
	}
	for set := contended; set != 0; set &= set - 1 {
		o := bits.TrailingZeros64(set)
		w.given[from(w.asked[o], uint16(grant[o]))&63] |= 1 << (o & 63)
		w.asked[o] = 0
	}
	for set := asking; set != 0; set &= set - 1 {
		i := bits.TrailingZeros64(set)
		given := w.ask[i]&^contended | w.given[i]
		w.given[i] = 0
		if given != 0 {
			x.cross(w, i, from(given, uint16(accept[i])), ready>>(i*vcs&63))
		}
	}
}

func (x *Routers) switchInputFirst(w *routerScratch, ready, asking uint64, accept, grant []uint8) {
	picked := uint64(0)
	for ; asking != 0; asking &= asking - 1 {
		i := bits.TrailingZeros64(asking)
		o := from(w.ask[i], uint16(accept[i]))
		w.asked[o&63] |= 1 << (i & 63)
		picked |= 1 << (o & 63)
	}
	for ; picked != 0; picked &= picked - 1 {
		o := bits.TrailingZeros64(picked)
		i := from(w.asked[o], uint16(grant[o]))
		w.asked[o] = 0
		x.cross(w, i, o, ready>>(i*x.config.VCs&63))
	}
}

// cross moves the front flit of the first VC of input i, from its choice on, that wants output o;
// ready are the VCs of the input, and of those above it, that ask for the switch.
func (x *Routers) cross(w *routerScratch, i, o int, ready uint64) {
	vcs := x.config.VCs
	first := i * vcs
	out := x.out[w.vc+first : w.vc+first+vcs]
	vc := int(x.choice[w.port+i])
	for ready>>(vc&63)&1 == 0 || int(x.inputOf[out[vc]&63]) != o {
		if vc++; vc == vcs {
			vc = 0
		}
	}
	in, bit := uint64(1)<<((first+vc)&63), uint64(1)<<(out[vc]&63)
	empty, full, tail := x.move(w, i, vc, o)
	if empty {
		w.filled &^= in
	}
	if full {
		w.credit &^= bit
	}
	if tail {
		w.active &^= in
		w.tailed |= bit
		if !x.config.WaitForTail {
			w.free |= bit
		}
	}
}

// move takes the front flit of a VC of input i across the switch to output o, and moves the pointers
// past both: into the crossbar register, and the credit of its place into the credit register. The buffer may
// be empty then, and the output VC out of credit.
func (x *Routers) move(w *routerScratch, i, vc, o int) (empty, full, tail bool) {
	vcs, depth := x.config.VCs, x.config.Depth
	x.switchGrant[w.port+o], x.switchAccept[w.port+i] = uint8(next(i, w.ports)), uint8(next(o, w.ports))
	x.choice[w.port+i] = uint8(next(vc, vcs))

	g := w.vc + i*vcs + vc
	at := int(x.head[g])
	f := Flit(x.buffer[g*depth+at])
	if at++; at == depth {
		at = 0
	}
	x.head[g] = uint16(at)
	x.count[g]--
	x.moved[g] = uint32(x.flits.clock.cycle)
	out := int(x.out[g])
	x.sent[w.vc+out]++
	to, credit := &x.wiring.outputs[w.port+o], &x.wiring.inputs[w.port+i]
	x.flits.put(w.shard, to.wire, to.delay, uint64(f.onVC(out-o*vcs)))
	x.credits.put(w.shard, credit.wire, credit.delay, uint8(vc))
	return x.count[g] == 0, int(x.sent[w.vc+out]) == depth, f.Tail()
}

// latchWide is one cycle of a router with any number of virtual channels: as latch, member by member.
func (x *Routers) latchWide(r int, w *routerScratch, flits []uint64, arrived []uint64, credits []uint8, back []uint64) {
	w.router, w.port, w.ports = r, x.wiring.first[r], x.wiring.ports[r]
	w.vc, w.members = w.port*x.config.VCs, w.ports*x.config.VCs
	filled, active, used := x.of(x.filled, r), x.of(x.active, r), x.of(x.used, r)
	for i := range members(arrived) {
		include(filled, x.arrive(w, i, Flit(flits[w.port+i])))
	}
	for o := range members(back) {
		out, none := x.takeCredit(w, o, int(credits[w.port+o]))
		exclude(x.of(x.full, r), out)
		if none && x.config.WaitForTail && has(x.of(x.tailed, r), out) {
			exclude(used, out)
		}
	}
	clear(arrived)
	clear(back)

	something := false
	w.wide.requests = w.wide.requests[:0]
	for member := range members(filled) {
		out := int(x.out[w.vc+member])
		w.wide.ready[member] = has(active, member) && int(x.sent[w.vc+out]) < x.config.Depth
		something = something || w.wide.ready[member]
		if has(active, member) {
			continue
		}
		if waiting := x.of(x.waiting, r); !has(waiting, member) {
			x.routeHeadWide(w, member)
			include(waiting, member)
			something = true
			if x.config.RoutingDelay > 0 {
				continue
			}
		}
		for out := range members(x.of(x.route, w.vc+member)) {
			if !has(used, out) {
				w.wide.requests = append(w.wide.requests, request{member, out})
			}
		}
	}
	grant, accept := x.vcGrant[w.vc:], x.vcAccept[w.vc:]
	matches := w.wide.allocate(x.config.VCAllocator, w.wide.requests, w.members, w.members,
		func(out int) int { return int(grant[out]) }, func(member int) int { return int(accept[member]) })
	something = something || len(matches) > 0
	for _, m := range matches {
		x.give(w, m.in, m.out)
		exclude(x.of(x.waiting, r), m.in)
		exclude(x.of(x.tailed, r), m.out)
		include(active, m.in)
		include(used, m.out)
	}
	x.crossWide(w)
	x.awake[r] = 0
	if something {
		x.awake[r] = 1
	}
}

func (x *Routers) crossWide(w *routerScratch) {
	r, vcs := w.router, x.config.VCs
	w.wide.requests = w.wide.requests[:0]
	for i := range w.ports {
		for o := range w.ports {
			w.wide.cand[i*w.ports+o] = -1
		}
		for k := range vcs {
			vc := (int(x.choice[w.port+i]) + k) % vcs
			member := i*vcs + vc
			if !w.wide.ready[member] {
				continue
			}
			w.wide.ready[member] = false
			o := int(x.out[w.vc+member]) / vcs
			if w.wide.cand[i*w.ports+o] < 0 {
				w.wide.cand[i*w.ports+o] = vc
				w.wide.requests = append(w.wide.requests, request{i, o})
			}
		}
	}
	grant, accept := x.switchGrant[w.port:], x.switchAccept[w.port:]
	matches := w.wide.allocate(x.config.SwitchAllocator, w.wide.requests, w.ports, w.ports,
		func(o int) int { return int(grant[o]) }, func(i int) int { return int(accept[i]) })
	for _, m := range matches {
		vc := w.wide.cand[m.in*w.ports+m.out]
		member := m.in*vcs + vc
		out := int(x.out[w.vc+member])
		empty, full, tail := x.move(w, m.in, vc, m.out)
		if empty {
			exclude(x.of(x.filled, r), member)
		}
		if full {
			include(x.of(x.full, r), out)
		}
		if tail {
			exclude(x.of(x.active, r), member)
			include(x.of(x.tailed, r), out)
			if !x.config.WaitForTail {
				exclude(x.of(x.used, r), out)
			}
		}
	}
}

func (x *Routers) routeHeadWide(w *routerScratch, member int) {
	port, low, high := x.frontRoute(w.vc+member, w.router, member/x.config.VCs)
	route := x.of(x.route, w.vc+member)
	clear(route)
	for vc := low; vc <= high; vc++ {
		include(route, port*x.config.VCs+vc)
	}
}

// request is an input of an allocator that asks for an output.
type request struct{ in, out int }

// wideScratch is what allocation among any number of virtual channels needs.
type wideScratch struct {
	requests []request
	ready    []bool // input VCs that ask for the switch
	best     []int  // of each output or input, the request that is chosen so far, -1 for none
	accept   []int
	cand     []int // of each input and output, the VC that may cross, -1 for none
	match    []request
}

func (w *wideScratch) build(x *Routers) {
	members := x.wiring.portsMax * x.config.VCs
	w.ready = make([]bool, members)
	w.best, w.accept = make([]int, members), make([]int, members)
	w.cand = make([]int, x.wiring.portsMax*x.wiring.portsMax)
}

// distance is how far a number below n is after a pointer, going around.
func distance(i, pointer, n int) int {
	if i -= pointer; i < 0 {
		i += n
	}
	return i
}

// islip matches requests: every output grants, then every input accepts; accepted pointers move past each other.
func (w *wideScratch) islip(requests []request, ins, outs int, grant, accept func(i int) int) []request {
	for _, r := range requests {
		w.best[r.out], w.accept[r.in] = -1, -1
	}
	for _, r := range requests {
		if b := w.best[r.out]; b < 0 || distance(r.in, grant(r.out), ins) < distance(b, grant(r.out), ins) {
			w.best[r.out] = r.in
		}
	}
	w.match = w.match[:0]
	for _, r := range requests {
		if b := w.accept[r.in]; w.best[r.out] == r.in && (b < 0 || distance(r.out, accept(r.in), outs) < distance(b, accept(r.in), outs)) {
			w.accept[r.in] = r.out
		}
	}
	for _, r := range requests {
		if w.accept[r.in] == r.out {
			w.match = append(w.match, r)
		}
	}
	return w.match
}

// inputFirst matches requests: every input picks an output, then every output takes an input.
func (w *wideScratch) inputFirst(requests []request, ins, outs int, grant, accept func(i int) int) []request {
	for _, r := range requests {
		w.best[r.out], w.accept[r.in] = -1, -1
	}
	for _, r := range requests {
		if b := w.accept[r.in]; b < 0 || distance(r.out, accept(r.in), outs) < distance(b, accept(r.in), outs) {
			w.accept[r.in] = r.out
		}
	}
	for _, r := range requests {
		if b := w.best[r.out]; w.accept[r.in] == r.out && (b < 0 || distance(r.in, grant(r.out), ins) < distance(b, grant(r.out), ins)) {
			w.best[r.out] = r.in
		}
	}
	w.match = w.match[:0]
	for _, r := range requests {
		if w.best[r.out] == r.in && w.accept[r.in] == r.out {
			w.match = append(w.match, r)
		}
	}
	return w.match
}

func (w *wideScratch) allocate(kind RouterAllocator, requests []request, ins, outs int, grant, accept func(i int) int) []request {
	if kind == SeparableInputFirst {
		return w.inputFirst(requests, ins, outs, grant, accept)
	}
	return w.islip(requests, ins, outs, grant, accept)
}

func has(set []uint64, i int) bool { return set[i>>6]>>(i&63)&1 != 0 }
func include(set []uint64, i int)  { set[i>>6] |= 1 << (i & 63) }
func exclude(set []uint64, i int)  { set[i>>6] &^= 1 << (i & 63) }

// members goes through a set, which may lose the members that it has come to.
func members(set []uint64) func(yield func(i int) bool) {
	return func(yield func(i int) bool) {
		for k, word := range set {
			for ; word != 0; word &= word - 1 {
				if !yield(k*64 + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}

// of is the set of one router, or of one input VC, in a column of sets.
func (x *Routers) of(column []uint64, i int) []uint64 { return column[i*x.words : (i+1)*x.words] }
