package hw

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBitsOneByOne compares with single bits, and requires that no other bit changes.
func TestBitsOneByOne(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	for range 5000 {
		words := []uint64{random.Uint64(), random.Uint64(), random.Uint64()}
		bits := 1 + random.IntN(64)
		first := random.IntN(64*len(words) - bits + 1)
		bit := func(i int) uint64 { return words[i/64] >> (i % 64) & 1 }
		before := append([]uint64(nil), words...)
		value := random.Uint64()
		PutBits(words, first, bits, value)
		want := uint64(0)
		for i := range 64 * len(words) {
			if i < first || i >= first+bits {
				require.Equal(t, before[i/64]>>(i%64)&1, bit(i))
				continue
			}
			require.Equal(t, value>>(i-first)&1, bit(i))
			want |= bit(i) << (i - first)
		}
		require.Equal(t, want, GetBits(words, first, bits))
	}
}
