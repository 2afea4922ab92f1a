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
			colour, err := ColourEdges(from, to, groups, degree)
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
		colour, err := ColourEdges(from, to, groups, degree+1)
		require.NoError(t, err)
		requireProper(t, from, to, colour, degree+1)
		again, err := ColourEdges(from, to, groups, degree)
		require.NoError(t, err)
		require.Equal(t, colour, again, "the same graph has the same colours")
		if degree > 0 {
			_, err = ColourEdges(from, to, groups, degree-1)
			require.ErrorContains(t, err, fmt.Sprintf("%d colours for a graph in which an end has %d edges", degree-1, degree))
		}
	}
}

func TestColourRefuses(t *testing.T) {
	_, err := ColourEdges([]uint32{0}, nil, 1, 1)
	require.EqualError(t, err, "1 first ends for 0 second ends")
	_, err = ColourEdges([]uint32{0, 1}, []uint32{1, 2}, 2, 1)
	require.EqualError(t, err, "edge 1 goes from 1 to 2: groups are 0 to 1")
	require.EqualError(t, EqualiseColours([]uint32{0}, []uint32{0}, []uint32{0}, 1, 2), "1 edges cannot have 2 colours equally often")
}

func TestEqualise(t *testing.T) {
	for _, groups := range []int{2, 3, 5, 8, 13, 30} {
		for degree := 1; degree <= groups; degree++ {
			from, to := randomRegular(groups, degree, uint64(groups*100+degree))
			colour, err := ColourEdges(from, to, groups, degree)
			require.NoError(t, err)
			require.NoError(t, EqualiseColours(from, to, colour, groups, groups))
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
	require.Panics(t, func() { _ = EqualiseColours(from, to, []uint32{0, 0, 0, 1}, 1, 2) })
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
