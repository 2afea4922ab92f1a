package gossip

import (
	"math/big"

	"starloom/traces/figure"
)

// Metrics are the measurements of a run as defined in the paper (Definitions 7 to 13).
type Metrics struct {
	Lambda  int      // length: number of steps
	Nu      []int    // utilisation string: number of used slots, S and R, of every step
	Mu      *big.Rat // average slot utilisation: used slots per step
	Epsilon *big.Rat // efficiency: used slots / all slots
}

// Measure returns the metrics of a run from its utilisation string, one entry per step. A run without steps has mu =
// epsilon = 0. The String of a big.Rat is the exact "a/b" in lowest terms.
func Measure(processors int, nu []int) Metrics {
	used := 0
	for _, slots := range nu {
		used += slots
	}
	m := Metrics{Lambda: len(nu), Nu: nu, Mu: new(big.Rat), Epsilon: new(big.Rat)}
	if len(nu) > 0 {
		m.Mu = Mu(used, len(nu))
		m.Epsilon = Epsilon(used, processors, len(nu))
	}
	return m
}

// Mu returns the mean number of used slots per step (Definition 8), between 0 and N+1. lambda is 1 or more.
func Mu(used, lambda int) *big.Rat { return big.NewRat(int64(used), int64(lambda)) }

// Epsilon returns the fraction of all slots that are used (Definitions 9 and 11). lambda is 1 or more.
func Epsilon(used, processors, lambda int) *big.Rat {
	slots := new(big.Int).Mul(big.NewInt(int64(processors)), big.NewInt(int64(lambda)))
	return new(big.Rat).SetFrac(big.NewInt(int64(used)), slots)
}

// Curve holds the lengths of runs of one member of the family: Lambda[i] steps for the largest id N[i].
type Curve struct {
	Name      string
	Style     figure.Style
	N, Lambda []int
}

// Plots draws figures 5 to 7, 9 to 11 and 13 to 21 of the paper for any members of the family: lambda, mu and epsilon
// over N. Each run has UsedSlots(N) used slots.
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
	lambda.X.Scale, lambda.Y.Scale = figure.Log2, figure.Log2 // N and N^2 become straight lines
	mu = drawn("Average slot utilisation", "mu, used slots per step", func(N, lambda int) float64 {
		return float64(UsedSlots(N)) / float64(lambda)
	})
	epsilon = drawn("Efficiency", "epsilon", func(N, lambda int) float64 {
		return float64(2*N) / float64(lambda)
	})
	return lambda, mu, epsilon
}
