package explore

import (
	"slices"

	"starloom/fabric/outcome"
)

// A livelock is a state from which a run without further faults never ends. If states do not depend on their slot,
// such a run returns to one of its states. Other runs end at stop.slots.

// link records the state after the step without faults.
func (s *search) link(parent uint32, x *successor) {
	if s.timed() || x.failure != nil {
		return
	}
	for len(s.nodes.next) < len(s.nodes.all) {
		s.nodes.next = append(s.nodes.next, none)
	}
	s.nodes.next[parent] = s.nodes.table[s.nodes.place(x.key)]
}

// findLivelock searches the nodes of a permutation, from number root on, for states whose runs return to a state. The
// first with the fewest faults becomes the failure, unless a failure has fewer.
func (s *search) findLivelock(root uint32) {
	if s.timed() {
		return
	}
	n := s.nodes
	to := slices.Repeat([]uint32{none}, len(n.all)) // successor of a key's last node
	for id, next := range n.next[min(int(root), len(n.next)):] {
		if head := n.head(root + uint32(id)); next != none && head != none {
			to[head] = n.head(next)
		}
	}
	returns := returning(to)
	first := none
	for id := range n.all[root:] {
		at := root + uint32(id)
		head := n.head(at)
		if head == none || !returns[head] {
			continue
		}
		if first == none || n.all[at].used.total() < n.all[first].used.total() {
			first = at
		}
	}
	if first == none || s.failed != nil && s.failed.faults <= n.all[first].used.total() {
		return
	}
	lead, period := 0, 0
	seen := map[uint32]int{}
	for at := n.head(first); ; at = to[at] {
		if lead, ok := seen[at]; ok {
			period = len(seen) - lead
			break
		}
		seen[at] = len(seen)
	}
	lead = len(seen) - period
	usual := uint32(0) // slots of the run without faults
	for at := n.next[root]; at != none && !returns[n.head(at)]; at = to[n.head(at)] {
		usual++
	}
	s.failed = s.never(first, uint32(lead), uint32(period), usual)
}

// returning marks the numbers from which the chain of to never ends.
func returning(to []uint32) []bool {
	const running, ends, returns = 1, 2, 3
	mark := make([]uint8, len(to))
	var path []uint32
	for start := range to {
		at := uint32(start)
		for path = path[:0]; at != none && mark[at] == 0; at = to[at] {
			mark[at] = running
			path = append(path, at)
		}
		found := uint8(ends)
		if at != none && mark[at] != ends {
			found = returns
		}
		for _, k := range path {
			mark[k] = found
		}
	}
	all := make([]bool, len(to))
	for k := range all {
		all[k] = mark[k] == returns
	}
	return all
}

// never returns the failure of a run that reaches, after lead slots, a state that recurs every period slots. The run
// is judged at a recurrence of the state after the end of the usual run.
func (s *search) never(id, lead, period, usual uint32) *failure {
	w := s.workers[0]
	limit := w.Config.Slots
	defer func() { w.Config.Slots = limit }()
	w.Return(s.root.future, s.root.rest, 0)
	steps := s.nodes.path(id)
	for _, chosen := range steps[1:] {
		w.choose(chosen)
		w.Advance()
	}
	f := &failure{permutation: s.permutation, parent: id, faults: s.nodes.all[id].used.total(),
		never: &outcome.ExploredCycle{First: w.Slots() + lead, Period: period}}
	f.never.Shown = f.never.First + period
	for f.never.Shown <= usual {
		f.never.Shown += period
	}
	w.Config.Slots = f.never.Shown
	w.choose(nil)
	for !w.Ended() {
		w.Advance()
	}
	f.slot, f.violations = w.Slots(), slices.Clone(w.Broken())
	return f
}
