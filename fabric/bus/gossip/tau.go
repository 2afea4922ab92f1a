package gossip

import (
	"math"
	"math/big"

	"starloom/traces/rounded"
)

// tauBits is the precision of Tau, 77 digits, beyond the l bits that separate it from 2.
const tauBits = 256

// Tau returns the root in (1,2) of x^l = x^(l-1) + ... + x + 1 (Definition 3): the factor by which the known columns
// grow per step of phase 2. The root is slightly less than 2 - 2^-l; the difference from 2 is correct to 70 digits.
func Tau(l int) *big.Float {
	// Multiplied by x-1, the polynomial is x^(l+1) - 2x^l + 1, and Tau is its largest root below 2. The polynomial is
	// convex from this root to 2, so Newton's method descends from 2 to the root.
	precision := uint(tauBits + l)
	number := func(value int) *big.Float { return new(big.Float).SetPrec(precision).SetInt64(int64(value)) }
	x := number(2)
	for {
		power := pow(x, l-1) // f = x^(l-1) (x^2 - 2x) + 1, f' = x^(l-1) ((l+1)x - 2l)
		f := number(0).Sub(x, number(2))
		f.Mul(f, x).Mul(f, power).Add(f, number(1))
		slope := number(0).Mul(number(l+1), x)
		slope.Sub(slope, number(2*l)).Mul(slope, power)
		fallen := number(0).Sub(x, f.Quo(f, slope))
		if fallen.Cmp(x) >= 0 {
			return x
		}
		x = fallen
	}
}

func pow(x *big.Float, e int) *big.Float {
	result, square := new(big.Float).SetPrec(x.Prec()).SetInt64(1), new(big.Float).Set(x)
	for ; e > 0; e /= 2 {
		if e%2 == 1 {
			result.Mul(result, square)
		}
		square.Mul(square, square)
	}
	return result
}

// CeilLogTau returns ceil(log_tau q), the least e with tau^e >= q.
func CeilLogTau(l, q int) int {
	e, tau, columns := 0, Tau(l), new(big.Float).SetInt64(int64(q))
	for power := new(big.Float).SetPrec(tau.Prec()).SetInt64(1); power.Cmp(columns) < 0; e++ {
		power.Mul(power, tau)
	}
	return e
}

// Constant returns c of M(t) = c tau^t + o(1): tau (1 - tau^-l) / (2 - (l+1) tau^-l) (footnote 5).
func Constant(l int) float64 {
	tau, _ := Tau(l).Float64()
	shrunk := rounded.Pow(tau, -float64(l))
	return tau * (1 - shrunk) / (2 - float64(float64(l+1)*shrunk))
}

// Coefficient returns the coefficient of log2 n in the length of TwoPhase, 1/log2(tau) (Table 2).
func Coefficient(l int) float64 {
	tau, _ := Tau(l).Float64()
	return 1 / rounded.Log2(tau)
}

// NaiveCoefficient returns the coefficient of log2 n in the length of Naive, 1 + 1/log2(l) (Table 2).
func NaiveCoefficient(l int) float64 { return 1 + 1/rounded.Log2(float64(l)) }

// Excess returns Coefficient - 1, computed without cancellation: -log2(tau/2) / log2(tau).
func Excess(l int) float64 {
	tau := Tau(l)
	missing := new(big.Float).SetPrec(tau.Prec()).SetInt64(2)
	missing.Sub(missing, tau) // 2 - tau
	short, _ := missing.Float64()
	log := rounded.Log1p(-short/2) / math.Ln2 // log2(tau/2)
	return -log / (1 + log)
}

// ExcessLimit returns the limit of Excess(l) for long buses: log2(e)/2^(l+1). The paper states log2(e)/2^l (section
// 2.3), which is twice as much.
func ExcessLimit(l int) float64 { return math.Ldexp(math.Log2E, -(l + 1)) }
