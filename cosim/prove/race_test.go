//go:build linux

package prove

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHintsOfTheBitsThatAreProved checks that of equal bits one is proved, with the hints about its registers and
// those about several.
func TestHintsOfTheBitsThatAreProved(t *testing.T) {
	g := &graph{inputs: 2, next: []uint32{2, 2, 4, 4}} // two bits, each in two registers
	differ := func(bit uint32) uint32 {
		a := 2 * (g.firstLatch() + 2*bit)
		b := a + 2
		return g.or([]uint32{g.and(a, b^1), g.and(a^1, b)})
	}
	g.outputs = []uint32{differ(0), differ(1)}
	p := &problem{whole: g, begun: &begun{graph: *g}}
	p.hint(g.outputs[0], 1)
	p.hint(g.outputs[1], 3)
	p.hint(g.or(g.outputs[:2]), -1)
	p.hint(0, 0) // is known
	p.begun.gates = g.gates
	r := &race{problem: p, outputs: []int{0, 1}, tell: func(string) {}, cancel: func() {},
		found: found{proved: map[int]string{}}}
	r.begin()
	require.Equal(t, [][]int{{0, 1}}, r.open)
	require.Equal(t, map[int]int{0: 0, 2: 1, 4: 2}, r.at)
}
