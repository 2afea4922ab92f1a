package fabric

import (
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/hw"
)

// everywhere is a fault of all n targets, in all slots.
func everywhere(kind FaultKind, n int, chance uint64) Fault {
	f := Fault{Kind: kind, Targets: hw.NewSet(n), To: 1<<32 - 1, Every: 1, Chance: chance}
	f.Targets.Fill(n)
	return f
}

// TestFaultSlots checks lists, inclusive ranges and periods.
func TestFaultSlots(t *testing.T) {
	slots := func(f Fault) (in []int) {
		for slot := range 20 {
			if f.In(uint32(slot)) {
				in = append(in, slot)
			}
		}
		return in
	}
	require.Equal(t, []int{4, 7, 10, 13}, slots(Fault{From: 4, To: 15, Every: 3}))
	require.Equal(t, []int{9}, slots(Fault{From: 9, To: 9, Every: 1}))
	require.Equal(t, []int{0, 17}, slots(Fault{List: []uint32{17, 0}, From: 3, To: 5, Every: 1}))
}

// TestFaultChance requires that the share of hits is the probability, that seeds and equal faults are independent,
// and that 0 and 1 are never and always.
func TestFaultChance(t *testing.T) {
	const n, slots = 100, 1000
	f := Faults{}
	for _, probability := range []float64{0.3, 0.3, 0, 1} {
		f.All = append(f.All, everywhere(FaultDrop, n, Chance(probability)))
	}
	f.Reset(1)
	other := f
	other.Reset(2)
	var count [4]int
	both, seeds := 0, 0
	for target := range n {
		for slot := range uint32(slots) {
			for i := range count {
				if f.Happens(i, target, slot) {
					count[i]++
				}
			}
			if f.Happens(0, target, slot) && f.Happens(1, target, slot) {
				both++
			}
			if f.Happens(0, target, slot) && other.Happens(0, target, slot) {
				seeds++
			}
		}
	}
	const sd = 145 // standard deviation of 100,000 draws with probability 0.3
	require.InDelta(t, 30_000, count[0], 5*sd)
	require.InDelta(t, 30_000, count[1], 5*sd)
	require.InDelta(t, 9_000, both, 5*sd)
	require.InDelta(t, 9_000, seeds, 5*sd)
	require.Zero(t, count[2])
	require.Equal(t, n*slots, count[3])
	require.EqualValues(t, 1, Chance(1e-300), "what can happen does not become impossible")
}

// TestOnMedium requires that darkness hides flips, that faults of processors do not affect media, and that every
// frame has the flipped bits.
func TestOnMedium(t *testing.T) {
	f := Faults{All: []Fault{
		everywhere(FaultDead, 3, Chance(1)), everywhere(FaultFlip, 3, Chance(1)),
		everywhere(FaultFlip, 3, Chance(1)), everywhere(FaultStuck, 2, Chance(1)),
	}}
	f.All[3].Targets = hw.NewSet(3)
	f.All[3].Targets.Add(1)
	f.Reset(7)
	require.True(t, f.On(true) && f.On(false))
	for medium, want := range []Effect{Flipped, Dark, Flipped} {
		effect, number := f.OnMedium(medium, 5)
		require.Equal(t, want, effect)
		require.Equal(t, map[Effect]int{Flipped: 1, Dark: 3}[want], number)
	}
	hit := map[int]bool{}
	for slot := range uint32(5000) {
		bit := f.Bit(1, 2, slot)
		require.True(t, 32 <= bit && bit < 112, "source, destination and tag: bit %d", bit)
		hit[bit] = true
	}
	require.Len(t, hit, 80)
}

// TestFaultCounts requires that shards can be merged in any order.
func TestFaultCounts(t *testing.T) {
	var a, b, sum FaultCount
	a.Note(4, 9)
	a.Note(3, 8)
	b.Note(3, 2)
	b.Note(9, 1)
	for _, order := range [][]*FaultCount{{&a, &b}, {&b, &a}, {{}, &a, &b, {}}} {
		sum = FaultCount{}
		for _, c := range order {
			sum.Merge(c)
		}
		require.Equal(t, FaultCount{Count: 4, Slot: 3, Index: 2}, sum)
	}
}
