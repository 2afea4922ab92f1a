package rounded

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAgainstMath: all functions are close to those of package math,
// whose errors are a few units in the last place.
func TestAgainstMath(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		x := math.Ldexp(random.Float64()+0.5, random.IntN(20)-14)
		for name, pair := range map[string][2]float64{
			"exp": {Exp(x), math.Exp(x)}, "exp -": {Exp(-x), math.Exp(-x)}, "expm1": {Expm1(x), math.Expm1(x)}, "expm1 -": {Expm1(-x), math.Expm1(-x)},
			"log": {Log(x), math.Log(x)}, "log1p": {Log1p(x), math.Log1p(x)}, "log1p -": {Log1p(-x / 64), math.Log1p(-x / 64)},
			"pow": {Pow(x, 1.5), math.Pow(x, 1.5)}, "pow -": {Pow(x, -3), math.Pow(x, -3)},
		} {
			require.InEpsilon(t, pair[1], pair[0], 1e-15, "%s %v", name, x)
		}
		require.InDelta(t, math.Log2(x), Log2(x), 1e-14, "log2 %v", x)
	}
}

// TestKnownValues: exact results are exact, others are the nearest to published values.
func TestKnownValues(t *testing.T) {
	for _, c := range [][2]float64{
		{Exp(0), 1}, {Exp(1), math.E}, {Exp(-1e9), 0}, {Exp(1e9), math.Inf(1)}, {Expm1(1e-30), 1e-30}, {Expm1(-1e9), -1},
		{Expm1(1e-5), 1.0000050000166668e-05},
		{Log(1), 0}, {Log(2), math.Ln2}, {Log(10), math.Ln10}, {Log(0), math.Inf(-1)},
		{Log1p(1e-30), 1e-30}, {Log1p(1), math.Ln2},
		{Log2(1 << 40), 40}, {Log2(0.125), -3},
		{Log2(math.E), math.Log2E}, {Pow(10, 3), 1000}, {Pow(10, -2), 0.01}, {Pow(2, -40), 0x1p-40}, {Pow(1.5, 3), 3.375},
		{Pow(10, 400), math.Inf(1)}, {Pow(10, -400), 0},
	} {
		require.Equal(t, c[1], c[0])
	}
	require.True(t, math.IsNaN(Log(-1)))
	require.True(t, math.IsNaN(Exp(math.NaN())))
}

func BenchmarkExp(b *testing.B) {
	for b.Loop() {
		Exp(-0.7)
	}
}

// TestPlusMinus: a mean and its interval have the two significant digits of the interval.
func TestPlusMinus(t *testing.T) {
	for _, c := range []struct {
		mean, half float64
		want       string
	}{
		{23.0213, 0.2113, "23.02 ± 0.21"}, {864.946, 22.5973, "865 ± 23"}, {5004.4, 228.74, "5000 ± 230"}, {0.051125, 0.0012848, "0.0511 ± 0.0013"},
		{1500, 0, "1500 ± 0"}, {0.667, 0.0996, "0.67 ± 0.10"}, {12, 3.94997, "12.0 ± 3.9"}, {-3.5, 12345, "0 ± 12000"},
	} {
		require.Equal(t, c.want, PlusMinus(c.mean, c.half))
	}
}
