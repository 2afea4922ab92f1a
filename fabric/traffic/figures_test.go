package traffic

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric"
)

// TestSummary compares summaries with sorted lists.
func TestSummary(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var list []uint64
		var d distribution
		for range 1 + random.IntN(2500) {
			value := uint32(random.ExpFloat64() * 20)
			list = append(list, uint64(value))
			d.add(value)
		}
		slices.Sort(list)
		s := d.values(func(value uint32) uint64 { return uint64(value) }).summary()
		for i, per := range []int{500, 950, 990, 999} {
			rank := (len(list)*per + 999) / 1000 // nearest rank: the least with so many values at or below it
			require.Equal(t, list[rank-1], s.quantiles[i])
		}
		require.Equal(t, list[len(list)-1], s.max)
		sum := uint64(0)
		for _, value := range list {
			sum += value
		}
		require.InDelta(t, float64(sum)/float64(len(list)), s.mean, 1e-9)
	}
	one := Histogram{{3, 1}}.summary()
	require.Equal(t, summary{mean: 3, quantiles: [4]uint64{3, 3, 3, 3}, max: 3}, one)
	require.InDelta(t, 1, Histogram{{1, 1}, {2, 1}, {3, 1}}.summary().sd, 1e-12)
}

// TestPool: the quantiles of two runs together are not the means of theirs.
func TestPool(t *testing.T) {
	a, b := Histogram{{1, 90}, {5, 10}}, Histogram{{1, 10}, {2, 1}}
	all := b.Pool(a.Pool(nil)).(Histogram)
	require.Equal(t, Histogram{{1, 100}, {2, 1}, {5, 10}}, all)
	require.Equal(t, fabric.Metrics{{Name: "latency.pooled.p50", Value: uint64(1)}, {Name: "latency.pooled.p95", Value: uint64(5)},
		{Name: "latency.pooled.p99", Value: uint64(5)}, {Name: "latency.pooled.p999", Value: uint64(5)}}, all.Figures("latency.histogram"))
}

// TestHistogramLines: bins of powers of two hold all values.
func TestHistogramLines(t *testing.T) {
	require.Equal(t, []string{"       4 to 7         75.00 %  ########################################", "       8 to 15         0.00 %", "      16 to 31        25.00 %  ##############"},
		Histogram{{5, 1}, {7, 2}, {16, 1}}.Lines())
	require.Empty(t, Histogram{}.Lines())
}
