package gossip_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric/crossbar/gossip"
	"starloom/traces/figure"
)

// TestPlots draws the family for N = 1 to 160 and compares the figures with exact metrics.
func TestPlots(t *testing.T) {
	curves := []gossip.Curve{{Name: "identity", Style: figure.Dashed}, {Name: "pipelined"}, {Name: "lower bound", Style: figure.Dots}}
	for N := 1; N <= 160; N++ {
		for i, length := range []int{gossip.IdentityLength(N), gossip.PipelinedLength(N, 1), gossip.LowerBound(N)} {
			curves[i].N = append(curves[i].N, N)
			curves[i].Lambda = append(curves[i].Lambda, length)
		}
	}
	lambda, mu, epsilon := gossip.Plots(curves)
	require.Equal(t, figure.Point{X: 9, Y: 27}, lambda.Curves[1].Points[8])
	for i, c := range curves {
		for k, N := range c.N {
			exact, _ := gossip.Mu(gossip.UsedSlots(N), c.Lambda[k]).Float64()
			require.InDelta(t, exact, mu.Curves[i].Points[k].Y, 1e-12)
			exact, _ = gossip.Epsilon(gossip.UsedSlots(N), N+1, c.Lambda[k]).Float64()
			require.InDelta(t, exact, epsilon.Curves[i].Points[k].Y, 1e-12)
		}
	}
	for _, p := range []*figure.Figure{lambda, mu, epsilon} {
		var text strings.Builder
		require.NoError(t, p.WriteSVG(&text))
		require.Equal(t, 161, strings.Count(text.String(), ` class="f5"/>`), "160 points, one in the legend")
	}
}
