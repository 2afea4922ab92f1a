package fabric

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestResultsAreBounded requires that excess results are counted, and that existing ones can be replaced.
func TestResultsAreBounded(t *testing.T) {
	var r Results
	for k := range uint32(ResultsMax) {
		r.Set(Result{Processor: int(k & 1), Word: 1<<31 - k, Value: uint64(k)})
	}
	r.Set(Result{Processor: 2})
	r.Set(Result{Processor: 1, Word: 1<<31 - 5, Value: 77})
	require.EqualValues(t, 1, r.Lost)
	_, given := r.Get(2, 0)
	require.False(t, given)
	value, given := r.Get(1, 1<<31-5)
	require.True(t, given)
	require.EqualValues(t, 77, value)
	rows := r.All()
	require.Len(t, rows, ResultsMax)
	require.Equal(t, [3]uint64{0, 1<<31 - ResultsMax + 2, ResultsMax - 2}, rows[0])
	require.Equal(t, [3]uint64{1, 1<<31 - 1, 1}, rows[ResultsMax-1])
	r.Reset()
	require.Empty(t, r.All())
	_, given = r.Get(1, 1<<31-5)
	require.False(t, given)
}
