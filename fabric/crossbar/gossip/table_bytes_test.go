package gossip

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTableBytes: a run-table takes little more than a byte per used cell, S or R, where
// peers follow each other, and two elsewhere (the rest is room of slices that grow).
func TestTableBytes(t *testing.T) {
	const N = 600
	for _, c := range []struct {
		orders     Orders
		perCellMax float64
	}{{Pipelined(N), 1.3}, {SharedRandom(N, 1), 2.6}} {
		table := NewTable(N + 1)
		for p, order := range c.orders {
			for i, to := range order {
				table.Add(p, uint32(p+i), Cell{Sent, to})
			}
			for i, from := range order {
				table.Add(p, uint32(p+N+1+i), Cell{Received, from})
			}
		}
		bytes := 0
		for _, r := range table.rows {
			bytes += cap(r.code)
		}
		require.Less(t, float64(bytes), c.perCellMax*float64(UsedSlots(N)))
	}
}
