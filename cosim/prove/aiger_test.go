//go:build linux

package prove

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMerge checks that a graph without unneeded gates computes the same, and that equal gates become one.
func TestMerge(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		g := graph{inputs: 1 + random.IntN(4)}
		g.next = make([]uint32, random.IntN(4))
		literal := func() uint32 { return uint32(random.IntN(2 * g.variables())) }
		for range random.IntN(60) {
			g.gates = append(g.gates, [2]uint32{literal(), literal()})
		}
		for i := range g.next {
			g.next[i] = literal()
		}
		for range 1 + random.IntN(5) {
			g.outputs = append(g.outputs, literal())
		}
		merged := graph{inputs: g.inputs, next: slices.Clone(g.next), gates: slices.Clone(g.gates),
			outputs: slices.Clone(g.outputs)}
		merged.merge()
		a, b := g.simulation(), merged.simulation()
		in := make([]uint64, g.inputs)
		for range 5 {
			for i := range in {
				in[i] = random.Uint64()
			}
			a.settle(in)
			b.settle(in)
			for i := range g.outputs {
				require.Equal(t, a.of(g.outputs[i]), b.of(merged.outputs[i]))
			}
			a.edge()
			b.edge()
		}
		seen := map[[2]uint32]bool{}
		for _, gate := range merged.gates {
			high, low := max(gate[0], gate[1]), min(gate[0], gate[1])
			require.False(t, seen[[2]uint32{high, low}] || low < 2 || high/2 == low/2, "a gate that is not needed")
			seen[[2]uint32{high, low}] = true
		}
	}
}
