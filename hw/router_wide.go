package hw

import "math/bits"

// latchWide is latch for any number of virtual channels, member by member.
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

type request struct{ in, out int }

type wideScratch struct {
	requests []request
	ready    []bool // by input VC: the VC requests the switch
	best     []int  // by output or input: the best request so far, -1 for none
	accept   []int
	cand     []int // by input and output: VC that may cross, -1 for none
	match    []request
}

func (w *wideScratch) build(x *Routers) {
	members := x.wiring.portsMax * x.config.VCs
	w.ready = make([]bool, members)
	w.best, w.accept = make([]int, members), make([]int, members)
	w.cand = make([]int, x.wiring.portsMax*x.wiring.portsMax)
}

func distance(i, pointer, n int) int {
	if i -= pointer; i < 0 {
		i += n
	}
	return i
}

// islip matches requests: every output grants one input, then every input accepts one grant.
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
		if b := w.accept[r.in]; w.best[r.out] == r.in &&
			(b < 0 || distance(r.out, accept(r.in), outs) < distance(b, accept(r.in), outs)) {
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

// inputFirst matches requests: every input picks an output, then every output accepts an input.
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
		if b := w.best[r.out]; w.accept[r.in] == r.out &&
			(b < 0 || distance(r.in, grant(r.out), ins) < distance(b, grant(r.out), ins)) {
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

func (w *wideScratch) allocate(kind RouterAllocator, requests []request, ins, outs int, grant,
	accept func(i int) int) []request {
	if kind == SeparableInputFirst {
		return w.inputFirst(requests, ins, outs, grant, accept)
	}
	return w.islip(requests, ins, outs, grant, accept)
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
