package nic

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTakeBackFrames: frames that waited before a late handler wait as they were, even if it has
// rewritten, withdrawn or added some, for lists of cells with and without gaps.
func TestTakeBackFrames(t *testing.T) {
	for _, cells := range [][]uint32{{0, 1, 2}, {0, 2, 3}, {1}, {0, 7}} {
		c := BankConfig{Cells: 8, Processors: 8, Ports: 4, Sizes: Sizes{PayloadBytes: 8, RxFrames: 1, TxFrames: 3}}
		memory, err := PlaceBank(64, c, 8, 1)
		require.NoError(t, err)
		b, err := AttachBank(memory, 64, c)
		require.NoError(t, err)
		frames := func(cell int) (all []byte) {
			for place := range int(b.Registers[cell].TxCount) {
				all = append(all, b.TxFrame(cell, place)...)
			}
			return all
		}
		for _, cell := range cells {
			for k := range cell % 3 {
				b.SendPacket(int(cell), uint16(k), cell, cell, k)
			}
		}
		var kept Kept
		b.Keep(&kept, cells)
		before := make([][]byte, len(cells))
		for place, cell := range cells {
			before[place] = bytes.Clone(frames(int(cell)))
			for n := range 3 { // all that there is room for
				copy(b.TxFrame(int(cell), n), bytes.Repeat([]byte{0xA5}, b.frameStride))
			}
			b.Registers[cell].TxCount = 3 - b.Registers[cell].TxCount
		}
		for place, cell := range cells {
			b.TakeBack(&kept, place, int(cell))
			require.Equal(t, before[place], frames(int(cell)), "cell %d of %v", cell, cells)
		}
	}
}
