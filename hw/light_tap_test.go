package hw

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLightTap: wires 0 and 3 are unchanged, wire 1 is dark in slot 1, and wire 2 has an inverted bit in slot 1,
// counted from the slot's first light. A bit with both rails or none lit stays.
func TestLightTap(t *testing.T) {
	const width, slotCycles = 4, 8
	for _, cut := range []int{1, 2, 4} {
		shards := Shards(4, cut)
		clock := &Clock{}
		in, err := NewLight(Bank{Unit: "test.unit", Name: "wire", Units: 4, PerUnit: 1}, "light", width, shards, []uint32{3, 2, 1, 0})
		require.NoError(t, err)
		tap, out, err := NewLightTap(clock, in, slotCycles, func(wire, slot uint32) Harm {
			if slot != 1 {
				return Harm{}
			}
			return []Harm{{Bit: 6}, {true, true, 2}, {Flips: true, Bit: 6}, {Flips: true, Bit: 8}}[wire]
		})
		require.NoError(t, err)
		require.Equal(t, "test.unit[2].wire[0].tapped", out.Bank().Element(2))
		require.Equal(t, uint64(slotCycles), tap.QuietFor(slotCycles))
		// Slot 1 carries two phits from its cycle 3 on.
		phits := [2][2]uint64{{0b1010, 0b0101}, {0b1110, 0b0101}}
		for clock.cycle = 0; clock.cycle < 3*slotCycles; clock.cycle++ {
			slot, k := clock.cycle/slotCycles, int(clock.cycle%slotCycles)-3
			lit := k == 0 || k == 1
			for _, s := range shards {
				in.Clear(s.Index)
				for wire := s.First; lit && wire < s.End; wire++ {
					in.Put(s.Index, uint32(wire), phits[k][0], phits[k][1])
				}
			}
			for i := range shards {
				tap.Settle(shards[len(shards)-1-i])
			}
			for _, s := range shards {
				tap.Settle(s) // again, the same
				tap.Latch(s)
			}
			for wire := range 4 {
				want1, want0 := in.Rail1[wire], in.Rail0[wire]
				switch {
				case slot == 1 && wire == 1:
					want1, want0 = 0, 0
				case slot == 1 && wire == 2 && k == 1: // bit 6 is bit 2 of the second phit
					want1, want0 = 0b1100, 0b0111
				}
				at := fmt.Sprintf("cycle %d, wire %d", clock.cycle, wire)
				require.Equal(t, [2]uint64{want1, want0}, [2]uint64{out.Rail1[wire], out.Rail0[wire]}, at)
				require.Equal(t, lit || k > 1, tap.Reached(uint32(wire), uint32(slot)), at)
				listed := 0
				for driver := range out.Shards() {
					for _, x := range out.Lit(driver, out.Reader(uint32(wire))) {
						if int(x) == wire {
							listed++
						}
					}
				}
				require.Equal(t, want1|want0 != 0, listed == 1, at)
			}
			if lit {
				require.Zero(t, tap.QuietFor(slotCycles))
			}
		}
		require.Zero(t, testing.AllocsPerRun(10, func() { tap.Settle(shards[0]) }))
		tap.Reset()
		require.False(t, tap.Reached(0, 2))
	}
}
