package gossip

import "starloom/traces/figure"

// Curve is how long the runs of one member of the family are: Lambda[i] steps for the largest id N[i].
type Curve struct {
	Name      string
	Style     figure.Style
	N, Lambda []int
}

// Plots are the figures 5 to 7, 9 to 11 and 13 to 21 of the paper for any members of the
// family: lambda, mu and epsilon over N. All runs have UsedSlots(N) used slots.
func Plots(curves []Curve) (lambda, mu, epsilon *figure.Figure) {
	drawn := func(title, label string, value func(N, lambda int) float64) *figure.Figure {
		p := &figure.Figure{Title: title, X: figure.Axis{Label: "N"}, Y: figure.Axis{Label: label}}
		for _, c := range curves {
			curve := figure.Curve{Name: c.Name, Style: c.Style}
			for i, N := range c.N {
				curve.Points = append(curve.Points, figure.Point{X: float64(N), Y: value(N, c.Lambda[i])})
			}
			p.Curves = append(p.Curves, curve)
		}
		return p
	}
	lambda = drawn("Length of a run", "lambda, steps", func(_, lambda int) float64 { return float64(lambda) })
	lambda.X.Scale, lambda.Y.Scale = figure.Log2, figure.Log2 // orders of N and of N^2 are straight lines
	mu = drawn("Average slot utilisation", "mu, used slots per step", func(N, lambda int) float64 {
		return float64(UsedSlots(N)) / float64(lambda)
	})
	epsilon = drawn("Efficiency", "epsilon", func(N, lambda int) float64 {
		return float64(2*N) / float64(lambda)
	})
	return lambda, mu, epsilon
}
