package scatter_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric/crossbar/scatter"
	"starloom/fabric/crossbar/scatter/scattertest"
	"starloom/traces/figure"
)

// TestPlots draws law and runs: nearly all points of p(j,n) lie in their bands.
func TestPlots(t *testing.T) {
	const n, runs, units = 64, 2000, 25
	random := rand.New(rand.NewPCG(4, 4))
	chain := scatter.NewChain(n)
	finished := make([]uint64, units+1)
	sums, squares := make([]float64, units+1), make([]float64, units+1)
	for range runs {
		counts := scattertest.Sync(n, random)
		for j := range finished {
			coloured := float64(counts[min(j, len(counts)-1)])
			sums[j] += coloured
			squares[j] += coloured * coloured
			if coloured == n {
				finished[j]++
			}
		}
	}
	done := scatter.DonePlot([]scatter.DoneCurve{
		{Nodes: n, Exact: chain.Done(units), Finished: finished, Runs: runs},
		{Nodes: 4, Exact: scatter.NewChain(4).Done(units)},
	})
	require.Len(t, done.Curves, 3)
	require.Equal(t, "n = 64, 2000 runs", done.Curves[1].Name)

	measured := scatter.ColouredCurve{Name: "2000 runs", Style: figure.Dots}
	for j := range sums {
		mean := sums[j] / runs
		measured.Mean = append(measured.Mean, mean)
		measured.SE = append(measured.SE, math.Sqrt(max(0, squares[j]/runs-mean*mean)/runs))
	}
	coloured := scatter.ColouredPlot(n, []scatter.ColouredCurve{{Name: "law", Mean: chain.Coloured(units)}, measured})
	for colour, p := range map[int]*figure.Figure{3: done, 4: coloured} { // that of the law, and another one
		outside := 0
		for j, point := range p.Curves[1].Points {
			if law := p.Curves[0].Points[j].Y; law < point.Low-1e-3 || law > point.High+1e-3 {
				outside++
			}
		}
		require.LessOrEqual(t, outside, 5, "of 26, which depend on each other")
		var text strings.Builder
		require.NoError(t, p.WriteSVG(&text))
		require.Equal(t, units+2, strings.Count(text.String(), fmt.Sprintf(` class="f%d"/>`, colour)), "one in the legend")
	}
}
