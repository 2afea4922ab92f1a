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

// TestWilson compares with published intervals (R. G. Newcombe, 1998, method 3: 81 of 263,
// 15 of 148, 0 of 20, 1 of 29), of which 95 % bands have four digits.
func TestWilson(t *testing.T) {
	for _, c := range []struct {
		successes, runs uint64
		low, high       float64
	}{{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718}} {
		low, high := scatter.Wilson(c.successes, c.runs)
		require.InDelta(t, c.low, low, 6e-5)
		require.InDelta(t, c.high, high, 6e-5)
	}
}

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
		{Nodes: n, Exact: chain.Done(units), Finished: finished, Runs: runs}, {Nodes: 4, Exact: scatter.NewChain(4).Done(units)},
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
