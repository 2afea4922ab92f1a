package gossip_test

import (
	"fmt"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric/bus/gossip"
)

// network is cbn(n,l) by the letter of the paper's model: each vertex has a set of items.
type network struct {
	n, l  int
	known [][]uint64
}

func newNetwork(n, l int) *network {
	net := &network{n, l, make([][]uint64, n)}
	for v := range net.known {
		net.known[v] = make([]uint64, (n+63)/64)
		net.known[v][v/64] = 1 << (v % 64)
	}
	return net
}

// step executes a step, or returns an error with the violated constraint of the model.
func (net *network) step(step gossip.Step) error {
	on := make([]int, net.n) // bus of a vertex, from 1
	var sent [][]uint64
	for i, bus := range step {
		members := append([]int{bus.Sender}, bus.Receivers...)
		if len(members) < 2 || len(members) > net.l {
			return fmt.Errorf("bus %d has %d vertices", i, len(members))
		}
		for _, v := range members {
			switch {
			case v < 0 || v >= net.n:
				return fmt.Errorf("bus %d has vertex %d", i, v)
			case on[v] != 0:
				return fmt.Errorf("vertex %d is on buses %d and %d", v, on[v]-1, i)
			}
			on[v] = i + 1
		}
		sent = append(sent, append([]uint64(nil), net.known[bus.Sender]...))
	}
	for i, bus := range step {
		for _, v := range bus.Receivers {
			for k, items := range sent[i] {
				net.known[v][k] |= items
			}
		}
	}
	return nil
}

// run takes all steps.
func (net *network) run(t testing.TB, steps []gossip.Step) {
	for k, step := range steps {
		require.NoError(t, net.step(step), "n = %d, l = %d, step %d", net.n, net.l, k+1)
	}
}

// missing counts the items that vertices do not know.
func (net *network) missing() (items int) {
	for _, known := range net.known {
		items += net.n - ones(known)
	}
	return items
}

func ones(words []uint64) (count int) {
	for _, word := range words {
		count += bits.OnesCount64(word)
	}
	return count
}

// lengths are the steps of each algorithm for n vertices. All algorithms complete.
func lengths(t testing.TB, n, l int) (twoPhase, improved, naive int) {
	length := func(steps []gossip.Step) int {
		net := newNetwork(n, l)
		net.run(t, steps)
		require.Zero(t, net.missing(), "n = %d, l = %d", n, l)
		return len(steps)
	}
	return length(gossip.TwoPhase(n, l)), length(gossip.Improved(n, l)), length(gossip.Naive(n, l))
}

// TestModel: the checker of the model finds violations.
func TestModel(t *testing.T) {
	for _, wrong := range []struct {
		says string
		step gossip.Step
	}{
		{"bus 0 has 1 vertices", gossip.Step{{Sender: 1}}},
		{"bus 1 has 4 vertices", gossip.Step{{0, []int{1}}, {2, []int{3, 4, 5}}}},
		{"vertex 2 is on buses 0 and 1", gossip.Step{{0, []int{1, 2}}, {3, []int{2}}}},
		{"vertex 0 is on buses 0 and 1", gossip.Step{{0, []int{1}}, {0, []int{2}}}},
		{"vertex 1 is on buses 0 and 1", gossip.Step{{0, []int{1}}, {1, []int{2}}}},
		{"vertex 3 is on buses 0 and 0", gossip.Step{{3, []int{1, 3}}}},
		{"bus 0 has vertex 6", gossip.Step{{0, []int{6}}}},
	} {
		require.EqualError(t, newNetwork(6, 3).step(wrong.step), wrong.says)
	}
	net := newNetwork(3, 3)
	require.NoError(t, net.step(gossip.Step{{0, []int{1, 2}}}))
	require.Equal(t, 4, net.missing())
	require.NoError(t, net.step(gossip.Step{{1, []int{0}}}))
	require.Equal(t, 3, net.missing())
}

