package outcome

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWilson compares the interval with method 3 in table I of Newcombe (Statistics in Medicine 17,
// 1998), and with what defines it: at its ends the fraction is z standard deviations away.
func TestWilson(t *testing.T) {
	for _, c := range []struct {
		survived, runs uint64
		low, high      float64
	}{{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718}} {
		p := NewSurvivalPoint(c.runs, c.survived)
		require.InDelta(t, c.low, p.Low, 5e-5, "%+v", c)
		require.InDelta(t, c.high, p.High, 5e-5, "%+v", c)
	}
	for runs := uint64(1); runs < 60; runs++ {
		for survived := range runs + 1 {
			p := NewSurvivalPoint(runs, survived)
			require.True(t, 0 <= p.Low && p.Low <= p.Fraction && p.Fraction <= p.High && p.High <= 1, "%+v", p)
			for _, end := range []float64{p.Low, p.High} {
				away := (p.Fraction - end) * (p.Fraction - end)
				require.InDelta(t, wilsonZ*wilsonZ*end*(1-end)/float64(runs), away, 1e-12, "%+v", p)
			}
		}
	}
}
