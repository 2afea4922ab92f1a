package scatter_test

import (
	"flag"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric/crossbar/scatter"
	"starloom/fabric/crossbar/scatter/scattertest"
)

var full = flag.Bool("full", false, "run the long tests")

// TestSyncRunsFollowTheLaw compares the completion times of runs with the law, by Pearson's
// test; runs of a wrong n must fail it.
func TestSyncRunsFollowTheLaw(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{2, 3, 4, 16, 128} {
		observed := make([]uint64, 100)
		for range 20_000 {
			observed[len(scattertest.Sync(n, random))-1]++
		}
		result := scatter.Pearson(observed, scatter.NewChain(n).Completion())
		require.Greater(t, result.P, 1e-3, "n = %d: %+v", n, result)
		wrong := scatter.Pearson(observed, scatter.NewChain(n+n/8+1).Completion())
		require.Less(t, wrong.P, 1e-9, "n = %d: %+v", n, wrong)
	}
}

// TestMeans compares mean completion times with the specification's, within 4 standard
// errors of both.
func TestMeans(t *testing.T) {
	const sync = scattertest.Order(-1)
	for _, c := range []struct {
		n        int
		order    scattertest.Order
		mean, sd float64 // sd 0: not known
		se       float64
		long     bool
	}{
		{128, sync, 12.931, 1.329, 0.001, false}, {128, scattertest.Random, 10.269, 1.354, 0.001, false},
		{128, scattertest.Fixed, 10.271, 1.355, 0.001, false}, {128, scattertest.Poisson, 10.766, 1.820, 0.001, false},
		{1024, sync, 18.099, 1.324, 0.003, true}, {1024, scattertest.Random, 14.500, 1.342, 0.003, true},
		{1024, scattertest.Fixed, 14.502, 1.345, 0.003, true}, {1024, scattertest.Poisson, 15.005, 1.820, 0.003, true},
		{16384, sync, 24.87, 0, 0.025, true}, {16384, scattertest.Random, 20.10, 0, 0.025, true},
		{16384, scattertest.Fixed, 20.10, 0, 0.025, true}, {16384, scattertest.Poisson, 20.58, 0, 0.033, true},
	} {
		if c.long && !*full {
			continue
		}
		random := rand.New(rand.NewPCG(2, uint64(c.n)))
		runs := 1_500_000 / c.n
		if *full {
			runs = 8_000_000 / c.n
		}
		sum, squares := 0.0, 0.0
		for range runs {
			var time float64
			if c.order == sync {
				time = float64(len(scattertest.Sync(c.n, random)) - 1)
			} else {
				time = scattertest.Async(c.n, c.order, random)
			}
			sum += time
			squares += time * time
		}
		mean := sum / float64(runs)
		sd := math.Sqrt(squares/float64(runs) - mean*mean)
		require.InDelta(t, c.mean, mean, 4*math.Hypot(sd/math.Sqrt(float64(runs)), c.se), "%+v", c)
		if c.sd > 0 {
			require.InDelta(t, c.sd, sd, 0.05*c.sd, "%+v", c)
		}
	}
}

// TestAsyncTimeIsOptimistic: fewer than 1-a of the runs are done by the mean field's time.
func TestAsyncTimeIsOptimistic(t *testing.T) {
	if !*full {
		t.Skip("60,000 runs of 1024 nodes: -full")
	}
	const n, runs = 1024, 20_000
	for order, want := range map[scattertest.Order][2]float64{
		scattertest.Random: {0.895, 0.989}, scattertest.Fixed: {0.889, 0.989}, scattertest.Poisson: {0.769, 0.954},
	} {
		random := rand.New(rand.NewPCG(3, uint64(order)))
		done := [2]int{}
		for range runs {
			time := scattertest.Async(n, order, random)
			for i, a := range []float64{0.1, 0.01} {
				if time <= scatter.AsyncTime(n, a) {
					done[i]++
				}
			}
		}
		for i, part := range want {
			require.InDelta(t, part, float64(done[i])/runs, 4*math.Sqrt(part*(1-part)/runs)+0.002, "order %d", order)
		}
	}
}

// TestChiSquare compares with values of tables: the 5 % points of 1, 2 and 10 degrees.
func TestChiSquare(t *testing.T) {
	for _, c := range []struct {
		freedom   int
		statistic float64
	}{{1, 3.841}, {2, 5.991}, {10, 18.307}} {
		// All bins expect 100,000; the first two are off by as much as makes the statistic.
		off := math.Sqrt(c.statistic * 100_000 / 2)
		probabilities := make([]float64, c.freedom+1)
		observed := make([]uint64, c.freedom+1)
		for i := range observed {
			probabilities[i], observed[i] = 1/float64(c.freedom+1), 100_000
		}
		observed[0] += uint64(math.Round(off))
		observed[1] -= uint64(math.Round(off))
		result := scatter.Pearson(observed, probabilities)
		require.Equal(t, c.freedom, result.Freedom)
		require.InDelta(t, 0.05, result.P, 0.002)
		require.InDelta(t, c.statistic, result.Statistic, 0.1)
	}
	require.Equal(t, 1.0, scatter.Pearson([]uint64{0, 3}, []float64{0, 1}).P, "one bin, fewer than 5")
	require.Equal(t, 1.0, scatter.Pearson([]uint64{0, 100}, []float64{0, 1}).P, "one bin")
	tail := scatter.Pearson([]uint64{50, 25, 13, 12}, []float64{0.5, 0.25})
	require.Equal(t, scatter.ChiSquare{Statistic: 0, Freedom: 2, P: 1}, tail)
	require.Less(t, scatter.Pearson([]uint64{50, 50, 20}, []float64{0.5, 0.5}).P, 1.0)
}
