package traces

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mix is the contribution of one event to a sum.
func mix(a, b, c, d uint64) (hi, lo uint64) {
	var s Sum
	s.Event(a, b, c, d)
	return s.Hi, s.Lo
}

func TestSumDoesNotDependOnOrderOrWorkers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	events := make([][4]uint64, 500)
	for i := range events {
		events[i] = [4]uint64{random.Uint64(), random.Uint64N(3), random.Uint64(), 0}
	}
	var want Sum
	for _, e := range events {
		want.Event(e[0], e[1], e[2], e[3])
	}
	assert.EqualValues(t, 500, want.Count)
	for range 20 {
		random.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
		var workers [7]Sum
		for _, e := range events {
			workers[random.IntN(7)].Event(e[0], e[1], e[2], e[3])
		}
		var got Sum
		for _, w := range workers {
			got.Merge(w)
		}
		require.Equal(t, want, got)
	}
}

// Every bit of every word moves about half of the 128 bits, and both halves also
// in the few points where a product is zero (a word equals the mixer's constant).
func TestEventIsSensitiveToEveryBit(t *testing.T) {
	for base, flippedMin := range map[[4]uint64]int{
		{}:                       30,
		{1, 2, 3, 4}:             30,
		{^uint64(0), 0, 1, 1}:    30,
		{mix0, mix1, mix2, mix3}: 8,
		{mix0, 0, 0, mix3}:       8,
		{0, mix1, mix2, 0}:       8,
	} {
		h0, l0 := mix(base[0], base[1], base[2], base[3])
		for word := range 4 {
			for bit := range 64 {
				w := base
				w[word] ^= 1 << bit
				h, l := mix(w[0], w[1], w[2], w[3])
				flipped := bits.OnesCount64(h^h0) + bits.OnesCount64(l^l0)
				require.Greater(t, flipped, flippedMin, "base %x word %d bit %d", base, word, bit)
				require.NotEqual(t, h0, h)
				require.NotEqual(t, l0, l)
			}
		}
	}
}

// Events usually consist of small numbers in different words.
func TestEventsDiffer(t *testing.T) {
	lows, highs := map[uint64]bool{}, map[uint64]bool{}
	for i := range uint64(1 << 16) {
		h, l := mix(i&15, i>>4&15, i>>8&15, i>>12)
		require.False(t, highs[h] || lows[l], "%#x", i)
		highs[h], lows[l] = true, true
	}
}

// Moving a value from one event to another must not go unnoticed.
func TestSumsOfSwappedEventsDiffer(t *testing.T) {
	var a, b Sum
	a.Event(EventHead(1, 0, 0, 5), 10, 20, 0)
	a.Event(EventHead(1, 0, 0, 6), 11, 21, 0)
	b.Event(EventHead(1, 0, 0, 5), 11, 20, 0)
	b.Event(EventHead(1, 0, 0, 6), 10, 21, 0)
	assert.NotEqual(t, a, b)
}

func TestEventHeadKeepsAllParts(t *testing.T) {
	assert.EqualValues(t, 0x0102030405060708, EventHead(1, 2, 0x0304, 0x05060708))
	assert.EqualValues(t, ^uint64(0), EventHead(255, 255, 0xFFFF, 0xFFFFFFFF))
}

func TestFoldIsSensitiveToEveryBitAndTheLength(t *testing.T) {
	seen := map[uint64]bool{}
	for length := range 70 {
		data := make([]byte, length)
		zero := Fold(data)
		require.False(t, seen[zero], "zeros of length %d", length)
		seen[zero] = true
		for i := range data {
			for bit := range 8 {
				data[i] ^= 1 << bit
				got := Fold(data)
				data[i] ^= 1 << bit
				require.False(t, seen[got])
				seen[got] = true
				require.Greater(t, bits.OnesCount64(got^zero), 8)
			}
		}
	}
}

func TestDigestPinned(t *testing.T) {
	var d Digest
	assert.Equal(t, "00000000000000000000000000000000", d.String())
	for slot := range uint32(3) {
		var s Sum
		for processor := range uint32(4) {
			s.Event(EventHead(1, 2, 3, processor), uint64(slot), 7, Fold([]byte("payload")))
		}
		d.Slot(2*slot, s)
		d.Slot(2*slot+1, Sum{})
	}
	// A change of this value makes every digest in reports and in CI stale.
	assert.Equal(t, "0de7162681bab704d53ce1564b16cdcb", d.String())
	assert.EqualValues(t, 12, d.Events)
	assert.EqualValues(t, 5, d.NextSlot)
}

func TestDigestChains(t *testing.T) {
	one, two := Sum{1, 2, 3}, Sum{4, 5, 6}
	digest := func(slots ...any) string {
		var d Digest
		for i := 0; i < len(slots); i += 2 {
			d.Slot(uint32(slots[i].(int)), slots[i+1].(Sum))
		}
		return d.String()
	}
	seen := map[string]bool{}
	for _, d := range []string{
		digest(), digest(0, one), digest(0, two), digest(1, one), digest(0, one, 1, two), digest(0, two, 1, one),
		digest(0, one, 2, two), digest(1, one, 2, two), digest(0, Sum{1, 2, 4}),
		digest(0, Sum{2, 1, 3}), digest(0, Sum{1, 3, 3}),
	} {
		assert.False(t, seen[d])
		seen[d] = true
	}
	assert.Equal(t, digest(0, one, 5, two), digest(0, one, 1, Sum{}, 5, two, 6, Sum{}), "slots without events leave no mark")
}

func TestDigestRefusesSlotsOutOfOrder(t *testing.T) {
	var d Digest
	d.Slot(4, Sum{Count: 1})
	assert.Panics(t, func() { d.Slot(4, Sum{Count: 1}) })
	assert.Panics(t, func() { d.Slot(0, Sum{Count: 1}) })
	assert.NotPanics(t, func() { d.Slot(0, Sum{}) })
}

func TestDigestAllocatesNothing(t *testing.T) {
	var d Digest
	slot := uint32(0)
	payload := make([]byte, 40)
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		var s Sum
		s.Event(1, 2, 3, Fold(payload))
		d.Slot(slot, s)
		slot++
	}))
}

func BenchmarkSumEvent(b *testing.B) {
	var s Sum
	i := uint64(0)
	for b.Loop() {
		s.Event(EventHead(1, 1, 2, uint32(i)), i, 7, i)
		i++
	}
	if s.Lo == 0 {
		b.Fatal("the sum cannot be zero")
	}
}

func BenchmarkFold(b *testing.B) {
	data := make([]byte, 16)
	b.SetBytes(16)
	sum := uint64(0)
	for b.Loop() {
		sum += Fold(data)
	}
	_ = sum
}

// TestEventOfIsAnEvent holds the short form to the long one.
func TestEventOfIsAnEvent(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	var long, short Sum
	for range 1000 {
		head, a := random.Uint64(), random.Uint64()>>random.IntN(64)
		long.Event(head, a, 0, 0)
		short.EventOf(head, a)
		require.Equal(t, long, short)
	}
}
