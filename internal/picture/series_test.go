package picture

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSeries: however long a run is, there are at most columnsMax columns, as wide as each other, and no count is lost.
func TestSeries(t *testing.T) {
	const rows = 3
	s := newSeries(rows)
	want := [rows]uint64{}
	for slot := uint32(0); slot < 100_000; slot += 1 + slot/7 {
		row := int(slot % rows)
		s.add(slot, row, uint64(slot)+1)
		want[row] += uint64(slot) + 1
		require.LessOrEqual(t, len(s.sums), columnsMax)
		require.Equal(t, int(slot/s.width)+1, len(s.sums), "slot %d", slot)
		require.Greater(t, uint32(columnsMax)*s.width, slot)
		require.True(t, s.width == 1 || slot >= columnsMax*s.width/2, "no wider than it must be")
	}
	have := [rows]uint64{}
	for _, column := range s.sums {
		for row, sum := range column {
			have[row] += sum
		}
	}
	require.Equal(t, want, have)
	one := newSeries(1)
	one.add(columnsMax-1, 0, 5)
	one.add(columnsMax, 0, 7)
	require.Equal(t, uint32(2), one.width)
	require.Equal(t, []uint64{5}, one.sums[columnsMax/2-1])
	require.Equal(t, []uint64{7}, one.sums[columnsMax/2])
	require.Equal(t, uint32(1), one.slots(columnsMax/2, columnsMax+1), "the last column is narrower")
}
