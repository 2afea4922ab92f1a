package gossip

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheBoundIsTight: the search finds runs of the bound's length, and proves that there are none
// that are shorter.
func TestTheBoundIsTight(t *testing.T) {
	for N := 1; N <= 5; N++ {
		bound := LowerBound(N)
		_, err := search(context.Background(), N, bound, func(Orders) (int, error) { return bound, nil }, nil)
		require.NoError(t, err, "N = %d", N)
		_, err = search(context.Background(), N, bound-1, nil, nil)
		require.ErrorIs(t, err, ErrNoOrders, "N = %d", N)
	}
}
