package gossip_test

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric/bus/gossip"
)

// TestGoldenLengths: lengths and bounds of the reference for all sizes by formula, the lengths of
// small ones by their schedules, too.
func TestGoldenLengths(t *testing.T) {
	for _, record := range golden(t, "T") {
		row := numbers(t, record)
		n, l := row[0], row[1]
		require.Equal(t, row[2:], []int{n / l, n % l, gossip.Length(n, l), gossip.UpperBound(n, l),
			gossip.LowerBound(n)}, record)
		if n <= 10_000 {
			require.Len(t, gossip.TwoPhase(n, l), row[4], record)
		}
	}
}

// TestTable1 checks the knowledge of lines of length 4.
func TestTable1(t *testing.T) {
	for line, record := range golden(t, "table_1") {
		for time, amount := range numbers(t, record[1:]) {
			require.Equal(t, amount, gossip.Amounts(4, time)[line], "F_%d(%d)", line, time)
		}
	}
}

// TestTable2: the paper's digits are rounded or cut.
func TestTable2(t *testing.T) {
	for _, record := range golden(t, "table_2") {
		l := numbers(t, record[:1])[0]
		tau, _ := gossip.Tau(l).Float64()
		for column, value := range []float64{tau, gossip.Coefficient(l), gossip.NaiveCoefficient(l)} {
			require.InDelta(t, figure(t, record[column+1]), value, 1e-9, "l = %d, column %d", l, column)
		}
	}
	require.InDelta(t, 1.440420090, gossip.Coefficient(2), 1e-9)
}

// TestTau: tau solves its equation to 40 digits, and a slightly smaller value does not exceed it.
func TestTau(t *testing.T) {
	for _, l := range []int{2, 3, 4, 5, 8, 16, 64, 400} {
		tau := gossip.Tau(l)
		value := func(x *big.Float) *big.Float { // x^l - x^(l-1) - ... - 1, by Horner
			sum := new(big.Float).SetPrec(x.Prec()).SetInt64(1)
			for range l {
				sum.Mul(sum, x)
				sum.Sub(sum, big.NewFloat(1))
			}
			return sum
		}
		for _, side := range []int{-1, 1} {
			// Near 2 the slope is about 2^l.
			x := new(big.Float).SetMantExp(new(big.Float).SetPrec(tau.Prec()).SetInt64(int64(side)), -l-140)
			require.Equal(t, side, value(x.Add(x, tau)).Sign(), "l = %d", l)
		}
	}
	golden, _ := gossip.Tau(2).Float64()
	require.Equal(t, math.Phi, golden)
}

// TestCeilLogTau: the Lucas numbers tau^e + (-1/tau)^e lie so close to the powers of tau = 1.618...
// that only enough digits tell them apart, and powers of two to those of a tau near 2.
func TestCeilLogTau(t *testing.T) {
	before, lucas := 1, 3 // of e = 1 and 2
	for e := 2; e < 80; e++ {
		want := e
		if e%2 == 0 { // it is above the power
			want++
		}
		require.Equal(t, want, gossip.CeilLogTau(2, lucas), "e = %d", e)
		before, lucas = lucas, before+lucas
	}
	for _, l := range []int{60, 100, 300} {
		require.Equal(t, 11, gossip.CeilLogTau(l, 1024))
		require.Equal(t, 10, gossip.CeilLogTau(l, 1023))
	}
	require.Equal(t, 0, gossip.CeilLogTau(2, 1))
}

// TestAmounts: the most is M(t) and the least M(t-1); sorted, F follows the paper's recursion; all of
// it grows as c tau^t.
func TestAmounts(t *testing.T) {
	for l := 2; l <= 16; l++ {
		var sorted []int
		for time := range 40 {
			amounts := gossip.Amounts(l, time)
			require.Equal(t, gossip.Most(l, time), slices.Max(amounts), "l = %d, t = %d", l, time)
			if time > 0 {
				require.Equal(t, gossip.Most(l, time-1), slices.Min(amounts), "l = %d, t = %d", l, time)
				recursion := make([]int, l)
				for i := range recursion {
					recursion[i] = sorted[0]
					if i+1 < l {
						recursion[i] += sorted[i+1]
					}
				}
				sorted = recursion
			} else {
				sorted = slices.Clone(amounts)
			}
			slices.Sort(amounts)
			slices.Reverse(amounts)
			require.Equal(t, sorted, amounts, "l = %d, t = %d", l, time)
		}
		tau, _ := gossip.Tau(l).Float64()
		require.InEpsilon(t, gossip.Constant(l)*math.Pow(tau, 39), float64(gossip.Most(l, 39)), 1e-4, "l = %d", l)
	}
	for l, c := range map[int]float64{2: 1.170820, 3: 1.137452, 4: 1.091661, 8: 1.012131} {
		require.InDelta(t, c, gossip.Constant(l), 5e-7, "l = %d", l)
	}
}

// TestGeneratingFunction: M(t) are the coefficients of (1-z^l) / (1-2z+z^(l+1)) (footnote 5).
func TestGeneratingFunction(t *testing.T) {
	for l := 2; l <= 16; l++ {
		var series []int
		for time := range 40 {
			value := 0
			if time == 0 {
				value = 1
			} else {
				value = 2 * series[time-1]
			}
			if time == l {
				value--
			}
			if time > l {
				value -= series[time-l-1]
			}
			series = append(series, value)
			require.Equal(t, value, gossip.Most(l, time), "l = %d, t = %d", l, time)
		}
	}
}

// TestExcess: the coefficient approaches 1 by log2(e)/2^(l+1), half of the published value.
func TestExcess(t *testing.T) {
	for l := 2; l <= 300; l++ {
		if l < 12 {
			require.InDelta(t, gossip.Coefficient(l)-1, gossip.Excess(l), 1e-12)
		}
		if l > 20 {
			require.InEpsilon(t, gossip.ExcessLimit(l), gossip.Excess(l), 1e-4, "l = %d", l)
		}
	}
}

// TestOptimum: no algorithm is shorter than the shortest gossips of the reference; the published
// one does not always reach them.
func TestOptimum(t *testing.T) {
	require.Equal(t, 0, gossip.Optimum(1, 2))
	for _, record := range golden(t, "g_exact") {
		row := numbers(t, record)
		n, l := row[0], row[1]
		optimum := gossip.Optimum(n, l)
		require.Equal(t, row[2], optimum, record)
		require.LessOrEqual(t, gossip.LowerBound(n), optimum)
		for _, length := range []int{gossip.Length(n, l), gossip.ImprovedLength(n, l), gossip.NaiveLength(n, l)} {
			require.LessOrEqual(t, optimum, length, fmt.Sprint(record))
		}
	}
}
