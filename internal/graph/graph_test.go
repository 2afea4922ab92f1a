package graph

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// reach is the transitive closure of a graph, by Warshall.
func reach(next [][]uint32) [][]bool {
	r := make([][]bool, len(next))
	for v := range next {
		r[v] = make([]bool, len(next))
		for _, w := range next[v] {
			r[v][w] = true
		}
	}
	for k := range next {
		for v := range next {
			for w := range next {
				r[v][w] = r[v][w] || r[v][k] && r[k][w]
			}
		}
	}
	return r
}

// TestRandomGraphs compares components and cycles with the transitive closure.
func TestRandomGraphs(t *testing.T) {
	random, cyclic := rand.New(rand.NewPCG(1, 2)), 0
	for range 500 {
		n := 1 + random.IntN(12)
		next := make([][]uint32, n)
		for range random.IntN(2 * n) {
			v := random.IntN(n)
			next[v] = append(next[v], uint32(random.IntN(n)))
		}
		r := reach(next)
		components := Components(next, func(int) bool { return true })
		require.Len(t, slices.Concat(components...), n)
		place := make([]int, n)
		for i, c := range components {
			for _, v := range c {
				place[v] = i
			}
		}
		var all []uint32
		for v := range n {
			all = append(all, uint32(v))
			for w := range n {
				require.Equal(t, v == w || r[v][w] && r[w][v], place[v] == place[w])
				require.False(t, r[v][w] && place[v] < place[w], "a component comes after those it leads to")
			}
		}
		cycle := ShortestCycle(next, all, func(uint32) bool { return true }, math.MaxInt)
		require.Equal(t, slices.ContainsFunc(all, func(v uint32) bool { return r[v][v] }), cycle != nil)
		for i, v := range cycle {
			require.Contains(t, next[v], cycle[(i+1)%len(cycle)])
			cyclic++
		}
		for length := 1; length < len(cycle); length++ {
			require.Empty(t, walks(next, all, length), "there is a shorter cycle than %v", cycle)
		}
	}
	require.Greater(t, cyclic, 300)
}

// walks are the vertices with a closed walk of a length.
func walks(next [][]uint32, all []uint32, length int) (closed []uint32) {
	for _, start := range all {
		at := []uint32{start}
		for range length {
			var then []uint32
			for _, v := range at {
				then = append(then, next[v]...)
			}
			slices.Sort(then)
			at = slices.Compact(then)
		}
		if slices.Contains(at, start) {
			closed = append(closed, start)
		}
	}
	return closed
}

func TestComponentsFromSomeVertices(t *testing.T) {
	next := [][]uint32{{1}, {0, 2}, {}, {2}}
	require.Equal(t, [][]uint32{{2}, {0, 1}}, Components(next, func(v int) bool { return v == 0 }))
	require.Nil(t, ShortestCycle(next, []uint32{2, 3}, func(uint32) bool { return true }, math.MaxInt))
	require.Nil(t, ShortestCycle(next, []uint32{0}, func(v uint32) bool { return v != 1 }, math.MaxInt))
	require.Equal(t, []uint32{0, 1}, ShortestCycle(next, []uint32{0, 1}, func(uint32) bool { return true }, 1))
}
