package scatter_test

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric/crossbar/scatter"
	"starloom/fabric/studytest"
)

// golden reads testdata/scatter_<name>.csv.
func golden(t testing.TB, name string) [][]string {
	return studytest.Records(t, "testdata/scatter_"+name+".csv")
}

func number(t testing.TB, text string) float64 {
	value, err := strconv.ParseFloat(text, 64)
	require.NoError(t, err)
	return value
}

// nodes are the sizes in the header of a table of p(j,n).
func nodes(t testing.TB, header []string) []int {
	var sizes []int
	for _, name := range header[1:] {
		sizes = append(sizes, int(number(t, strings.TrimPrefix(name, "n="))))
	}
	return sizes
}

// TestExactLaw compares p(j,n) by all three routes with the exact values, to n = 128 and j = 30.
func TestExactLaw(t *testing.T) {
	records := golden(t, "p_jn_full")
	for column, n := range nodes(t, records[0]) {
		units := len(records) - 2
		done, exact, published := scatter.NewChain(n).Done(units), scatter.ExactDone(n, units),
			scatter.PublishedDone(n, units)
		for j, record := range records[1:] {
			want := record[column+1]
			require.Equal(t, want, exact[j].FloatString(10), "p(%d,%d)", j, n)
			require.Zero(t, exact[j].Cmp(published[j]), "p(%d,%d)", j, n)
			value, _ := exact[j].Float64()
			require.InDelta(t, value, done[j], 1e-12, "p(%d,%d)", j, n)
		}
	}
}

// TestTable1 compares the published four digits: 64 rounded, 13 cut, 5 low by up to 1.3e-4.
func TestTable1(t *testing.T) {
	records := golden(t, "table_1")
	figures, rounded, low := 0, 0, 0
	for column, n := range nodes(t, records[0]) {
		done := scatter.NewChain(n).Done(30)
		for _, record := range records[1:] {
			if record[column+1] == "" {
				continue
			}
			j := int(number(t, record[0]))
			published := number(t, record[column+1])
			figures++
			require.InDelta(t, published, done[j], 1.5e-4, "p(%d,%d)", j, n)
			if strconv.FormatFloat(done[j], 'f', 4, 64) == strconv.FormatFloat(published, 'f', 4, 64) {
				rounded++
			} else if done[j]-published > 1e-4 {
				low++
				require.Equal(t, 128, n)
			}
		}
	}
	require.Equal(t, [3]int{82, 64, 5}, [3]int{figures, rounded, low})
}

func TestKnownValues(t *testing.T) {
	require.Equal(t, "2/9", scatter.ExactDone(4, 2)[2].String())
	require.Equal(t, "1/1", scatter.ExactDone(2, 1)[1].String())
	require.Equal(t, "0/1", scatter.ExactDone(2, 1)[0].String())
	require.Equal(t, []float64{0, 1, 1}, scatter.NewChain(2).Done(2))
	require.Equal(t, []float64{0, 1}, scatter.NewChain(2).Completion())
	for n := 3; n <= 64; n++ { // the first message always colours
		require.Equal(t, 2.0, scatter.NewChain(n).Coloured(1)[1])
	}
	done := scatter.NewChain(64).Done(5)
	require.Zero(t, done[5], "2^5 nodes at most")
}

// TestQ compares (2.1) with counts of all draws, and with its conventions.
func TestQ(t *testing.T) {
	require.Equal(t, "1/1", scatter.Q(0, 0).String())
	require.Equal(t, "0/1", scatter.Q(0, 3).String())
	require.Equal(t, "1/1", scatter.Q(1, 5).String())
	require.Equal(t, "0/1", scatter.Q(3, 2).String())
	for m := 1; m <= 4; m++ {
		for h := 1; h <= 6; h++ {
			hits, all := 0, 1
			for range h {
				all *= m
			}
			for draw := range all {
				seen := 0
				for range h {
					seen |= 1 << (draw % m)
					draw /= m
				}
				if seen == 1<<m-1 {
					hits++
				}
			}
			require.Zero(t, scatter.Q(m, h).Cmp(big.NewRat(int64(hits), int64(all))), "Q(%d,%d)", m, h)
		}
	}
}

// TestR: over all sets that can be coloured, the probabilities add up to 1.
func TestR(t *testing.T) {
	for n := 2; n <= 12; n++ {
		for k := 1; k <= n; k++ {
			sum := new(big.Rat)
			for m := 0; m <= min(k, n-k); m++ {
				sets := new(big.Rat).SetInt(new(big.Int).Binomial(int64(n-k), int64(m)))
				sum.Add(sum, sets.Mul(sets, scatter.R(n, m, k)))
			}
			require.Equal(t, "1/1", sum.String(), "n = %d, k = %d", n, k)
		}
	}
}

