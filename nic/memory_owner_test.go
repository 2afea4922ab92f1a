package nic

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOwner writes into each cell's part of every column and asks whose the byte is.
func TestOwner(t *testing.T) {
	c := BankConfig{Cells: 3, Processors: 3, Ports: 2, Discipline: Discipline{AllPorts: true},
		Sizes: Sizes{PayloadBytes: 16, RxFrames: 4, TxFrames: 4}}
	memory, err := PlaceBank(64, c, 24, 2)
	require.NoError(t, err)
	b, err := AttachBank(memory, 64, c)
	require.NoError(t, err)
	before := bytes.Clone(memory)
	owns := func(cell int, column string, write func()) {
		copy(memory, before)
		write()
		found := 0
		for at := range memory {
			if memory[at] != before[at] {
				found++
				name, owner := b.Owner(uint64(at))
				require.Equal(t, column, name)
				require.Equal(t, cell, owner)
			}
		}
		require.Positive(t, found, column)
	}
	for cell := range c.Cells {
		owns(cell, "processor", func() { b.Registers[cell].Held = 7 })
		owns(cell, "rx_status", func() { b.SetRx(cell, 0, StatusOK); b.SetRx(cell, 1, StatusOK) })
		owns(cell, "listen", func() { b.SetListen(cell, 0, 1); b.SetListen(cell, 1, 1) })
		owns(cell, "workload", func() { b.Workload[cell] = 7 })
		owns(cell, "record", func() { b.State(cell)[0], b.State(cell)[23] = 7, 7; b.TxFrame(cell, 0)[31] = 7 })
		owns(cell, "tx_more", func() { b.TxFrame(cell, 1)[0], b.TxFrame(cell, 3)[31] = 7, 7 })
		owns(OwnerAny, "calls", func() { b.Calls[cell] = 7 })
	}
	owns(OwnerAny, "descriptor", func() { b.SetCurrent(1) })
	owns(OwnerNone, "descriptor", func() { memory[64]++ })
	column, cell := b.Owner(0)
	require.Empty(t, column)
	require.Equal(t, OwnerNone, cell)
}
