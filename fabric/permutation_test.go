package fabric

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func filled(n int, fill func([]uint32)) []uint32 {
	p := make([]uint32, n)
	fill(p)
	return p
}

func TestPermutations(t *testing.T) {
	for _, n := range []int{1, 2, 3, 100} {
		for _, p := range [][]uint32{filled(n, FillIdentity), filled(n, FillReverse)} {
			require.NoError(t, CheckPermutation(p, n))
		}
		p := make([]uint32, n)
		for seed := range uint64(50) {
			FillRandom(p, seed)
			require.NoError(t, CheckPermutation(p, n))
		}
	}
	require.ErrorContains(t, CheckPermutation([]uint32{0}, 2), "1 destination for 2 processors")
	require.ErrorContains(t, CheckPermutation([]uint32{0, 2}, 2), "destination 2 of processor 1")
	require.ErrorContains(t, CheckPermutation([]uint32{1, 1}, 2), "used twice")
}

// TestRandomIsUniform counts all 24 permutations of four: chi-square with 23
// degrees of freedom stays below 49.7 (0.1 %) for a fair source.
func TestRandomIsUniform(t *testing.T) {
	const runs = 24000
	counts := map[[4]uint32]int{}
	p := make([]uint32, 4)
	for seed := range uint64(runs) {
		FillRandom(p, seed)
		counts[[4]uint32(p)]++
	}
	require.Len(t, counts, 24)
	chi := 0.0
	for _, count := range counts {
		d := float64(count) - runs/24
		chi += d * d / (runs / 24)
	}
	require.Less(t, chi, 49.7)
}
