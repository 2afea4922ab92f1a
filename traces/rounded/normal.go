package rounded

import "math"

// Z95 is the quantile of the normal distribution for a confidence of 95 %: a mean is known to this many standard errors.
const Z95 = 1.959963984540054

// Wilson is the interval of a probability after successes of so many runs, 1 or more, with a confidence of 95 %
// (E. B. Wilson, "Probable Inference", 1927): it is right near 0 and 1, too.
func Wilson(successes, runs uint64) (low, high float64) {
	n, p := float64(runs), float64(successes)/float64(runs)
	z2 := float64(Z95 * Z95)
	middle := float64(p + float64(z2/float64(2*n)))
	half := float64(Z95 * math.Sqrt(float64(float64(p*(1-p))/n)+float64(z2/float64(4*float64(n*n)))))
	scale := 1 + float64(z2/n)
	low, high = (middle-half)/scale, (middle+half)/scale
	switch successes { // where rounding might miss the end
	case 0:
		low = 0
	case runs:
		high = 1
	}
	return low, high
}