// TestCompletion compares mean and deviation with 10^6 runs (section 5 of the
// specification), and the distribution with p(j,n).
func TestCompletion(t *testing.T) {
	for _, c := range []struct {
		n                   int
		mean, sd, tolerance float64
	}{{128, 12.931, 1.329, 0.004}, {1024, 18.099, 1.324, 0.012}} {
		chain := scatter.NewChain(c.n)
		completion := chain.Completion()
		mean, sd := scatter.Moments(completion)
		require.InDelta(t, c.mean, mean, c.tolerance)
		require.InDelta(t, c.sd, sd, c.tolerance)
		require.InDelta(t, math.Log2(float64(c.n))+math.Log(float64(c.n))+1.2, mean, 0.13, "a fit to measurements")
		sum := 0.0
		for j, done := range chain.Done(len(completion) - 1) {
			sum += completion[j]
			require.InDelta(t, done, sum, 1e-12)
		}
	}
}

// TestExpectedTime: by then 1-a of the runs are done (Lemma 3), and the mean field is
// slower than the law for n <= 128.
func TestExpectedTime(t *testing.T) {
	for n := 4; n <= 128; n *= 2 {
		chain := scatter.NewChain(n)
		done, coloured := chain.Done(60), chain.Coloured(60)
		for _, a := range []float64{0.9, 0.5, 0.1, 0.01, 0.001} {
			T := chain.ExpectedTime(a)
			require.GreaterOrEqual(t, coloured[T], float64(n)-a)
			require.Less(t, coloured[T-1], float64(n)-a)
			require.GreaterOrEqual(t, done[T], 1-a)
			field, _ := scatter.SyncTime(n, a)
			require.LessOrEqual(t, T, field)
		}
	}
}

func TestMeanField(t *testing.T) {
	for _, record := range golden(t, "meanfield_T")[1:] {
		n, a := int(number(t, record[0])), number(t, record[1])
		units, real := scatter.SyncTime(n, a)
		require.Equal(t, int(number(t, record[2])), units, record)
		require.InDelta(t, number(t, record[3]), real, 6e-7, record)
		require.InDelta(t, number(t, record[4]), scatter.AsyncTime(n, a), 6e-7, record)
	}
	for n := 1 << 16; n <= 1<<28; n *= 2 {
		for _, a := range []float64{1, 0.1, 0.01} {
			_, real := scatter.SyncTime(n, a)
			_, twice := scatter.SyncTime(2*n, a)
			require.InDelta(t, scatter.SyncPerDoubling, twice-real, 2e-4)
			require.InDelta(t, scatter.AsyncPerDoubling, scatter.AsyncTime(2*n, a)-scatter.AsyncTime(n, a), 2e-4)
		}
	}
	field := scatter.NewField(1 << 40)
	for range 80 {
		require.InDelta(t, 1, field.P+field.Q, 1e-12)
		field = field.Next()
	}
	require.Greater(t, field.Q, 0.0, "what is left stays exact when 1-p is nothing")
	time := scatter.AsyncTime(1024, 0.1)
	require.InDelta(t, 1024-0.1, 1024*scatter.AsyncColoured(1024, time), 1e-9)
	require.InDelta(t, 1.0/1024, scatter.AsyncColoured(1024, 0), 1e-15)
	for _, a := range []float64{0, -1, 1023} {
		require.Panics(t, func() { scatter.SyncTime(1024, a) })
		require.Panics(t, func() { scatter.AsyncTime(1024, a) })
	}
}

func TestCosts(t *testing.T) {
	const n = 1024 // log2 n = 10
	require.Equal(t, 1024.0*1024, scatter.BroadcastCost(n))
	require.Equal(t, 1024.0*1024, scatter.RingCost(n))
	require.InDelta(t, 75*n, scatter.TrivalentCost(n, scatter.CubeConnectedCyclesDiameter), 1e-6)
	require.InDelta(t, 45*n, scatter.TrivalentCost(n, scatter.DenseTrivalentDiameter), 1e-6)
	require.InDelta(t, 33*n, scatter.TrivalentCost(n, scatter.BestTrivalentDiameter), 1e-6)
	require.Equal(t, 18.0*n, scatter.ScatterCost(n, 18))
	require.InDelta(t, 1.693, scatter.SyncPerDoubling, 5e-4)
	require.InDelta(t, 1.386, scatter.AsyncPerDoubling, 5e-4)
}
