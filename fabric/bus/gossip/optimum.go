package gossip

import (
	"iter"
	"slices"
)

// OptimumMax is the maximum number of vertices for Optimum.
const OptimumMax = 6

// Optimum returns the length of the shortest gossip of n vertices on buses of length l, n from 1 to OptimumMax. Of
// several states that differ only in the numbering of vertices, it explores one. Additional items are never a
// disadvantage, so it tries only steps in which no bus has room for another vertex.
func Optimum(n, l int) int {
	if n == 1 {
		return 0
	}
	o, start := newOptimum(n, l), state(0)
	for v := range n {
		start = start.with(n, v, 1<<v)
	}
	for steps, states := 2, []state{start}; ; steps++ {
		for s := range o.after(states) {
			if o.ready(s) {
				return steps
			}
		}
		states = o.classes(states)
	}
}

// state is the set of items of all vertices: bit n*v+i means that vertex v has item i.
type state uint64

func (s state) row(n, v int) state             { return s >> (n * v) & (1<<n - 1) }
func (s state) with(n, v int, row state) state { return s | row<<(n*v) }

type optimum struct {
	n, l  int
	steps []Step
	perms [][]int
	rows  [][]state // rows with renamed items, by permutation
}

func newOptimum(n, l int) *optimum {
	o := &optimum{n: n, l: l}
	o.place(nil, 0)
	o.permute(vertices(0, n), 0)
	for _, perm := range o.perms {
		rows := make([]state, 1<<n)
		for row := range rows {
			for i, to := range perm {
				rows[row] |= state(row>>i&1) << to
			}
		}
		o.rows = append(o.rows, rows)
	}
	return o
}

// ready reports whether one more step may suffice. Senders receive nothing, so a vertex with all items must send to
// each incomplete vertex.
func (o *optimum) ready(s state) bool {
	complete := 0
	for v := range o.n {
		if s.row(o.n, v) == 1<<o.n-1 {
			complete++
		}
	}
	return complete*o.l >= o.n
}

func (o *optimum) permute(perm []int, place int) {
	if place == len(perm) {
		o.perms = append(o.perms, slices.Clone(perm))
		return
	}
	for other := place; other < len(perm); other++ {
		perm[place], perm[other] = perm[other], perm[place]
		o.permute(perm, place+1)
		perm[place], perm[other] = perm[other], perm[place]
	}
}

// place lists all steps in which no bus has room for another vertex: the partitions of the vertices into blocks, with
// every choice of senders. A single vertex is idle. blocks is the partition of the vertices below v.
func (o *optimum) place(blocks [][]int, v int) {
	if v == o.n {
		idle := slices.IndexFunc(blocks, func(b []int) bool { return len(b) == 1 })
		for i, b := range blocks {
			if idle >= 0 && i != idle && len(b) < o.l {
				return // the bus has room for the idle vertex
			}
		}
		o.choose(blocks, nil)
		return
	}
	for i, b := range blocks {
		if len(b) < o.l {
			longer := slices.Clone(blocks)
			longer[i] = append(slices.Clone(b), v)
			o.place(longer, v+1)
		}
	}
	o.place(append(slices.Clone(blocks), []int{v}), v+1)
}

func (o *optimum) choose(blocks [][]int, step Step) {
	switch {
	case len(blocks) == 0:
		o.steps = append(o.steps, slices.Clone(step))
		return
	case len(blocks[0]) == 1:
		o.choose(blocks[1:], step)
		return
	}
	for i, sender := range blocks[0] {
		o.choose(blocks[1:], append(step, Bus{sender, slices.Delete(slices.Clone(blocks[0]), i, i+1)}))
	}
}

func (o *optimum) after(states []state) iter.Seq[state] {
	return func(yield func(state) bool) {
		seen := map[state]bool{}
		for _, s := range states {
			for _, step := range o.steps {
				t := o.take(s, step)
				if !seen[t] && !yield(t) {
					return
				}
				seen[t] = true
			}
		}
	}
}

func (o *optimum) take(s state, step Step) state {
	t := s
	for _, bus := range step {
		for _, receiver := range bus.Receivers {
			t = t.with(o.n, receiver, s.row(o.n, bus.Sender))
		}
	}
	return t
}

func (o *optimum) classes(states []state) (classes []state) {
	seen := map[state]bool{}
	for s := range o.after(states) {
		if class := o.class(s); !seen[class] {
			seen[class] = true
			classes = append(classes, class)
		}
	}
	return classes
}

func (o *optimum) class(s state) state {
	least := ^state(0)
	for k, perm := range o.perms {
		renamed := state(0)
		for v, to := range perm {
			renamed = renamed.with(o.n, to, o.rows[k][s.row(o.n, v)])
		}
		least = min(least, renamed)
	}
	return least
}
