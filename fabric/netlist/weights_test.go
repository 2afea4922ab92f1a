package netlist

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWeightsAreOfLinks: the weights of a bus and of a crossbar include links that only receive.
func TestWeightsAreOfLinks(t *testing.T) {
	for _, kind := range []string{"bus", "crossbar"} {
		n, err := read(t, "apart: true\nnodes: {\"p[0..4]\": processor, x: {kind: "+kind+", arbiter: lottery, weights: [7, 8, 9, 2]}}\n"+
			"links: [{endpoints: [x, \"p[0]:0\"], oneway: true}, [\"p[1]:0\", x], {endpoints: [x, \"p[2]:0\"], oneway: true}, [\"p[3..4]:0\", x]]\n")
		require.NoError(t, err)
		require.Len(t, n.asked, 1)
		if kind == "bus" {
			require.Equal(t, [][]int{{8, 2, 1}}, n.asked[0].Buses.Weights, "of p[1], p[3], p[4]")
		} else {
			require.Equal(t, []int{7, 8, 9, 2}, n.asked[0].Outputs.Weights, "an input for each link")
		}
	}
}
