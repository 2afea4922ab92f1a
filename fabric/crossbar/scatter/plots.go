package scatter

import (
	"fmt"
	"math"

	"starloom/traces/plot"
)

// confidence is the standard normal quantile of 95 % bands.
const confidence = 1.96

// Wilson is the 95 % confidence interval of a probability after successes of so many
// runs, 1 or more (E. B. Wilson, "Probable Inference", 1927): it is right near 0 and 1, too.
func Wilson(successes, runs uint64) (low, high float64) {
	n, p := float64(runs), float64(successes)/float64(runs)
	const z2 = confidence * confidence
	middle := (p + float64(z2/(2*n))) / (1 + z2/n)
	half := confidence * math.Sqrt(float64(p*(1-p)/n)+float64(z2/(4*n*n))) / (1 + z2/n)
	return max(0, middle-half), min(1, middle+half)
}

// DoneCurve is what is known of p(j,n) for one n.
type DoneCurve struct {
	Nodes    int
	Exact    []float64 // p(j,n) for j = 0, 1, 2 ...; may be empty
	Finished []uint64  // runs that were done after j units; may be empty
	Runs     uint64    // runs of Finished
}

// DonePlot draws Table 1 of the paper: the probability that all are coloured after j
// units, the law as lines and runs as dots with 95 % bands.
func DonePlot(curves []DoneCurve) *plot.Plot {
	p := &plot.Plot{Title: "Scattering: all nodes are coloured", X: plot.Axis{Label: "j, units"}, Y: plot.Axis{Label: "p(j,n)"}}
	for _, c := range curves {
		exact := plot.Curve{Name: fmt.Sprintf("n = %d, exact", c.Nodes)}
		for j, done := range c.Exact {
			exact.Points = append(exact.Points, plot.Point{X: float64(j), Y: done})
		}
		runs := plot.Curve{Name: fmt.Sprintf("n = %d, %d runs", c.Nodes, c.Runs), Style: plot.Dots}
		for j, finished := range c.Finished {
			low, high := Wilson(finished, c.Runs)
			runs.Points = append(runs.Points, plot.Point{X: float64(j), Y: float64(finished) / float64(c.Runs), Low: low, High: high})
		}
		for _, curve := range []plot.Curve{exact, runs} {
			if len(curve.Points) > 0 {
				p.Curves = append(p.Curves, curve)
			}
		}
	}
	return p
}

// ColouredCurve is a number of coloured nodes over time.
type ColouredCurve struct {
	Name  string
	Style plot.Style
	Mean  []float64 // after 0, 1, 2 ... units
	SE    []float64 // standard error of Mean; empty: none
}

// ColouredPlot draws numbers of coloured nodes over time with 95 % bands.
func ColouredPlot(nodes int, curves []ColouredCurve) *plot.Plot {
	p := &plot.Plot{Title: fmt.Sprintf("Scattering among %d nodes", nodes), X: plot.Axis{Label: "t, units"}, Y: plot.Axis{Label: "coloured(t)"}}
	for _, c := range curves {
		curve := plot.Curve{Name: c.Name, Style: c.Style}
		for j, mean := range c.Mean {
			point := plot.Point{X: float64(j), Y: mean}
			if j < len(c.SE) {
				half := float64(confidence * c.SE[j])
				point.Low, point.High = mean-half, mean+half
			}
			curve.Points = append(curve.Points, point)
		}
		p.Curves = append(p.Curves, curve)
	}
	return p
}
