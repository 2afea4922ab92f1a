package netlist

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric"
)

func apart(a, b Place) float64 { return math.Hypot(a.X-b.X, a.Y-b.Y) }

// sketched is where a drawing has everything.
func sketched(t *testing.T, d *Drawing) (n Network, s fabric.Sketch) {
	n, err := d.Network()
	require.NoError(t, err)
	s, ok := n.sketch()
	require.True(t, ok)
	return n, s
}

// radio is a mesh of 3 by 2 with a port more.
func radio() *Drawing {
	return New("").shorthand("mesh", &Grid{K: []int{3, 2}, PlanKeys: PlanKeys{Ports: []string{"radio"}}})
}

// TestSketch: nodes of a drawing do not overlap, and neighbours of a mesh have distance 1.
func TestSketch(t *testing.T) {
	for name, d := range map[string]*Drawing{
		"mesh": New("").Mesh(4, 4), "torus": New("").Torus(5, 5), "3-D torus": New("").Torus(3, 4, 5), "ring": New("").Ring(17), "tree": New("").Tree(3, 4),
		"hypercube": New("").Hypercube(6), "dragonfly": New("").Dragonfly(4, 2), "groups of one": New("").Dragonfly(1, 3), "5-D mesh": New("").Mesh(2, 2, 3, 2, 2),
		"mesh with more": radio().Stars("air").Processors("sensor[0..1]").Stars("wire").Processors("q").Link("p[0..5]:radio", "air").
			Link("sensor[0..1]:0", "air").Link("sensor[0..1]:1", "wire").Link("q", "wire"),
		"stars": New("").Processors("p[0..8]").Stars("s[0..2]").Link("p[0..3]", "s[0]").Link("p[3..6]", "s[1]").Link("p[6..8]", "s[2]"),
	} {
		_, s := sketched(t, d)
		all := append(s.Processors, s.Media...)
		for i := range all {
			for j := range i {
				require.Greater(t, apart(all[i].Place, all[j].Place), 0.6, "%s: %s and %s", name, all[i].Name, all[j].Name)
			}
		}
	}
	_, s := sketched(t, New("").Mesh(4, 4))
	require.Equal(t, Place{X: 3, Y: 2}, s.Processors[11].Place)
	require.Empty(t, s.Round)
	_, s = sketched(t, radio().Stars("air").Processors("q").Link("q", "air").Link("p[0..5]:radio", "air"))
	require.Equal(t, Place{X: 1, Y: 1}, s.Processors[4].Place, "what everybody draws stays so beside other nodes")
	require.Equal(t, []Place{{X: 1, Y: -1.5}, {X: 1, Y: -3}}, []Place{s.Media[0].Place, s.Processors[6].Place})
	_, s = sketched(t, New("").Torus(5, 5))
	require.Len(t, s.Round, 20) // 5 rows and 5 columns, both ways
}

// TestSpread: a hand-written netlist is laid out like its shorthand, with neighbours nearer than
// other nodes.
func TestSpread(t *testing.T) {
	for _, d := range []*Drawing{New("").Mesh(4, 4), New("").Ring(9), New("").Tree(2, 4)} {
		n, s := sketched(t, d)
		near := n.Net().neighbours(&s)
		at := spread(near)
		require.Equal(t, at, spread(near))
		for i := range near {
			for _, j := range near[i] {
				require.InDelta(t, 1.35, apart(at[i], at[j]), 0.5, "%s: %d and %d", d.plans[0].key, i, j)
			}
		}
	}
	require.Len(t, spread([][]int{nil, nil, nil}), 3) // no lines
	require.Len(t, spread([][]int{nil}), 1)
}
