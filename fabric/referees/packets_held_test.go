package referees

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHeldAgainstCounting makes processors receive, keep, drop and send random packets, few enough for Held to
// remember, and compares with a count of every interval at every boundary.
func TestHeldAgainstCounting(t *testing.T) {
	const slots = 30
	random := rand.New(rand.NewPCG(6, 8))
	highest := 0
	for range 2000 {
		h := NewHeld(3)
		const p = 1
		since := map[uint32]int{p: 0} // first boundary at which the packet may be held
		var at [slots + 1]map[uint32]bool
		for i := range at {
			at[i] = map[uint32]bool{}
		}
		origins := uint32(2 + random.IntN(4))
		shown, receptions := uint8(0), 0
		most := heldPackets - 1
		if random.IntN(4) == 0 {
			most = slots // more than Held remembers
		}
		for slot := range slots {
			// Before the boundary the slot sends at most one packet.
			if origin := 10 + random.Uint32N(origins); random.IntN(3) == 0 {
				if random.IntN(4) == 0 {
					origin = p
				}
				shown = max(shown, h.sent(p, origin, uint32(slot)))
				if from, ok := since[origin]; ok {
					for b := from; b <= slot; b++ {
						at[b][origin] = true
					}
				}
			}
			if receptions < most && random.IntN(2) == 0 {
				receptions++
				origin := 10 + random.Uint32N(origins)
				h.Received(p, origin, uint32(slot))
				since[origin] = slot + 1
			}
		}
		want := 0
		for _, there := range at {
			want = max(want, len(there))
		}
		require.LessOrEqual(t, int(shown), want, "never more than there is")
		if most < slots {
			highest = max(highest, want)
			require.Equal(t, want, int(shown))
		}
	}
	require.Greater(t, highest, 3)
}
