package scatter

import "gonum.org/v1/gonum/mathext"

// binExpectedMin is the minimum expected count of a bin in Pearson's test.
const binExpectedMin = 5

// ChiSquare is the result of Pearson's test of observed counts.
type ChiSquare struct {
	Statistic float64 // sum of (observed - expected)^2 / expected over the bins
	Freedom   int     // bins - 1
	P         float64 // probability of at least this statistic under the law
}

// Pearson compares the observed counts of 0, 1, 2 ... with their probabilities. The remainder of the probabilities
// belongs to all larger values. Neighbouring values are merged until the expected count of each bin is at least 5.
// With fewer than two such bins, Pearson has no verdict, and P is 1.
func Pearson(observed []uint64, probabilities []float64) ChiSquare {
	runs, rest := 0.0, 1.0
	for _, count := range observed {
		runs += float64(count)
	}
	var bins []bin
	var open bin
	for value := range max(len(observed), len(probabilities)) {
		if value < len(observed) {
			open.observed += float64(observed[value])
		}
		if value < len(probabilities) {
			open.expected += float64(runs * probabilities[value])
			rest -= probabilities[value]
		}
		if open.expected >= binExpectedMin {
			bins, open = append(bins, open), bin{}
		}
	}
	open.expected += float64(runs * max(rest, 0))
	return test(bins, open)
}

type bin struct{ observed, expected float64 }

// test sums over the bins. A remainder too small for a bin joins the last bin.
func test(bins []bin, open bin) ChiSquare {
	if open.expected >= binExpectedMin {
		bins = append(bins, open)
	} else if len(bins) > 0 {
		bins[len(bins)-1].observed += open.observed
		bins[len(bins)-1].expected += open.expected
	}
	result := ChiSquare{Freedom: len(bins) - 1, P: 1}
	if result.Freedom < 1 {
		return ChiSquare{P: 1}
	}
	for _, b := range bins {
		result.Statistic += float64((b.observed - b.expected) * (b.observed - b.expected) / b.expected)
	}
	result.P = mathext.GammaIncRegComp(float64(result.Freedom)/2, result.Statistic/2)
	return result
}
