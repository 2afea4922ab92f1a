package eisenstein

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// followed is what has come of one message.
type followed struct {
	received   []int // packets by node
	first      []int // step of the first
	hops, last int   // packets, the last step
	both       int   // links that are driven both ways in one step
}

func follow(t *Torus, algorithm Algorithm, rotation int) followed {
	f := followed{received: make([]int, t.Nodes()), first: make([]int, t.Nodes())}
	type end struct{ step, dim, direction, node int }
	driven := map[end]bool{}
	t.Follow(algorithm, rotation, func(h Hop) {
		f.hops++
		f.received[h.To]++
		if f.first[h.To] == 0 || h.Step < f.first[h.To] {
			f.first[h.To] = h.Step
		}
		f.last = max(f.last, h.Step)
		if driven[end{h.Step, h.Dim, Opposite(h.Direction), h.To}] {
			f.both++
		}
		driven[end{h.Step, h.Dim, h.Direction, h.From}] = true
	})
	return f
}

// missing counts the nodes that have received nothing, the source aside; again what they have
// received after the first.
func (f *followed) missing() (missing, again int) {
	for node, packets := range f.received {
		switch {
		case node == 0:
			again += packets
		case packets == 0:
			missing++
		default:
			again += packets - 1
		}
	}
	return missing, again
}

// requireOnce holds a broadcast to the claim: each node receives once, in the step of the closed form.
func requireOnce(t *testing.T, net *Torus, algorithm Algorithm, rotation int) followed {
	a, b := net.Alpha()
	name := fmt.Sprintf("alpha = %d + %d*rho, n = %d, algorithm %d", a, b, net.Dims, algorithm)
	f := follow(net, algorithm, rotation)
	missing, again := f.missing()
	require.Zero(t, missing, name)
	require.Zero(t, again, name)
	require.Zero(t, f.both, name)
	for node, step := range f.first {
		require.Equal(t, net.ReceiveStep(algorithm, node), step, name)
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
				require.Equal(t, dims*f.Diameter(), requireOnce(t, net, General, 0).last)
				require.Equal(t, dims*f.Diameter(), requireOnce(t, net, Previous, 0).last)
				requireOnce(t, net, Repaired, 0)
				for rotation := range dims {
					require.Equal(t, dims*f.Directed(), requireOnce(t, net, Oriented, rotation).last)
				}
				for node := range net.Nodes() {
					require.Equal(t, net.Distance(0, node), net.ReceiveStep(General, node))
				}
			}
		}
	}
}

// loads are the packets of all messages on a directed link by step, n*6 entries each.
func loads(t *Torus, algorithm Algorithm) (loads [][]int) {
	t.Follow(algorithm, 0, func(h Hop) {
		for len(loads) < h.Step {
			loads = append(loads, make([]int, 6*t.Dims))
		}
		loads[h.Step-1][6*(h.Dim-1)+h.Direction]++
	})
	return loads
}

func TestAllToAll(t *testing.T) {
	for _, record := range golden(t, "all_to_all") {
		net := torus(t, number(t, record[0]), number(t, record[1]), number(t, record[2]))
		var figures []int
		for _, algorithm := range []Algorithm{Phased, Repaired, Oriented} {
			f := follow(net, algorithm, 0)
			missing, again := f.missing()
			most := 0
			l := loads(net, algorithm)
			for _, links := range l {
				for i, packets := range links {
					most = max(most, packets)
					if packets > 0 {
						require.Zero(t, links[i/6*6+Opposite(i%6)])
					}
				}
			}
			if algorithm == Phased {
				require.Zero(t, again)
				figures = append(figures, net.Nodes()-1-missing, missing, len(l), most)
			} else {
				figures = append(figures, len(l), missing, again, most)
			}
		}
		for i, figure := range figures {
			require.Equal(t, number(t, record[4+i]), figure, "%v: %d", record, i)
		}
	}
}

// TestMisprintedSector: by the letter of Algorithm 1 nodes are missed, and as many packets come again.
func TestMisprintedSector(t *testing.T) {
	for _, c := range []struct{ a, dims, missing int }{{1, 1, 0}, {2, 1, 1}, {3, 1, 2}, {4, 1, 4}, {2, 2, 37}, {3, 2, 144}} {
		net := torus(t, c.a, c.a+1, c.dims)
		f := follow(net, Misprinted, 0)
		missing, again := f.missing()
		require.Equal(t, [2]int{c.missing, c.missing}, [2]int{missing, again}, "%+v", c)
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
			got, M := follow(net, Improved, 0), f.Diameter()
			missing, again := got.missing()
			require.Zero(t, missing)
			require.Equal(t, 3*M*M+3*M+1-f.Size(), again)
			for node, step := range got.first {
				require.Equal(t, net.ReceiveStep(Improved, node), step)
			}
			if got.both > 0 {
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
		f := follow(net, Restarted, 0)
		missing, _ := f.missing()
		require.Zero(t, missing)
		require.Equal(t, c.times, (f.hops+net.Nodes()/2)/net.Nodes(), "%+v: packets per node, rounded", c)
		require.LessOrEqual(t, f.last, 3*net.Dims*net.Diameter())
	}
}

// TestDirectionsOfAPhase: a phase sends in three directions, of which no two are opposite.
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