// TestSchedules: all algorithms satisfy the constraints of the model and inform every vertex in the
// number of steps of the formulas; the improved algorithm is never longer than the published one,
// which never exceeds its bound.
func TestSchedules(t *testing.T) {
	largest, lengthMax := 64, 9
	if *full {
		largest, lengthMax = 199, 16
	}
	for l := 2; l <= lengthMax; l++ {
		for n := 1; n <= largest; n++ {
			twoPhase, improved, naive := lengths(t, n, l)
			at := fmt.Sprintf("n = %d, l = %d", n, l)
			require.Equal(t, gossip.Length(n, l), twoPhase, at)
			require.Equal(t, gossip.ImprovedLength(n, l), improved, at)
			require.Equal(t, gossip.NaiveLength(n, l), naive, at)
			require.LessOrEqual(t, improved, twoPhase, at)
			require.LessOrEqual(t, gossip.LowerBound(n), improved, at)
			require.LessOrEqual(t, gossip.LowerBound(n), naive, at)
			if bound := gossip.UpperBound(n, l); n >= l {
				require.GreaterOrEqual(t, bound, twoPhase, at)
				require.LessOrEqual(t, bound-1, twoPhase, at)
			}
		}
	}
}

// TestSamples are lengths that others have found.
func TestSamples(t *testing.T) {
	for _, sample := range [][3]int{
		{2, 2, 2}, {3, 2, 4}, {3, 3, 3}, {4, 4, 3}, {17, 16, 7}, {4096, 2, 19}, {10000, 3, 20}, {5000, 4, 15},
		{4000, 8, 14}, {1000, 30, 15},
		{4, 3, 5}, {5, 2, 6}, {6, 5, 6},
	} {
		twoPhase, _, _ := lengths(t, sample[0], sample[1])
		require.Equal(t, sample[2], twoPhase, "n = %d, l = %d", sample[0], sample[1])
	}
	twoPhase, _, naive := lengths(t, 8, 3)
	require.Equal(t, [2]int{7, 5}, [2]int{twoPhase, naive})
}

// TestImprovementSaves: the improvement saves two steps in most cases where l is not a power of
// two, one for 4, 8 or 16, and none for l = 2.
func TestImprovementSaves(t *testing.T) {
	for l := 2; l <= 16; l++ {
		saves := map[int]int{}
		for n := 1; n < 200; n++ {
			if n > l && n%l > 0 {
				saves[gossip.Length(n, l)-gossip.ImprovedLength(n, l)]++
			}
		}
		usual := 2
		switch l {
		case 2:
			usual = 0
		case 4, 8, 16:
			usual = 1
		}
		for steps, sizes := range saves {
			require.True(t, 0 <= steps && steps <= 2, "l = %d", l)
			if steps != usual {
				require.Greater(t, saves[usual], sizes, "l = %d: %v", l, saves)
			}
		}
	}
}

// TestPhase2Knows: t steps into phase 2, vertex (i,j) knows the items of columns j to j+F_i(t)-1
// and no others, column 0 with those of the left-over vertices.
func TestPhase2Knows(t *testing.T) {
	largest, lengthMax := 60, 8
	if *full {
		largest, lengthMax = 160, 16
	}
	for l := 2; l <= lengthMax; l++ {
		for n := l; n <= largest; n++ {
			q, r := n/l, n%l
			net, steps := newNetwork(n, l), gossip.TwoPhase(n, l)
			phase2 := gossip.Phase2Length(q, l)
			first, last := len(steps)-phase2, len(steps)
			if r > 0 {
				first, last = first-1, last-1
			}
			net.run(t, steps[:first])
			for time := range phase2 + 1 {
				net.knowsColumns(t, gossip.Amounts(l, time))
				if time < phase2 {
					net.run(t, steps[first+time:first+time+1])
				}
			}
			require.Equal(t, last, first+phase2)
		}
	}
}

// knowsColumns checks the knowledge of every vertex in a column.
func (net *network) knowsColumns(t *testing.T, amounts []int) {
	q := net.n / net.l
	for v := range q * net.l {
		line, column := v%net.l, v/net.l
		want := make([]uint64, len(net.known[v]))
		for k := range min(amounts[line], q) {
			other := (column + k) % q
			for i := range net.l {
				want[(other*net.l+i)/64] |= 1 << ((other*net.l + i) % 64)
			}
			for left := q * net.l; other == 0 && left < net.n; left++ {
				want[left/64] |= 1 << (left % 64)
			}
		}
		require.Equal(t, want, net.known[v], "n = %d, l = %d, vertex %d, F = %v", net.n, net.l, v, amounts)
	}
}
