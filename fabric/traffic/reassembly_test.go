package traffic

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOvertaken: an overtaken frame of a packet is accepted once, and not after the packet has
// ended.
func TestOvertaken(t *testing.T) {
	var a arriving
	frame := func(number uint32, follow uint8) *sighting {
		return &sighting{origin: 7, number: number | uint32(follow)<<24}
	}
	a.overtakes(frame(5, 0), 0, 3) // the last of three comes first
	require.Len(t, a.overtaken, 2)
	require.False(t, a.comes(frame(5, 0)))
	require.False(t, a.comes(frame(6, 1)), "of another packet")
	require.True(t, a.comes(frame(5, 2)))
	require.False(t, a.comes(frame(5, 2)), "again")
	a.overtakes(frame(6, 1), 1, 2)
	require.Len(t, a.overtaken, 1, "nothing was overtaken")
	a.forget(7, 5)
	require.False(t, a.comes(frame(5, 1)))
	require.Empty(t, a.overtaken)
}
