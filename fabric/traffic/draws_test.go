package traffic

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric"
	"starloom/hw"
)

// drawn is a specification as the tests want it.
func drawn(t fabric.Traffic) *Spec {
	s := &Spec{Traffic: t, Self: t.Self != nil && *t.Self}
	if s.Size == nil {
		s.Size = []fabric.SizeShare{{Frames: 1}}
	}
	return s
}

// creations are the slots below end in which a source creates its packets.
func creations(d *Draws, source, end uint32) (at []uint32) {
	for next := d.First(source); next < end; {
		at = append(at, next)
		next = d.Next(source, uint32(len(at)), next)
	}
	return at
}

// TestArrivals: rate and variance of arrivals in windows agree with the law within 5 standard
// errors; a source creates one packet per slot at most.
func TestArrivals(t *testing.T) {
	const sources, slots = 400, 4000
	for _, c := range []struct {
		keys      fabric.Traffic
		dispersed float64 // variance of the number of packets in a long time over its mean
	}{
		{fabric.Traffic{Arrivals: fabric.ArrivalsBernoulli, Rate: 0.3}, 0.7},
		{fabric.Traffic{Arrivals: fabric.ArrivalsBernoulli, Rate: 0.002}, 0.998},
		{fabric.Traffic{Arrivals: fabric.ArrivalsBernoulli, Rate: 1}, 0},
		{fabric.Traffic{Arrivals: fabric.ArrivalsPeriodic, Rate: 0.37}, 0},
		{fabric.Traffic{Arrivals: fabric.ArrivalsBursty, Rate: 0.2, Burst: 6}, burstDispersion(0.2, 6)},
	} {
		t.Run(fmt.Sprintf("%s %v", c.keys.Arrivals, c.keys.Rate), func(t *testing.T) {
			d := NewDraws(
				drawn(fabric.Traffic{Arrivals: c.keys.Arrivals, Rate: c.keys.Rate, Burst: c.keys.Burst,
					Pattern: fabric.PatternUniform}), sources, 3, 7)
			sum, squares, early := 0.0, 0.0, 0.0
			for source := range uint32(sources) {
				at := creations(d, source, slots)
				require.True(t, slices.IsSorted(at))
				require.Len(t, slices.Compact(slices.Clone(at)), len(at))
				n := float64(len(at))
				sum += n
				squares += (n - c.keys.Rate*slots) * (n - c.keys.Rate*slots)
				for _, slot := range at { // the process has gone on for ever: its beginning is like the rest of it
					if slot < 20 {
						early++
					}
				}
			}
			mean := c.keys.Rate * slots
			deviation := math.Sqrt(mean * c.dispersed)
			require.InDelta(t, mean, sum/sources, 5*deviation/math.Sqrt(sources)+1)
			require.InDelta(t, c.dispersed, squares/sources/mean, 0.4*c.dispersed+1/mean)
			require.InDelta(t, c.keys.Rate*20, early/sources, 5*math.Sqrt(c.keys.Rate*20*max(c.dispersed, 0.1)*1.5/sources)+1e-9)
		})
	}
}

// burstDispersion is that of a renewal process, (variance of a gap) / (mean of a gap)^2.
// Gaps are 1, and with probability 1/burst a geometric number from 1 on more: its mean
// is 1/p, p = rate/(burst (1-rate)).
func burstDispersion(rate, burst float64) float64 {
	q, p := 1/burst, rate/(burst*(1-rate))
	mean, second := q/p, q*(2-p)/(p*p)
	return (second - mean*mean) / ((1 + mean) * (1 + mean))
}

// TestGeometric compares the bits with the law, number by number.
func TestGeometric(t *testing.T) {
	stream := hw.NewStream(1, hw.PurposeTraffic)
	for _, p := range []float64{0.9, 0.5, 0.11} {
		g := newGeometric(p)
		const n = 400_000
		counts := make([]float64, 12)
		for number := range uint32(n) {
			if x := g.draw(stream, 5, number); x < uint64(len(counts)) {
				counts[x]++
			}
		}
		for x, count := range counts {
			law := p * math.Pow(1-p, float64(x))
			require.InDelta(t, law, count/n, 5*math.Sqrt(law*(1-law)/n)+1e-9, "%v: %d", p, x)
		}
	}
	require.Zero(t, newGeometric(1).bits)
}

