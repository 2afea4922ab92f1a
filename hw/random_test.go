package hw

import (
	"math"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The first outputs of splitmix64 from state 0, as published with it (S. Vigna,
// https://prng.di.unimi.it/splitmix64.c): Mix64 is its output function.
func TestMix64IsSplitmix(t *testing.T) {
	want := []uint64{0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F}
	for i, w := range want {
		var state uint64
		for range i + 1 {
			state += goldenGamma
		}
		assert.Equal(t, w, Mix64(state))
	}
}

// Computed with Python's integers from the definition in random.go's comments.
const pinnedStream = 0x910A2DEC89025CC1

var pinnedDraws = []struct {
	processor, slot uint32
	draw            uint16
	want            uint32
}{
	{0, 0, 0, 0x0A385EF2},
	{0, 0, 1, 0x6EC85F1F},
	{0, 1, 0, 0xDA6ABAC7},
	{1, 0, 0, 0xA7ED8821},
	{16777215, 4999, 7, 0xFC3AD2B9},
	{4294967295, 4294967295, 65535, 0xF5882624},
}

// TestDrawPinned pins the function: other values would change every run.
func TestDrawPinned(t *testing.T) {
	s := NewStream(1, PurposeFirmware)
	assert.Equal(t, Stream(pinnedStream), s)
	for _, p := range pinnedDraws {
		assert.Equal(t, p.want, s.Draw(p.processor, p.slot, p.draw), "%+v", p)
	}
	seen := map[Stream]bool{}
	for seed := range uint64(100) {
		for _, purpose := range []uint64{PurposeFirmware, PurposeWorkload, PurposeFault, PurposePermutation} {
			seen[NewStream(seed, purpose)] = true
		}
	}
	assert.Len(t, seen, 400, "purposes and seeds share no stream")
}

func TestMix64Avalanche(t *testing.T) {
	const samples = 2000
	for bit := range 64 {
		changed := 0
		for i := range uint64(samples) {
			x := i * goldenGamma
			changed += bits.OnesCount64(Mix64(x) ^ Mix64(x^1<<bit))
		}
		// 32 of 64 bits on average; the mean's standard deviation is 4/sqrt(samples).
		assert.InDelta(t, 32, float64(changed)/samples, 6*4/math.Sqrt(samples), "input bit %d", bit)
	}
}

func TestBelow(t *testing.T) {
	assert.EqualValues(t, 0, Below(0, 7))
	assert.EqualValues(t, 6, Below(math.MaxUint32, 7))
	assert.EqualValues(t, 0, Below(math.MaxUint32, 1))
	assert.EqualValues(t, math.MaxUint32-1, Below(math.MaxUint32, math.MaxUint32))
	for x := range uint32(64) {
		assert.Equal(t, x, Below(x<<26, 64))
	}
}

// chiSquare is the normalised statistic: about standard normal for this many
// cells, so 5 either way does not happen by chance.
func chiSquare(counts []int, total int) float64 {
	expected := float64(total) / float64(len(counts))
	sum := 0.0
	for _, c := range counts {
		sum += (float64(c) - expected) * (float64(c) - expected) / expected
	}
	freedom := float64(len(counts) - 1)
	return (sum - freedom) / math.Sqrt(2*freedom)
}

// walks visit 64k draws along each coordinate, as a machine does.
var walks = map[string]func(s Stream, i uint32) uint32{
	"processors": func(s Stream, i uint32) uint32 { return s.Draw(i, 3, 0) },
	"slots":      func(s Stream, i uint32) uint32 { return s.Draw(5, i, 0) },
	"draws":      func(s Stream, i uint32) uint32 { return s.Draw(5, 3, uint16(i)) },
	"seeds":      func(_ Stream, i uint32) uint32 { return NewStream(uint64(i), PurposeFirmware).Draw(5, 3, 0) },
	"diagonal":   func(s Stream, i uint32) uint32 { return s.Draw(i, i, uint16(i)) },
}

const walkLength = 1 << 16

func TestDrawUniform(t *testing.T) {
	s := NewStream(42, PurposeWorkload)
	for name, walk := range walks {
		for _, bound := range []uint32{2, 3, 16, 100, 256} {
			counts := make([]int, bound)
			for i := range uint32(walkLength) {
				counts[Below(walk(s, i), bound)]++
			}
			assert.Less(t, math.Abs(chiSquare(counts, walkLength)), 5.0, "%s below %d", name, bound)
		}
	}
}

// TestDrawNeighboursIndependent looks at pairs of neighbours along each walk: as
// pairs of 4 bits (top and bottom) and by linear correlation.
func TestDrawNeighboursIndependent(t *testing.T) {
	s := NewStream(43, PurposeFirmware)
	for name, walk := range walks {
		for _, shift := range []uint{28, 0} {
			counts := make([]int, 256)
			for i := range uint32(walkLength) {
				a, b := walk(s, i)>>shift&15, walk(s, i+1)>>shift&15
				counts[a<<4|b]++
			}
			assert.Less(t, math.Abs(chiSquare(counts, walkLength)), 5.0, "%s, bits from %d", name, shift)
		}
		product := 0.0
		for i := range uint32(walkLength) {
			a, b := float64(walk(s, i))/(1<<32)-0.5, float64(walk(s, i+1))/(1<<32)-0.5
			product += 12 * a * b // 1/12 is the variance
		}
		assert.Less(t, math.Abs(product/math.Sqrt(walkLength)), 5.0, "%s", name)
	}
}

func TestDrawPurposesIndependent(t *testing.T) {
	a, b := NewStream(44, PurposeFirmware), NewStream(44, PurposeWorkload)
	counts := make([]int, 256)
	for i := range uint32(walkLength) {
		counts[a.Draw(i, 0, 0)>>28<<4|b.Draw(i, 0, 0)>>28]++
	}
	assert.Less(t, math.Abs(chiSquare(counts, walkLength)), 5.0)
}

// TestSeedPinned pins the seeds of all permutations: other values would change what --permutation repeats. Computed
// with Python's integers.
func TestSeedPinned(t *testing.T) {
	for _, p := range []struct{ seed, k, want uint64 }{
		{1, 0, 8547223582060069590}, {1, 1, 4530617772509985760}, {1, 40319, 17108095398869257529},
		{math.MaxUint64, 3628799, 5893861518903769808},
	} {
		assert.Equal(t, p.want, NewStream(p.seed, PurposePermutation).Seed(p.k), "%+v", p)
	}
}
