package twin_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	. "starloom/cosim/twin"
)

// TestScheduleHasStretchesOfAllLengths checks for runs of any length that one stretch without reset takes more than
// half, and that there are short ones before and after it.
func TestScheduleHasStretchesOfAllLengths(t *testing.T) {
	twin, err := Find(All(), "lfsr")
	require.NoError(t, err)
	for _, cycles := range []uint64{64, 1000, 10_000, 100_000} {
		for seed := range uint64(8) {
			m := newTestModel(t, twin, twin.Sets[0])
			s := NewSchedule(seed, cycles)
			var lengths []uint64
			length := uint64(0)
			for cycle := range cycles {
				m.Stimulate(s, cycle, m.Inputs())
				if m.Inputs()[m.ResetWord()] == 0 {
					length++
				} else if length > 0 {
					lengths = append(lengths, length)
					length = 0
				}
			}
			longest, decades := uint64(0), map[int]int{}
			for _, length := range append(lengths, length) {
				longest = max(longest, length)
				decades[len(fmt.Sprint(length))]++
			}
			require.Greater(t, longest, cycles/2, "%d cycles, seed %d: %v", cycles, seed, lengths)
			if cycles >= 1000 {
				for decade := 1; decade < len(fmt.Sprint(cycles)); decade++ {
					require.Positive(t, decades[decade], "%d cycles, seed %d: %v", cycles, seed, lengths)
				}
				require.Less(t, length, cycles/8, "a reset near the end shows state that outlives a reset")
			}
		}
	}
}
