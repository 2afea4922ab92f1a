package traffic

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// of returns half a window with the given numbers of packets created, evenly in time, and
// delivered.
func of(created, gone uint64) growth {
	g := growth{times: 32 * 100, gone: gone}
	for i := range g.created {
		g.created[i] = created/growthBatches + map[bool]uint64{true: created % growthBatches}[i == 0]
	}
	return g
}

// TestGrowth: the threshold is the smaller of a share of the created packets and the random
// variation; few packets give no result, and bursts raise the threshold.
func TestGrowth(t *testing.T) {
	for _, x := range []struct {
		created, gone uint64
		grows, known  bool
	}{
		{0, 0, false, false}, {499, 0, false, false}, {500, 0, true, true},
		{1000, 986, false, true}, {1000, 984, true, true}, // 1.5 % are 15, 2.33 deviations 74
		{100_000, 99_264, false, true}, {100_000, 99_262, true, true}, // 1500 and 736.8
		{1000, 1100, false, true},
	} {
		g := of(x.created, x.gone)
		grows, known := g.grows()
		require.Equal(t, []bool{x.grows, x.known}, []bool{grows, known}, "%v", x)
	}
	bursts := growth{times: 3200, gone: 300}
	bursts.created[3], bursts.created[17] = 400, 400
	_, known := bursts.grows()
	require.False(t, known)
}

// TestGrowthOfShortHalves: equal numbers of packets per interval are not bursts, even with few
// intervals.
func TestGrowthOfShortHalves(t *testing.T) {
	for measure := uint32(2); measure < 300; measure++ {
		g := newGrowing(&Window{End: uint64(measure)}, 1)
		for at := range measure {
			for range 600 {
				g.comes(at)
				g.goes(at)
			}
		}
		halves := &g.halves
		for i := range halves {
			require.InDelta(t, halves[i].all(), halves[i].variance(), 1e-6, "%d", measure)
			grows, known := halves[i].grows()
			require.Equal(t, []bool{false, true}, []bool{grows, known})
		}
	}
}

// TestHalves: every time in the window belongs to one half and one batch of it, each of about the
// same length; no other time does.
func TestHalves(t *testing.T) {
	for _, window := range [][2]uint32{{0, 1}, {3, 2}, {10, 33}, {1000, 10_000}, {0, 64}} {
		s := newGrowing(&Window{From: uint64(window[0]), End: uint64(window[0]) + uint64(window[1])}, 1)
		counts := [2]int{}
		for at := range window[0] + window[1] + 5 {
			half, batch, ok := s.part(at)
			require.Equal(t, at >= window[0] && at < window[0]+window[1], ok)
			require.Less(t, batch, growthBatches)
			if ok {
				counts[half]++
			}
		}
		require.Equal(t, [2]int{int(window[1] / 2), int(window[1] - window[1]/2)}, counts)
	}
}

func TestWayOfOne(t *testing.T) {
	require.Equal(t, "1 slot", (&window{way: 1, unit: "slot"}).wayText())
	require.Equal(t, "1.5 cycles", (&window{way: 1.5, unit: "cycle"}).wayText())
}
