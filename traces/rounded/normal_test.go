package rounded

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWilson compares the interval with method 3 in table I of Newcombe (Statistics in Medicine 17, 1998), and with
// its definition: at its ends the fraction is z standard deviations away.
func TestWilson(t *testing.T) {
	for _, c := range []struct {
		survived, runs uint64
		low, high      float64
	}{{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718}} {
		low, high := Wilson(c.survived, c.runs)
		require.InDelta(t, c.low, low, 5e-5, "%+v", c)
		require.InDelta(t, c.high, high, 5e-5, "%+v", c)
	}
	for runs := uint64(1); runs < 60; runs++ {
		for survived := range runs + 1 {
			low, high := Wilson(survived, runs)
			fraction := float64(survived) / float64(runs)
			require.True(t, 0 <= low && low <= fraction && fraction <= high && high <= 1, "%d of %d", survived, runs)
			for _, end := range []float64{low, high} {
				away := (fraction - end) * (fraction - end)
				require.InDelta(t, Z95*Z95*end*(1-end)/float64(runs), away, 1e-12, "%d of %d", survived, runs)
			}
		}
	}
}
