package studies

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDiffering counts differing cells, and cells in only one table.
func TestDiffering(t *testing.T) {
	table := [][]string{{"S1", "-"}, {"R0", "~"}}
	require.Equal(t, 0, Differing(table, table))
	require.Equal(t, 1, Differing(table, [][]string{{"S1", "-"}, {"R0", "-"}}))
	require.Equal(t, 3, Differing(table, [][]string{{"S1"}}))
	require.Equal(t, 4, Differing(nil, table))
}
