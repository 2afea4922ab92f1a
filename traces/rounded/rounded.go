// Package rounded provides elementary functions with identical bits on all architectures.
//
// Package math does not guarantee identical bits: some functions are in assembly, and the compiler may fuse a product
// and a sum, which rounds once instead of twice. The functions of this package compute with more digits than a
// float64, in integers, and round once at the end. They take several microseconds, so they are suitable for figures
// of reports, not for inner loops.
package rounded

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

const (
	precision = 160             // bits of all steps
	terms     = precision/5 + 1 // number of terms of the series of log; exp needs half as many
	halvings  = 8
	tiny      = 1. / (1 << 60) // for smaller x, exp(x)-1 and log(1+x) round to x
)

// ln2 has more digits than precision needs.
const ln2 = "0.693147180559945309417232121458176568075500134360255254120680" +
	"00949339362196969471560586332699641868754200148102057"

func from(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }

func zero() *big.Float { return new(big.Float).SetPrec(precision) }

func logOf2() *big.Float {
	x, _, err := big.ParseFloat(ln2, 10, precision, big.ToNearestEven)
	if err != nil {
		panic("rounded: the logarithm of 2: " + err.Error())
	}
	return x
}

func round(x *big.Float) float64 {
	value, _ := x.Float64()
	return value
}

// Exp returns e^x.
func Exp(x float64) float64 {
	if special(x) || math.Abs(x) > 1000 {
		return math.Exp(x) // NaN, 0 or infinity
	}
	return round(exp(from(x)))
}

// Expm1 returns e^x-1, accurate for small x.
func Expm1(x float64) float64 {
	switch {
	case special(x) || x > 1000:
		return math.Expm1(x)
	case math.Abs(x) < tiny:
		return x
	}
	return round(zero().Sub(exp(from(max(x, -1000))), from(1)))
}

// Log returns the natural logarithm of x.
func Log(x float64) float64 {
	if special(x) || x <= 0 {
		return math.Log(x)
	}
	return round(log(from(x)))
}

// Log1p returns the natural logarithm of 1+x, accurate for small x.
func Log1p(x float64) float64 {
	switch {
	case special(x) || x <= -1:
		return math.Log1p(x)
	case math.Abs(x) < tiny:
		return x
	}
	return round(log(zero().Add(from(1), from(x))))
}

// Log2 returns the logarithm of x to the base 2, exact for powers of 2.
func Log2(x float64) float64 {
	if special(x) || x <= 0 {
		return math.Log2(x)
	}
	return round(zero().Quo(log(from(x)), logOf2()))
}

// Pow returns x^y for finite, positive x, if the result is not subnormal.
func Pow(x, y float64) float64 {
	exponent := zero().Mul(from(y), log(from(x)))
	switch limit := from(700); {
	case exponent.Cmp(limit) > 0:
		return math.Inf(1)
	case exponent.Cmp(limit.Neg(limit)) < 0:
		return 0
	}
	return round(exp(exponent))
}

func special(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }

// exp subtracts a multiple of log 2, halves the rest until a short series suffices, and squares the sum.
func exp(x *big.Float) *big.Float {
	quotient, _ := zero().Quo(x, logOf2()).Float64()
	power := math.RoundToEven(quotient)
	rest := zero().Sub(x, zero().Mul(from(power), logOf2()))
	rest.SetMantExp(rest, -halvings)
	sum, term := from(1), from(1)
	for k := 1; k <= terms/2; k++ {
		term.Quo(term.Mul(term, rest), from(float64(k)))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum.SetMantExp(sum, int(power))
}

// log sums the series of the inverse hyperbolic tangent for a mantissa near 1 and adds the exponent times log 2.
func log(x *big.Float) *big.Float {
	mantissa := zero()
	power := x.MantExp(mantissa) // at least 1/2, below 1
	if mantissa.Cmp(from(math.Sqrt2/2)) < 0 {
		mantissa.SetMantExp(mantissa, 1)
		power--
	}
	z := zero().Quo(zero().Sub(mantissa, from(1)), zero().Add(mantissa, from(1)))
	square, sum, odd := zero().Mul(z, z), zero(), zero().Set(z)
	for k := range terms {
		sum.Add(sum, zero().Quo(odd, from(float64(2*k+1))))
		odd.Mul(odd, square)
	}
	sum.SetMantExp(sum, 1)
	return sum.Add(sum, zero().Mul(from(float64(power)), logOf2()))
}

// PlusMinus formats a mean and the half-width of its interval, both with the decimals of two significant digits of
// the interval: "23.02 ± 0.21".
func PlusMinus(mean, half float64) string {
	if half == 0 || special(half) || special(mean) {
		return strconv.FormatFloat(mean, 'g', 6, 64) + " \u00b1 " + strconv.FormatFloat(half, 'g', 6, 64)
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(half, 'e', 1, 64), "e")
	power, _ := strconv.Atoi(exponent) // of the first digit; FormatFloat wrote it
	decimals := 1 - power
	if decimals >= 0 {
		return strconv.FormatFloat(mean, 'f', decimals, 64) + " \u00b1 " + strconv.FormatFloat(half, 'f', decimals, 64)
	}
	unit := math.Pow10(-decimals)
	digits := strings.Replace(mantissa, ".", "", 1) + strings.Repeat("0", -decimals)
	return strconv.FormatFloat(float64(math.Round(mean/unit)*unit)+0, 'f', 0, 64) + " \u00b1 " + digits
}

// Z95 is the half-width of the 95 % confidence interval of a mean, in standard errors (normal distribution).
const Z95 = 1.959963984540054

// Wilson returns the 95 % confidence interval of a probability, given the number of successes in runs trials; runs is
// at least 1 (E. B. Wilson, "Probable Inference", 1927). The interval is also accurate near 0 and 1.
func Wilson(successes, runs uint64) (low, high float64) {
	n, p := float64(runs), float64(successes)/float64(runs)
	z2 := float64(Z95 * Z95)
	middle := float64(p + float64(z2/float64(2*n)))
	half := float64(Z95 * math.Sqrt(float64(float64(p*(1-p))/n)+float64(z2/float64(4*float64(n*n)))))
	scale := 1 + float64(z2/n)
	low, high = (middle-half)/scale, (middle+half)/scale
	switch successes { // rounding might miss 0 and 1
	case 0:
		low = 0
	case runs:
		high = 1
	}
	return low, high
}
