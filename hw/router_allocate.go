package hw

import (
	"math/bits"
	"slices"
)

// routerScratch is a shard's work space for one router. It contains the sets of the router and the requests of a
// matching.
type routerScratch struct {
	shard    int
	router   int
	port, vc int // number of the router's first port, and of its first VC
	ports    int
	members  int // virtual channels of the router

	filled, waiting, active, tailed uint64
	free, credit                    uint64 // output VCs without an owner; output VCs with credit

	ask   [64]uint64 // by input: requested outputs
	asked [64]uint64 // by output: requesting inputs; 0 between matchings
	given [64]uint64 // by input: granting outputs; 0 between matchings
}

// from returns the first member of a non-empty set in circular order from pointer on.
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

	// Fix all three sets before any latch.
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
		broken(x.wiring.input(w.router, i), "a flit for VC %d, whose buffer already holds %d", f.VC(), depth)
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

// takeCredit counts a credit of output o and returns its output VC. none reports whether the VC has no outstanding
// credits.
func (x *Routers) takeCredit(w *routerScratch, o, vc int) (out int, none bool) {
	out = o*x.config.VCs + vc
	g := w.vc + out
	if x.sent[g] == 0 {
		broken(x.wiring.output(w.router, o), "a credit for VC %d without an outstanding flit", vc)
	}
	x.sent[g]--
	return out, x.sent[g] == 0
}

// ready returns the input VCs that request the switch: active VCs with a flit and a credit.
func (x *Routers) ready(w *routerScratch) (ready uint64) {
	out := x.out[w.vc : w.vc+w.members]
	for set := w.active & w.filled; set != 0; set &= set - 1 {
		member := bits.TrailingZeros64(set)
		ready |= w.credit >> (out[member] & 63) & 1 << (member & 63)
	}
	return ready
}

func (x *Routers) routeHead(w *routerScratch, member int) {
	g := w.vc + member
	if carried := x.pins.carried; carried != nil {
		x.route[g] = carried[g*x.config.Depth+int(x.head[g])]
		return
	}
	if x.masks != nil {
		x.routeSet(w.router, g)
		return
	}
	port, low, high := x.frontRoute(g, w.router, int(x.inputOf[member&63]))
	vcs := ^uint64(0) >> ((63 - uint(high-low)) & 63) << (low & 63)
	x.route[g] = vcs << (port * x.config.VCs & 63)
}

// routeSet stores the route of the head at the front of input VC g of a router.
func (x *Routers) routeSet(router, g int) {
	f := Flit(x.buffer[g*x.config.Depth+int(x.head[g])])
	if x.first != nil {
		x.masks.prefers(x.of(x.first, g), router, g/x.config.VCs, f.VC(), int(x.packets.Destination[f.Packet()]),
			int(x.classFirst[f.VC()]))
	}
	if x.masks.options != nil {
		x.pickRoute(router, g, f)
		return
	}
	of := x.masks.route(router, g/x.config.VCs, f.VC(), int(x.packets.Destination[f.Packet()]))
	shiftSet(x.of(x.route, g), of, int(x.classFirst[f.VC()]))
}

func (x *Routers) frontRoute(g, router, input int) (port, low, high int) {
	front := &x.buffer[g*x.config.Depth+int(x.head[g])]
	destination, first := int(x.packets.Destination[Flit(*front).Packet()]), int(x.classFirst[Flit(*front).VC()])
	vcs := x.classVCs
	if t := x.packets.Traffic; t != nil && t.Type != nil {
		of := t.VCs[t.Type[Flit(*front).Packet()]]
		first, vcs = int(of.Low), int(of.High-of.Low)+1
	}
	if x.routing.Grid != nil {
		return x.routing.Grid.port(router, destination), first, first + vcs - 1
	}
	if x.routing.Ports != nil {
		at := router*x.wiring.nodes + destination
		if x.routing.Classes == nil {
			return int(x.routing.Ports[at]), first, first + vcs - 1
		}
		class := x.routing.VCs[x.routing.Classes[at]]
		return int(x.routing.Ports[at]), first + int(class.Low), first + int(class.High)
	}
	to := x.routing.NextBy(router, input, destination, x.wiring.nodes, *front&flitPhase != 0, vcs,
		Chance{x.packets, Flit(*front).Packet()})
	*front &^= flitPhase
	if to.Phase {
		*front |= flitPhase
	}
	return to.Port, first + to.Low, first + to.High
}

// allocateVCs assigns free output VCs to waiting heads. It returns the input VCs with a new output VC.
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
		given := w.ask[member&63]&^contended | w.given[member&63] // no other input requests the uncontended outputs
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
		ask := w.ask[member&63]
		if x.first != nil && ask&x.first[w.vc+member] != 0 {
			ask &= x.first[w.vc+member]
		}
		out := from(ask, accept[member])
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

func (x *Routers) give(w *routerScratch, member, out int) {
	x.out[w.vc+member] = uint16(out)
	x.vcGrant[w.vc+out] = next(member, w.members)
	x.vcAccept[w.vc+member] = next(out, w.members)
}

// allocateSwitch matches inputs with ready flits to outputs and moves one flit of each winner.
func (x *Routers) allocateSwitch(w *routerScratch, ready uint64) {
	var asking, seen, contended uint64 // by port: inputs with requests; requested outputs; outputs requested by several
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

// cross moves a front flit from input i to output o, from the first VC that requests o in circular order from the
// input's choice. ready holds the switch requests of the VCs from the input's first VC on.
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

// move moves the front flit of a VC of input i across the switch to output o, into the crossbar register. It advances
// the pointers past input and output, and the flit's credit enters the credit register. move reports whether the
// buffer is now empty, whether the output VC has no credit left, and whether the flit is a tail.
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
	if x.crossed != nil {
		x.crossed[w.port+o]++
	}
	x.flits.put(w.shard, to.wire, to.delay, uint64(f.onVC(out-o*vcs)))
	x.banks[0].put(w.shard, credit.wire, credit.delay, uint8(vc))
	return x.count[g] == 0, int(x.sent[w.vc+out]) == depth, f.Tail()
}

func has(set []uint64, i int) bool { return set[i>>6]>>(i&63)&1 != 0 }
func include(set []uint64, i int)  { set[i>>6] |= 1 << (i & 63) }
func exclude(set []uint64, i int)  { set[i>>6] &^= 1 << (i & 63) }

// members iterates over a set. The loop may remove members that it has visited.
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

// of returns the set of router or input VC i in a column of sets.
func (x *Routers) of(column []uint64, i int) []uint64 { return column[i*x.words : (i+1)*x.words] }

// routedTo returns the output port of a routed head.
func (x *Routers) routedTo(g int) (output int) {
	route := x.route[g*x.words : (g+1)*x.words]
	k := max(0, slices.IndexFunc(route, func(word uint64) bool { return word != 0 }))
	return (k*64 + from(route[k], 0)) / x.config.VCs
}

func bit(on bool) uint64 {
	if on {
		return 1
	}
	return 0
}
