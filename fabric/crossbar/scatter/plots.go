package scatter

import (
	"fmt"

	"starloom/traces/figure"
	"starloom/traces/rounded"
)

// DoneCurve holds the exact and measured p(j,n) of one n.
type DoneCurve struct {
	Nodes    int
	Exact    []float64 // p(j,n) for j = 0, 1, 2 ...; may be empty
	Finished []uint64  // number of runs completed within j units; may be empty
	Runs     uint64    // number of runs
}

// DonePlot draws Table 1 of the paper: the probability that all nodes are coloured after j units. Lines show the law,
// and dots with 95 % bands show runs.
func DonePlot(curves []DoneCurve) *figure.Figure {
	p := &figure.Figure{Title: "Scattering: all nodes are coloured", X: figure.Axis{Label: "j, units"},
		Y: figure.Axis{Label: "p(j,n)"}}
	for _, c := range curves {
		of := fmt.Sprintf("n = %d", c.Nodes) // law and runs share a colour
		exact := figure.Curve{Name: of + ", exact", Of: of}
		for j, done := range c.Exact {
			exact.Points = append(exact.Points, figure.Point{X: float64(j), Y: done})
		}
		runs := figure.Curve{Name: fmt.Sprintf("%s, %d runs", of, c.Runs), Of: of, Style: figure.Dots}
		for j, finished := range c.Finished {
			low, high := rounded.Wilson(finished, c.Runs)
			runs.Points = append(runs.Points,
				figure.Point{X: float64(j), Y: float64(finished) / float64(c.Runs), Low: low, High: high})
		}
		for _, curve := range []figure.Curve{exact, runs} {
			if len(curve.Points) > 0 {
				p.Curves = append(p.Curves, curve)
			}
		}
	}
	return p
}

// ColouredCurve is the number of coloured nodes over time.
type ColouredCurve struct {
	Name  string
	Style figure.Style
	Mean  []float64 // after 0, 1, 2 ... units
	SE    []float64 // standard error of Mean; may be empty
}

// ColouredPlot draws numbers of coloured nodes over time with 95 % bands.
func ColouredPlot(nodes int, curves []ColouredCurve) *figure.Figure {
	p := &figure.Figure{Title: fmt.Sprintf("Scattering among %d nodes", nodes), X: figure.Axis{Label: "t, units"},
		Y: figure.Axis{Label: "coloured(t)"}}
	for _, c := range curves {
		curve := figure.Curve{Name: c.Name, Style: c.Style}
		for j, mean := range c.Mean {
			point := figure.Point{X: float64(j), Y: mean}
			if j < len(c.SE) {
				half := float64(rounded.Z95 * c.SE[j])
				point.Low, point.High = mean-half, mean+half
			}
			curve.Points = append(curve.Points, point)
		}
		p.Curves = append(p.Curves, curve)
	}
	return p
}
