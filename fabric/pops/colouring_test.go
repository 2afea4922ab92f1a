package pops

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric"
	"starloom/hw"
)

// randomRegular returns a degree-regular multigraph: the groups of a random
// permutation's ends.
func randomRegular(groups, degree int, seed uint64) (from, to []uint32) {
	from, to = make([]uint32, groups*degree), make([]uint32, groups*degree)
	fabric.FillRandom(to, seed)
	for i := range to {
		from[i] = uint32(i / degree)
		to[i] /= uint32(degree)
	}
	return from, to
}

// requireProper checks a colouring and returns how often each colour is used.
func requireProper(t *testing.T, from, to, colour []uint32, colours int) []int {
	t.Helper()
	require.Len(t, colour, len(from))
	type end struct{ group, colour uint32 }
	sources, sinks := map[end]int{}, map[end]int{}
	uses := make([]int, colours)
	for i, c := range colour {
		require.Less(t, c, uint32(colours))
		uses[c]++
		if other, taken := sources[end{from[i], c}]; taken {
			t.Fatalf("edges %d and %d leave group %d with colour %d", other, i, from[i], c)
		}
		if other, taken := sinks[end{to[i], c}]; taken {
			t.Fatalf("edges %d and %d come to group %d with colour %d", other, i, to[i], c)
		}
		sources[end{from[i], c}], sinks[end{to[i], c}] = i, i
	}
	return uses
}

func TestColourRegular(t *testing.T) {
	for _, groups := range []int{1, 2, 3, 7, 16, 31} {
		for degree := 1; degree <= 33; degree++ {
			from, to := randomRegular(groups, degree, uint64(groups*100+degree))
			colour, err := colourEdges(from, to, groups, degree)
			require.NoError(t, err)
			for c, uses := range requireProper(t, from, to, colour, degree) {
				require.Equal(t, groups, uses, "colour %d of %d, %d groups", c, degree, groups)
			}
		}
	}
}

// Graphs that are not regular, in any order of edges.
func TestColourAny(t *testing.T) {
	stream := hw.NewStream(3, hw.PurposeWorkload)
	for round := range uint32(200) {
		groups := 1 + int(hw.Below(stream.Draw(round, 0, 0), 12))
		edges := int(hw.Below(stream.Draw(round, 0, 1), 100))
		from, to := make([]uint32, edges), make([]uint32, edges)
		degree := 0
		sources, sinks := make([]int, groups), make([]int, groups)
		for e := range from {
			from[e] = hw.Below(stream.Draw(round, uint32(e), 2), uint32(groups))
			to[e] = hw.Below(stream.Draw(round, uint32(e), 3), uint32(groups))
			sources[from[e]]++
			sinks[to[e]]++
			degree = max(degree, sources[from[e]], sinks[to[e]])
		}
		colour, err := colourEdges(from, to, groups, degree+1)
		require.NoError(t, err)
		requireProper(t, from, to, colour, degree+1)
		again, err := colourEdges(from, to, groups, degree)
		require.NoError(t, err)
		require.Equal(t, colour, again, "the same graph has the same colours")
		if degree > 0 {
			_, err = colourEdges(from, to, groups, degree-1)
			require.ErrorContains(t, err, fmt.Sprintf("%d colours for a graph in which an end has %d edges", degree-1, degree))
		}
	}
}

func TestColourRefuses(t *testing.T) {
	_, err := colourEdges([]uint32{0}, nil, 1, 1)
	require.EqualError(t, err, "1 first ends for 0 second ends")
	_, err = colourEdges([]uint32{0, 1}, []uint32{1, 2}, 2, 1)
	require.EqualError(t, err, "edge 1 goes from 1 to 2: groups are 0 to 1")
	require.EqualError(t, equaliseColours([]uint32{0}, []uint32{0}, []uint32{0}, 1, 2), "1 edges cannot have 2 colours equally often")
}

func TestEqualise(t *testing.T) {
	for _, groups := range []int{2, 3, 5, 8, 13, 30} {
		for degree := 1; degree <= groups; degree++ {
			from, to := randomRegular(groups, degree, uint64(groups*100+degree))
			colour, err := colourEdges(from, to, groups, degree)
			require.NoError(t, err)
			require.NoError(t, equaliseColours(from, to, colour, groups, groups))
			for c, uses := range requireProper(t, from, to, colour, groups) {
				require.Equal(t, degree, uses, "colour %d, %d groups of %d", c, groups, degree)
			}
		}
	}
}

// Equalising a colouring that is not proper is a broken invariant, not an endless
// loop: here no path can be flipped.
func TestEqualiseImproper(t *testing.T) {
	from, to := []uint32{0, 0, 0, 0}, []uint32{0, 0, 0, 0}
	require.Panics(t, func() { _ = equaliseColours(from, to, []uint32{0, 0, 0, 1}, 1, 2) })
}

func BenchmarkColour(b *testing.B) {
	for _, size := range [][2]int{{256, 256}, {255, 257}, {64, 1024}, {1024, 64}, {1024, 1024}, {1025, 1023}} {
		groups, degree := size[0], size[1]
		destination := make([]uint32, groups*degree)
		fabric.FillRandom(destination, 1)
		b.Run(fmt.Sprintf("g=%d/d=%d", groups, degree), func(b *testing.B) {
			for b.Loop() {
				if _, err := PlanOffline(Network{groups, degree}, destination); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(destination)), "ns/packet")
		})
	}
}

// colourEdges colours the edges of a bipartite multigraph so that edges that
// share an end differ (D. König's theorem: as many colours suffice as an end has
// edges). from and to hold the ends of each edge, in 0..groups-1 on both sides.
//
// It returns a colour for each edge, below the largest degree, or an error if
// that is more than colours. The same graph gives the same colours. Cost: as of
// the graph padded to a regular one, O(degree*groups*log degree) time and 21
// bytes per edge of it.
func colourEdges(from, to []uint32, groups, colours int) ([]uint32, error) {
	if len(from) != len(to) {
		return nil, fmt.Errorf("%d first ends for %d second ends", len(from), len(to))
	}
	sources, sinks := make([]int, groups), make([]int, groups)
	for i := range from {
		if int(from[i]) >= groups || int(to[i]) >= groups {
			return nil, fmt.Errorf("edge %d goes from %d to %d: groups are 0 to %d", i, from[i], to[i], groups-1)
		}
		sources[from[i]]++
		sinks[to[i]]++
	}
	degree := 0
	for v := range groups {
		degree = max(degree, sources[v], sinks[v])
	}
	if degree > colours {
		return nil, fmt.Errorf("%d colours for a graph in which an end has %d edges", colours, degree)
	}
	c := newColourer(groups, degree*groups)
	next := make([]int, groups)
	for v := range next {
		next[v] = v * degree
	}
	for i := range from {
		v := from[i]
		c.edges[next[v]] = edge{to: to[i], id: uint32(i)}
		next[v]++
	}
	// The deficits of the first ends and of the second ends are equal.
	w := 0
	for v := range next {
		for ; next[v] < (v+1)*degree; next[v]++ {
			for sinks[w] == degree {
				w++
			}
			c.edges[next[v]] = edge{to: uint32(w), id: noIndex}
			sinks[w]++
		}
	}
	c.colour(0, degree)
	colour := make([]uint32, len(from))
	for i := range c.edges {
		if id := c.edges[i].id; id != noIndex {
			colour[id] = uint32(i / groups)
		}
	}
	return colour, nil
}
