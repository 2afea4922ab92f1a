package meter

import (
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric/outcome"
	"starloom/fabric/pops"
)

// TestSpread checks that percentiles are exact where each number has a bucket, and close above.
func TestSpread(t *testing.T) {
	for _, cycles := range []uint64{0, 1, 4095, 4096, 4097, 8191, 8192, 123456, 1<<32 - 1} {
		top := bucketTop(bucketOf(cycles))
		require.GreaterOrEqual(t, top, cycles)
		require.LessOrEqual(t, top-cycles, cycles/2048)
		require.Equal(t, bucketOf(cycles)+1, bucketOf(top+1))
	}
	var d, other Spread
	for k := range 100 {
		d.Add(uint64(k+1), k, 3)
	}
	other.Add(100, 5, 3)
	other.Add(100, 4, 4)
	d.merge(&other)
	r := d.report((&pops.Network{Groups: 16, GroupSize: 16}).Names())
	require.Equal(t, outcome.HandlerCycles{
		Calls: 102, Max: 100, Mean: 5250.0 / 102, P50: 51, P90: 92, P99: 100, P100: 100,
		Worst: &outcome.WorstCall{Processor: 5, Path: "pops.group[0].nic[5]", Slot: 3},
		Histogram: []outcome.CyclesBin{
			{UpTo: 1, Calls: 1}, {UpTo: 3, Calls: 2}, {UpTo: 7, Calls: 4}, {UpTo: 15, Calls: 8},
			{UpTo: 31, Calls: 16}, {UpTo: 63, Calls: 32}, {UpTo: 127, Calls: 39},
		},
	}, *r)
}