// TestPatterns compares with tables that were written by hand, for 16 processors where the pattern has no other
// example.
func TestPatterns(t *testing.T) {
	for pattern, want := range map[string][]uint32{
		fabric.PatternTranspose:     {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15},
		fabric.PatternBitComplement: {15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0},
		fabric.PatternBitReverse:    {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15},
		fabric.PatternShuffle:       {0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15},
		fabric.PatternTornado:       {7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6},
		fabric.PatternNeighbour:     {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0},
	} {
		self := true
		p := newPattern(drawn(fabric.Traffic{Pattern: pattern, Self: &self}), 16, 1, 0)
		var got []uint32
		for source := range uint32(16) {
			got = append(got, p.destination(source, 9))
		}
		require.Equal(t, want, got, pattern)
	}
	for n, want := range map[int][]uint32{9: {0, 3, 6, 1, 4, 7, 2, 5, 8}, 1: {0}} {
		p := newPattern(drawn(fabric.Traffic{Pattern: fabric.PatternTranspose}), n, 1, 0)
		for source, to := range want {
			require.Equal(t, to, p.fixed(uint32(source)))
			require.Equal(t, to == uint32(source), p.silent(uint32(source)), "without self, the diagonal sends nothing")
		}
	}
	require.Equal(t, uint32(3), (&pattern{kind: fabric.PatternTornado, n: 7}).fixed(0), "ceil(7/2) - 1")
	for _, kind := range []string{fabric.PatternBitReverse, fabric.PatternShuffle, fabric.PatternBitComplement,
		fabric.PatternTornado, fabric.PatternNeighbour} {
		require.Zero(t, (&pattern{kind: kind, n: 1}).fixed(0), kind)
	}
}

// TestPatternsOfBookSim compares with destinations that BookSim's rules give: digit by digit on a grid of 4x3, groups
// of a dragonfly, and a list.
func TestPatternsOfBookSim(t *testing.T) {
	all := func(keys fabric.Traffic, n int) (to []uint32) {
		p := newPattern(drawn(keys), n, 1, 5)
		for source := range uint32(n) {
			to = append(to, p.destination(source, 9))
		}
		return to
	}
	grid := fabric.Traffic{Pattern: fabric.PatternTornado, Dimensions: []int{4, 3}}
	require.Equal(t, []uint32{5, 6, 7, 4, 9, 10, 11, 8, 1, 2, 3, 0}, all(grid, 12))
	grid.Pattern = fabric.PatternNeighbour
	require.Equal(t, []uint32{5, 6, 7, 4, 9, 10, 11, 8, 1, 2, 3, 0}, all(grid, 12))
	grid.Dimensions = []int{2, 6}
	require.Equal(t, []uint32{3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 1, 0}, all(grid, 12))
	list := fabric.Traffic{Pattern: fabric.PatternPermutation, Destinations: []int{2, 0, 2, 1}}
	require.Equal(t, []uint32{2, 0, 2, 1}, all(list, 4))

	p, seen := newPattern(drawn(fabric.Traffic{Pattern: fabric.PatternNextGroup, Group: 4}), 12, 1, 5), map[uint32]int{}
	for number := range uint32(4000) {
		for source := range uint32(12) {
			to := p.destination(source, number)
			require.Equal(t, (source/4+1)%3, to/4)
			seen[to]++
		}
	}
	require.Len(t, seen, 12)
	for to, count := range seen {
		require.InDelta(t, 4000, count, 300, "to %d", to)
	}
}

