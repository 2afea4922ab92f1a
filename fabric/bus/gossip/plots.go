package gossip

import (
	"fmt"

	"starloom/traces/plot"
)

// Curve is a number over times or sizes.
type Curve struct {
	Name  string
	Style plot.Style
	X, Y  []int
}

// add appends a point.
func (c *Curve) add(x, y int) { c.X, c.Y = append(c.X, x), append(c.Y, y) }

func plotOf(title string, x, y plot.Axis, curves []Curve) *plot.Plot {
	p := &plot.Plot{Title: title, X: x, Y: y}
	for _, c := range curves {
		curve := plot.Curve{Name: c.Name, Style: c.Style}
		for i := range c.X {
			curve.Points = append(curve.Points, plot.Point{X: float64(c.X[i]), Y: float64(c.Y[i])})
		}
		p.Curves = append(p.Curves, curve)
	}
	return p
}

// GrowthPlot draws how many columns the lines know at the times of phase 2 (Table 1), as dots, beside
// the most and the least that any line knows, M(t) and M(t-1).
func GrowthPlot(l int, lines []Curve) *plot.Plot {
	most, least := Curve{Name: "M(t)"}, Curve{Name: "M(t-1)", Style: plot.Dashed}
	for t := range lines[0].X {
		most.add(t, Most(l, t))
		least.add(t, Most(l, max(0, t-1)))
	}
	curves := []Curve{most, least}
	for _, c := range lines {
		c.Style = plot.Dots
		curves = append(curves, c)
	}
	steps, columns := plot.Axis{Label: "t, steps of phase 2"}, plot.Axis{Label: "F(t)", Log2: true}
	return plotOf(fmt.Sprintf("Columns that the lines know in phase 2, l = %d", l), steps, columns, curves)
}

// LengthPlot draws the lengths of the algorithms and the bounds for n from l to a largest one, at
// about 24 sizes for each power of two.
func LengthPlot(l, largest int) *plot.Plot {
	curves := []Curve{
		{Name: "two-phase"}, {Name: "improved"}, {Name: "naive", Style: plot.Dashed},
		{Name: "upper bound of two-phase", Style: plot.Dots}, {Name: "lower bound", Style: plot.Dots},
	}
	for n := l; n <= largest; n += 1 + n/24 {
		for i, length := range []int{Length(n, l), ImprovedLength(n, l), NaiveLength(n, l), UpperBound(n, l), LowerBound(n)} {
			curves[i].add(n, length)
		}
	}
	return plotOf(fmt.Sprintf("Steps of gossip on buses of length %d", l), plot.Axis{Label: "n, vertices", Log2: true}, plot.Axis{Label: "steps"}, curves)
}
