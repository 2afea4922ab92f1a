package eisenstein

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// requireOnce checks that each node receives once, in the step of the closed form.
func requireOnce(t *testing.T, net *Torus, algorithm Algorithm, rotation int) *Message {
	a, b := net.Alpha()
	name := fmt.Sprintf("alpha = %d + %d*rho, n = %d, algorithm %d", a, b, net.Dims, algorithm)
	f := NewMessage(net, algorithm, rotation)
	require.Zero(t, f.Missing(), name)
	require.Zero(t, f.Again(), name)
	require.False(t, f.BothWays, name)
	for node, step := range f.First {
		if want := net.ReceiveStep(algorithm, node); want != step { // millions: require is slow
			require.Equal(t, want, step, "%s, node %d", name, node)
		}
	}
	return f
}

// TestOnceAndInTheStepOfTheClosedForm: all alphas with 0 <= a <= b <= 12 in one dimension, to 20,000
// nodes in two, some in three and four.
func TestOnceAndInTheStepOfTheClosedForm(t *testing.T) {
	for b := 1; b <= 12; b++ {
		for a := range b + 1 {
			f, err := Degenerate(a, b)
			require.NoError(t, err)
			for dims, most := range []int{1: 1 << 20, 20_000, 3000, 3000} {
				net, err := NewTorus(f, max(1, dims))
				if f.Size() < 7 || err != nil || net.Nodes() > most {
					continue
				}
				require.Equal(t, dims*f.Diameter(), requireOnce(t, net, General, 0).Steps)
				require.Equal(t, dims*f.Diameter(), requireOnce(t, net, Previous, 0).Steps)
				requireOnce(t, net, Repaired, 0)
				for rotation := range dims {
					require.Equal(t, dims*f.Directed(), requireOnce(t, net, Oriented, rotation).Steps)
				}
				for node := range net.Nodes() {
					if hops := net.Distance(0, node); hops != net.ReceiveStep(General, node) {
						require.Equal(t, hops, net.ReceiveStep(General, node))
					}
				}
			}
		}
	}
}

func TestAllToAll(t *testing.T) {
	for _, record := range golden(t, "all_to_all") {
		net := torus(t, number(t, record[0]), number(t, record[1]), number(t, record[2]))
		var figures []int
		for _, algorithm := range []Algorithm{Phased, Repaired, Oriented} {
			f := NewMessage(net, algorithm, 0)
			require.False(t, f.AllBothWays)
			if algorithm == Phased {
				require.Zero(t, f.Again())
				figures = append(figures, net.Nodes()-1-f.Missing(), f.Missing(), f.Steps, f.Most())
			} else {
				figures = append(figures, f.Steps, f.Missing(), f.Again(), f.Most())
			}
		}
		for i, figure := range figures {
			require.Equal(t, number(t, record[4+i]), figure, "%v: %d", record, i)
		}
	}
}

// TestMisprintedSector: the literal Algorithm 1 misses nodes and delivers the same number of
// duplicate packets.
func TestMisprintedSector(t *testing.T) {
	for _, c := range []struct{ a, dims, missing int }{{1, 1, 0}, {2, 1, 1}, {3, 1, 2}, {4, 1, 4},
		{2, 2, 37}, {3, 2, 144}} {
		net := torus(t, c.a, c.a+1, c.dims)
		f := NewMessage(net, Misprinted, 0)
		require.Equal(t, [2]int{c.missing, c.missing}, [2]int{f.Missing(), f.Again()}, "%+v", c)
		requireOnce(t, net, Improved, 0)
	}
}

// TestCountersOnAnyAlpha: the printed counters reach all nodes of any alpha, 3M^2+3M+1-N times again,
// and drive links both ways; with staircases nothing of this happens.
func TestCountersOnAnyAlpha(t *testing.T) {
	alphas, both := 0, 0
	for b := 1; b <= 12; b++ {
		for a := range b + 1 {
			f, err := Degenerate(a, b)
			require.NoError(t, err)
			if f.Size() < 7 {
				continue
			}
			alphas++
			net, err := NewTorus(f, 1)
			require.NoError(t, err)
			got, M := NewMessage(net, Improved, 0), f.Diameter()
			require.Zero(t, got.Missing())
			require.Equal(t, 3*M*M+3*M+1-f.Size(), got.Again())
			for node, step := range got.First {
				require.Equal(t, net.ReceiveStep(Improved, node), step)
			}
			if got.BothWays {
				both++
			}
		}
	}
	require.Equal(t, [2]int{87, 30}, [2]int{alphas, both})
}

// TestRestarted: every node is reached, and a message arrives 14 to 207 times.
func TestRestarted(t *testing.T) {
	for _, c := range []struct{ a, dims, times int }{{3, 1, 14}, {2, 2, 36}, {3, 2, 164}, {2, 3, 207}} {
		net := torus(t, c.a, c.a+1, c.dims)
		f := NewMessage(net, Restarted, 0)
		require.Zero(t, f.Missing())
		require.Equal(t, c.times, (f.Packets+net.Nodes()/2)/net.Nodes(), "%+v: packets per node, rounded", c)
		require.LessOrEqual(t, f.Steps, 3*net.Dims*net.Diameter())
	}
}

// TestDirectionsOfAPhase checks that a phase sends in three directions, without opposite pairs.
func TestDirectionsOfAPhase(t *testing.T) {
	for _, c := range [][3]int{{2, 3, 1}, {3, 4, 1}, {2, 3, 2}, {3, 4, 2}} {
		net := torus(t, c[0], c[1], c[2])
		for _, algorithm := range []Algorithm{Phased, Restarted, Repaired} {
			steps := net.Dims * net.Diameter()
			sending := [3][6]bool{}
			net.Follow(algorithm, 0, func(h Hop) { sending[(h.Step-1)/steps][h.Direction] = true })
			require.Equal(t, [3][6]bool{
				{0: true, 1: true, 5: true}, {1: true, 2: true, 3: true}, {3: true, 4: true, 5: true},
			}, sending)
		}
		net.Follow(Oriented, 0, func(h Hop) { require.Zero(t, h.Direction%2) })
	}
}
