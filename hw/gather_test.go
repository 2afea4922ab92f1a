package hw

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGather(t *testing.T) {
	g := Gather{Inputs: 3, Wires: []uint32{0, 2, 4, 1, 3, 5}}
	readers, err := g.Readers(6)
	require.NoError(t, err)
	require.Equal(t, []uint32{0, 1, 0, 1, 0, 1}, readers)
	require.EqualValues(t, 3, g.Wire(1, 1))
	for text, bad := range map[string]Gather{
		"4 wires in units of 3 inputs": {3, []uint32{0, 1, 2, 3}},
		"units of 0 inputs":            {0, nil},
		"there are 6 wires":            {2, []uint32{0, 1}},
		"input 1 of unit 1 reads wire 4 of 6, which does not exist or is already read": {3, []uint32{0, 2, 4, 1, 4, 5}},
		"reads wire 6 of 6": {3, []uint32{0, 2, 6, 1, 4, 5}},
	} {
		_, err := bad.Readers(6)
		require.ErrorContains(t, err, text)
	}
}
