package hw

import (
	"cmp"
	"slices"
)

// With an output speed-up, several flits may enter the crossbar for one output in one step. Their order is that of
// queues: a stage takes its members from the front of its queue, and a member joins the queue of its next stage at the
// end. Turns number the places: one per input VC at routing and at the allocator of VCs, one at the switch.

func (x *generalRouters) headTurn(w *generalScratch, member int) {
	s := x.stage
	s.turns[w.router]++
	s.head[w.vc+member] = s.turns[w.router]
}

func (x *generalRouters) bodyTurn(w *generalScratch, member int) {
	s := x.stage
	s.turns[w.router]++
	s.body[w.vc+member] = s.turns[w.router]
}

// joins gives turns to an input VC whose front flit is new at the queues: that of an active VC at the switch, a head
// at routing.
func (x *generalRouters) joins(w *generalScratch, member int) {
	if has(x.of(x.active, w.router), member) {
		x.bodyTurn(w, member)
		return
	}
	x.headTurn(w, member)
	if x.config.RoutingDelay == 0 && x.stage.Speculation.On {
		x.bodyTurn(w, member)
	}
}

// inOrder sorts input VCs by their turns.
func (w *generalScratch) inOrder(list []int32, turns []uint64) {
	slices.SortFunc(list, func(a, b int32) int { return cmp.Compare(turns[w.vc+int(a)], turns[w.vc+int(b)]) })
}

// orderRouted gives turns to the heads that were routed in this step.
func (x *generalRouters) orderRouted(w *generalScratch) {
	w.inOrder(w.idle, x.stage.head)
	for _, member := range w.idle {
		x.headTurn(w, int(member))
		if x.stage.Speculation.On {
			x.bodyTurn(w, int(member))
		}
	}
}

// orderHeads gives turns to the heads that have requested output VCs: winners join the switch.
func (x *generalRouters) orderHeads(w *generalScratch) {
	w.inOrder(w.waits, x.stage.head)
	for _, member := range w.waits {
		switch {
		case has(x.of(x.waiting, w.router), int(member)):
			x.headTurn(w, int(member))
		case !x.stage.Speculation.On:
			x.bodyTurn(w, int(member))
		}
	}
}

// orderMoving gives turns to the members of the switch and puts moving into their order. moves moves the front flit.
func (x *generalRouters) orderMoving(w *generalScratch, moves func(member int)) {
	w.inOrder(w.asks, x.stage.body)
	for _, member := range w.asks {
		if !slices.Contains(w.moving, member) {
			x.bodyTurn(w, int(member))
			continue
		}
		moves(int(member))
		if has(x.of(x.filled, w.router), int(member)) {
			x.joins(w, int(member))
		}
	}
}