// TestPatternKeys: keys of another pattern, and lists that do not fit the network, are refused.
func TestPatternKeys(t *testing.T) {
	for refused, keys := range map[string]fabric.Traffic{
		"workload.traffic.group: pattern is next_group, but no group":  {Pattern: fabric.PatternNextGroup},
		"workload.traffic.group: a group is given, but pattern is":     {Pattern: fabric.PatternUniform, Group: 2},
		"workload.traffic.dimensions: dimensions are given, but":       {Pattern: fabric.PatternUniform, Dimensions: []int{12}},
		"workload.traffic.destinations: destinations are given, but":   {Pattern: fabric.PatternUniform, Destinations: []int{1}},
		"workload.traffic.dimensions: dimensions are [5 2], but the":   {Pattern: fabric.PatternTornado, Dimensions: []int{5, 2}},
		"workload.traffic.group: group is 5, but the network has 12":   {Pattern: fabric.PatternNextGroup, Group: 5},
		"workload.traffic.group: group is 12, but the network has 12":  {Pattern: fabric.PatternNextGroup, Group: 12},
		"workload.traffic.destinations: destinations has 1 numbers":    {Pattern: fabric.PatternPermutation, Destinations: []int{1}},
		"workload.traffic.destinations[2]: there is no such processor": {Pattern: fabric.PatternPermutation, Destinations: []int{1, 2, 12, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
	} {
		s := drawn(keys)
		s.Arrivals, s.Rate = fabric.ArrivalsBernoulli, 0.1
		err := s.checkKeys()
		if err == nil {
			err = s.checkLists(12)
		}
		require.ErrorContains(t, err, refused)
	}
}

// TestDestinations: destinations are uniform, hotspots have their share, and a source sends to
// itself only with self.
func TestDestinations(t *testing.T) {
	const n, packets, source = 7, 70_000, 2
	for _, self := range []bool{true, false} {
		p := newPattern(drawn(fabric.Traffic{Pattern: fabric.PatternUniform, Self: &self}), n, 1,
			hw.NewStream(4, hw.PurposeTraffic))
		spots := []fabric.Hotspot{{Node: 5, Share: 0.3}, {Node: source, Share: 0.1}}
		hot := newPattern(drawn(fabric.Traffic{Pattern: fabric.PatternHotspot, Self: &self, Hotspots: spots}), n, 1,
			hw.NewStream(4, hw.PurposeTraffic))
		uniform, heated := make([]float64, n), make([]float64, n)
		for number := range uint32(packets) {
			uniform[p.destination(source, number)]++
			heated[hot.destination(source, number)]++
		}
		for to := range n {
			law, rest := 1.0/n, 0.6/n
			if !self {
				law, rest = 1.0/(n-1), 0.7/(n-1)
			}
			if to == 5 {
				rest += 0.3
			}
			if to == source && self {
				rest += 0.1
			}
			if to == source && !self {
				law, rest = 0, 0
			}
			require.InDelta(t, law, uniform[to]/packets, 0.008, "self %v: to %d", self, to)
			require.InDelta(t, rest, heated[to]/packets, 0.008, "self %v: to %d", self, to)
		}
	}
	p := newPattern(drawn(fabric.Traffic{Pattern: fabric.PatternPermutation}), 50, 9, 0)
	require.NoError(t, fabric.CheckPermutation(p.to, 50))
}

// TestSizes: the frequencies of sizes agree with their weights.
func TestSizes(t *testing.T) {
	d := NewDraws(drawn(fabric.Traffic{Pattern: fabric.PatternUniform, Arrivals: fabric.ArrivalsBernoulli, Rate: 1,
		Size: []fabric.SizeShare{{Frames: 1}, {Frames: 9, Weight: 2}, {Frames: 255, Weight: 0.5}}}), 3, 8, 7)
	counts := map[uint8]float64{}
	for number := range uint32(35_000) {
		_, size := d.Packet(1, number)
		counts[size]++
	}
	require.Len(t, counts, 3)
	require.InDelta(t, 10_000, counts[1], 450)
	require.InDelta(t, 20_000, counts[9], 450)
	require.InDelta(t, 5_000, counts[255], 350)
}

// TestDrawsAreFunctions: of workload, seed and source alone, in any order; other seeds and sources draw others.
func TestDrawsAreFunctions(t *testing.T) {
	keys := fabric.Traffic{Pattern: fabric.PatternUniform, Arrivals: fabric.ArrivalsBernoulli, Rate: 0.2}
	a, b, c := NewDraws(drawn(keys), 9, 1, 7), NewDraws(drawn(keys), 9, 1, 50), NewDraws(drawn(keys), 9, 2, 7)
	require.Equal(t, creations(a, 3, 500), creations(b, 3, 500))
	require.NotEqual(t, creations(a, 3, 500), creations(a, 4, 500))
	require.NotEqual(t, creations(a, 3, 500), creations(c, 3, 500))
	for _, number := range []uint32{7, 3, 100, 3} {
		x, _ := a.Packet(3, number)
		y, _ := b.Packet(3, number)
		require.Equal(t, x, y)
	}
}

// TestSourcesCreate checks that the wheel and the draws agree on the sources that create a packet in a slot, from any
// slot on, at rates that keep most sources waiting for turns of the wheel.
func TestSourcesCreate(t *testing.T) {
	const n, slots = 40, 5 * wheelSlots
	for _, rate := range []float64{1, 0.3, 0.0007, 1e-5} {
		d := NewDraws(drawn(fabric.Traffic{Pattern: fabric.PatternUniform,
			Arrivals: fabric.ArrivalsBernoulli, Rate: rate}), n, 6, 7)
		want := make([][]uint32, slots)
		for source := range uint32(n) {
			for _, at := range creations(d, source, slots) {
				want[at] = append(want[at], source)
			}
		}
		c := newCursors(n, false)
		for source := range c.at {
			c.at[source] = d.First(uint32(source))
		}
		s := &sources{end: n, after: make([]uint32, n)}
		s.begin(&c)
		for slot := range uint32(slots) {
			if slot == 777 {
				s.begin(&c) // as after a restore
			}
			s.create(&c, d, slot)
			var got []uint32
			for _, x := range s.created {
				got = append(got, x.source)
			}
			slices.Sort(got)
			require.Equal(t, want[slot], got, "slot %d", slot)
		}
	}
}
