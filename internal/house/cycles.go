package main

import (
	"maps"
	"slices"
)

// cycles returns the sets of mutually dependent files, the largest first (R. Tarjan, strongly connected components).
func (g *graph) cycles() (sets [][]string) {
	index, low, on := map[string]int{}, map[string]int{}, map[string]bool{}
	var stack []string
	var visit func(file string)
	visit = func(file string) {
		index[file], low[file] = len(index)+1, len(index)+1
		stack, on[file] = append(stack, file), true
		for _, next := range slices.Sorted(maps.Keys(g.uses[file])) {
			if index[next] == 0 {
				visit(next)
				low[file] = min(low[file], low[next])
			} else if on[next] {
				low[file] = min(low[file], index[next])
			}
		}
		if low[file] != index[file] {
			return
		}
		at := slices.Index(stack, file)
		set := slices.Clone(stack[at:])
		for _, f := range set {
			on[f] = false
		}
		if stack = stack[:at]; len(set) > 1 {
			slices.Sort(set)
			sets = append(sets, set)
		}
	}
	for _, file := range g.files {
		if index[file] == 0 {
			visit(file)
		}
	}
	slices.SortStableFunc(sets, func(a, b []string) int { return len(b) - len(a) })
	return sets
}

// upward counts the pairs of files whose use goes up, in an order in which few do. The order is
// that of P. Eades, X. Lin and W. Smyth ("A fast and effective heuristic for the feedback arc set
// problem"): sources first, sinks last, else the file that uses most and is used least.
func (g *graph) upward() (n int) {
	left := map[string]bool{}
	for _, f := range g.files {
		left[f] = true
	}
	degree := func(f string) (out, in int) {
		for to := range g.uses[f] {
			if left[to] {
				out++
			}
		}
		for from := range left {
			if g.uses[from][f] > 0 {
				in++
			}
		}
		return out, in
	}
	var head, tail []string
	for len(left) > 0 {
		best, bestDifference, sink := "", 0, false
		for _, f := range slices.Sorted(maps.Keys(left)) {
			out, in := degree(f)
			if sink = out == 0; sink || in == 0 {
				best = f
				break
			}
			if best == "" || out-in > bestDifference {
				best, bestDifference = f, out-in
			}
		}
		if sink {
			tail = append(tail, best)
		} else {
			head = append(head, best)
		}
		delete(left, best)
	}
	slices.Reverse(tail)
	rank := map[string]int{}
	for i, f := range append(head, tail...) {
		rank[f] = i
	}
	for from, uses := range g.uses {
		for to := range uses {
			if rank[to] < rank[from] {
				n++
			}
		}
	}
	return n
}
