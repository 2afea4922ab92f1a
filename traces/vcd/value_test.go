package vcd

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLabel(t *testing.T) {
	label := func(bitCount int, value, unknown uint64) string {
		return BitsValue(bitCount, []uint64{value}, []uint64{unknown}).Label()
	}
	require.Equal(t, "1", label(1, 1, 0))
	require.Equal(t, "x", label(1, 1, 1))
	require.Equal(t, "z", label(1, 0, 1))
	require.Equal(t, "03f", label(10, 0x3f, 0))
	require.Equal(t, "xzXZf", label(20, 0xf0b0f, 0xfff30))
	require.Equal(t, "x5", label(5, 0x15, 0x10))
	require.Equal(t, "ffffffffffffffff", label(64, 1<<64-1, 0))
}
