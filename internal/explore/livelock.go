package explore

import (
	"cmp"
	"slices"

	"starloom/fabric/outcome"
)

// A livelock is a state from which no run without further faults ends, whatever it draws. If states do not depend on
// their slot, such runs return to their states. Other runs end at stop.slots.

// link records the state after a step without faults.
func (s *search) link(parent uint32, x *successor) {
	n := s.nodes
	if s.timed() || x.used != n.all[parent].used {
		return
	}
	if x.failure != nil || x.wide {
		n.others = append(n.others, edge{parent, none}) // an end
		return
	}
	for len(n.next) < len(n.all) {
		n.next = append(n.next, none)
	}
	to := n.table[n.place(x.key)]
	if n.next[parent] == none {
		n.next[parent] = to
	} else if to != none {
		n.others = append(n.others, edge{parent, to})
	}
}

// findLivelock searches the nodes of a permutation, from number root on, for states from which no run ends. The first
// with the fewest faults becomes the failure, unless a failure has fewer.
func (s *search) findLivelock(root uint32) {
	if s.timed() {
		return
	}
	n := s.nodes
	to := slices.Repeat([]uint32{none}, len(n.all)) // first successor of a key's last node
	var steps []edge                                // between last nodes of keys
	for id, next := range n.next[min(int(root), len(n.next)):] {
		if head := n.head(root + uint32(id)); next != none && head != none {
			to[head] = n.head(next)
			steps = append(steps, edge{head, to[head]})
		}
	}
	for _, e := range n.others {
		if head := n.head(e.from); e.from >= root && head != none {
			if e.to != none {
				e.to = n.head(e.to)
			}
			steps = append(steps, edge{head, e.to})
		}
	}
	endless := endless(to, steps)
	first := none
	for id := range n.all[root:] {
		at := root + uint32(id)
		head := n.head(at)
		if head == none || !endless[head] {
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
	passed := map[uint32]bool{}
	for at := n.next[root]; at != none && !endless[n.head(at)] && !passed[n.head(at)]; at = to[n.head(at)] {
		passed[n.head(at)] = true
		usual++
	}
	s.failed = s.never(first, uint32(lead), uint32(period), usual)
	s.aside.effects.blame(s.nodes.path(first))
}

// endless marks the numbers from which no path leads to an end: a number without a successor, or a step to none.
func endless(to []uint32, steps []edge) []bool {
	slices.SortFunc(steps, func(a, b edge) int { return cmp.Compare(a.to, b.to) })
	all := make([]bool, len(to))
	var ends []uint32
	for k, next := range to {
		if all[k] = next != none; !all[k] {
			ends = append(ends, uint32(k))
		}
	}
	for k := len(steps) - 1; k >= 0 && steps[k].to == none; k-- {
		if from := steps[k].from; all[from] {
			all[from] = false
			ends = append(ends, from)
		}
	}
	for len(ends) > 0 {
		at := ends[len(ends)-1]
		ends = ends[:len(ends)-1]
		from, _ := slices.BinarySearchFunc(steps, at, func(e edge, at uint32) int { return cmp.Compare(e.to, at) })
		for ; from < len(steps) && steps[from].to == at; from++ {
			if e := steps[from].from; all[e] {
				all[e] = false
				ends = append(ends, e)
			}
		}
	}
	return all
}

// never returns the failure of a run that reaches, after lead slots, a state that recurs every period slots. The run
// is judged at a recurrence of the state after the end of the usual run. Its draws have the first outcome.
func (s *search) never(id, lead, period, usual uint32) *failure {
	w := s.workers[0]
	limit := w.Config.Slots
	defer func() { w.Config.Slots = limit }()
	f := &failure{workload: s.workload, parent: id, start: s.startOf(id), faults: s.nodes.all[id].used.total(),
		never: &outcome.ExploredCycle{Period: period}}
	if err := s.walk(f, s.nodes.path(id)[1:], func(int) {}); err != nil {
		s.err = err
		return f
	}
	f.never.First = w.Slots() + lead
	f.never.Shown = f.never.First + period
	for f.never.Shown <= usual {
		f.never.Shown += period
	}
	w.Config.Slots = f.never.Shown
	w.choose(nil)
	for !w.Ended() {
		w.Advance()
		f.after = append(f.after, w.choice(nil))
	}
	f.slot, f.violations = w.Slots(), slices.Clone(w.Broken())
	return f
}
