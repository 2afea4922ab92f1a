// Package graph searches directed graphs. Vertices are numbers, and next[v] lists the successors of v.
package graph

import "slices"

// Components returns the strongly connected components reachable from vertices with from(v), each after its
// successors (R. Tarjan, "Depth-first search and linear graph algorithms", 1972).
func Components(next [][]uint32, from func(v int) bool) [][]uint32 {
	s := search{next: next, order: make([]uint32, len(next)), low: make([]uint32, len(next)),
		open: make([]bool, len(next))}
	for v := range next {
		if s.order[v] == 0 && from(v) {
			s.visit(uint32(v))
		}
	}
	return s.found
}

type search struct {
	next       [][]uint32
	order, low []uint32 // order of visits, from 1; lowest order reachable from v
	open       []bool   // the component of v is not complete
	stack      []uint32 // open vertices
	visits     uint32
	found      [][]uint32
}

func (s *search) visit(v uint32) {
	s.visits++
	s.order[v], s.low[v], s.open[v] = s.visits, s.visits, true
	s.stack = append(s.stack, v)
	for _, w := range s.next[v] {
		if s.order[w] == 0 {
			s.visit(w)
		}
		if s.open[w] {
			s.low[v] = min(s.low[v], s.low[w])
		}
	}
	if s.low[v] < s.order[v] {
		return
	}
	at := len(s.stack) - 1
	for s.stack[at] != v {
		at--
	}
	component := slices.Clone(s.stack[at:])
	s.stack = s.stack[:at]
	for _, w := range component {
		s.open[w] = false
	}
	s.found = append(s.found, component)
}

// ShortestCycle returns a shortest cycle through one of the starts and otherwise only vertices with among(v): the
// first of several, or nil for none. After about limit steps it returns the shortest cycle found so far.
func ShortestCycle(next [][]uint32, starts []uint32, among func(v uint32) bool, limit int) (best []uint32) {
	before, at, base, steps := make([]uint32, len(next)), make([]int, len(next)), 0, 0
	for _, start := range starts {
		if steps > limit || len(best) == 1 {
			break
		}
		queue := []uint32{start}
		base += len(next) // at[v]-base is the number of vertices on the path from start to v
		at[start] = base + 1
		steps += len(next)
	search:
		for head := 0; head < len(queue) && (best == nil || at[queue[head]]-base < len(best)); head++ {
			v := queue[head]
			steps += len(next[v])
			for _, w := range next[v] {
				if w == start {
					best = []uint32{v}
					for ; v != w; best = append(best, v) {
						v = before[v]
					}
					slices.Reverse(best)
					break search
				}
				if among(w) && at[w] <= base {
					before[w], at[w] = v, at[v]+1
					queue = append(queue, w)
				}
			}
		}
	}
	return best
}
