package nic

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPhits(t *testing.T) {
	for bits := 1; bits <= PhitBitsMax; bits++ {
		for size := FrameBytesMin; size < 80; size++ {
			phits := Phits(size, bits)
			assert.GreaterOrEqual(t, phits*bits, 8*size)
			assert.Less(t, (phits-1)*bits, 8*size)
		}
	}
	assert.Equal(t, 2, Phits(16, 64))
	assert.Equal(t, 3, Phits(16, 63))
	assert.Equal(t, 128, Phits(16, 1))
}

func TestTiming(t *testing.T) {
	timing, err := NewTiming(64, 16, 10, 3, 2)
	require.NoError(t, err)
	assert.Equal(t, Timing{PhitBits: 64, ComputeCycles: 10, FramePhits: 4, Frames: 1, PropagationCycles: 3,
		GuardCycles: 2, LinkCycles: 3}, timing)
	assert.Equal(t, 19, timing.SlotCycles())
	assert.EqualValues(t, 38, timing.SlotCycle(2))
	assert.EqualValues(t, 48, timing.FirstPhitCycle(2))
	assert.EqualValues(t, 54, timing.LastPhitCycle(2))
	// After the last phit only the guard is left.
	assert.Equal(t, timing.SlotCycle(3), timing.LastPhitCycle(2)+1+uint64(timing.GuardCycles))
	assert.EqualValues(t, 56, timing.BoundaryCycle(2))
	assert.EqualValues(t, uint64(0xFFFFFFFF)*19, timing.SlotCycle(0xFFFFFFFF), "slots count in 64 bits")
	assert.EqualValues(t, uint64(1<<32)*19-1, timing.BoundaryCycle(0xFFFFFFFF))
}

func TestTimingRefuses(t *testing.T) {
	limits := [][2]int{{1, PhitBitsMax}, {0, PayloadBytesMax}, {0, ComputeCyclesMax},
		{0, PropagationCyclesMax}, {1, GuardCyclesMax}}
	names := []string{"phit_bits", "payload_bytes", "budget_cycles", "propagation_cycles", "guard_cycles"}
	build := func(v [5]int) error {
		_, err := NewTiming(v[0], v[1], v[2], v[3], v[4])
		return err
	}
	good := [5]int{64, 16, 0, 1, 1}
	for i, limit := range limits {
		for _, value := range limit {
			v := good
			v[i] = value
			assert.NoError(t, build(v))
		}
		for _, value := range []int{limit[0] - 1, limit[1] + 1} {
			v := good
			v[i] = value
			assert.ErrorContains(t, build(v), names[i])
		}
	}
	assert.ErrorContains(t, build([5]int{64, 16, 0, 1, 0}), "guard_cycles is 0; allowed: 1 to 4096: a receiver's status is valid one cycle after the last phit")
}
