package gossip_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"starloom/fabric/crossbar/gossip"
	. "starloom/fabric/crossbar/gossip/gossiptest"
)

// lengthOf runs orders by the reference.
func lengthOf(orders gossip.Orders) (int, error) { return Length(Setting{Orders: orders}), nil }

// TestSearch finds orders for every N to 10 (-full: 15), whose length is that of the
// reference data.
func TestSearch(t *testing.T) {
	largest := 10
	if *full {
		largest = 15
	}
	for _, record := range golden(t, "optimal_lambda")[:largest] {
		N := number(t, record[0])
		begin := time.Now()
		orders, err := gossip.Search(context.Background(), N, lengthOf, nil)
		require.NoError(t, err)
		require.Equal(t, number(t, record[1]), Fill(orders).Columns())
		t.Logf("N = %d: %d steps, %v", N, Fill(orders).Columns(), time.Since(begin).Round(time.Millisecond))
		again, err := gossip.Search(context.Background(), N, lengthOf, nil)
		require.NoError(t, err)
		require.Equal(t, orders, again, "the search is deterministic")
	}
}

// TestSearchBeyondTheReference finds runs of the lower bound for which there was no witness.
func TestSearchBeyondTheReference(t *testing.T) {
	if !*full {
		t.Skip("seconds: -full")
	}
	for _, N := range []int{17, 18} {
		orders, err := gossip.Search(context.Background(), N, lengthOf, nil)
		require.NoError(t, err)
		require.Equal(t, gossip.LowerBound(N), Fill(orders).Columns())
	}
}

func TestSearchBelievesTheRun(t *testing.T) {
	_, err := gossip.Search(context.Background(), 4, func(gossip.Orders) (int, error) { return 12, nil }, nil)
	require.EqualError(t, err, "a run of the orders found for 5 processors takes 12 steps, not 11")
	lost := errors.New("lost")
	_, err = gossip.Search(context.Background(), 4, func(gossip.Orders) (int, error) { return 0, lost }, nil)
	require.ErrorIs(t, err, lost)
}

// TestSearchEndsInTime: a search that exceeds its time limit reports it, before and during the
// solver's work.
func TestSearchEndsInTime(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	calls := 0
	_, err := gossip.Search(ctx, 30, lengthOf, func(p gossip.SearchProgress) {
		calls++
		require.Equal(t, 1, p.Attempt)
		require.Greater(t, p.Clauses, p.Variables)
		cancel()
	})
	require.ErrorIs(t, err, context.Canceled)
	require.EqualError(t, err, "no orders of 31 processors with 87 steps were found in time: context canceled")
	require.Equal(t, 1, calls)

	ctx, cancel = context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	_, err = gossip.Search(ctx, 14, lengthOf, nil) // a fraction of a second, so that the solver ends soon
	require.ErrorIs(t, err, context.DeadlineExceeded)
}
