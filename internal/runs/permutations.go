package runs

import (
	"slices"

	"starloom/hw"
)

// AllProcessorsMax bounds `permutation: all`: 10! is 3,628,800 runs.
const AllProcessorsMax = 10

// PermutationNumber returns permutation k of 0..n-1 in lexicographic order.
func PermutationNumber(n int, k uint64) []uint32 {
	radix := uint64(1)
	for i := range n {
		radix *= uint64(i + 1)
	}
	left := make([]uint32, n)
	for i := range left {
		left[i] = uint32(i)
	}
	p := make([]uint32, 0, n)
	for i := n; i > 0; i-- {
		radix /= uint64(i)
		at := int(k / radix)
		k %= radix
		p = append(p, left[at])
		left = slices.Delete(left, at, at+1)
	}
	return p
}

// nextPermutation changes p into the next one in lexicographic order; the last
// one stays.
func nextPermutation(p []uint32) {
	i := len(p) - 2
	for i >= 0 && p[i] >= p[i+1] {
		i--
	}
	if i < 0 {
		return
	}
	j := len(p) - 1
	for p[j] <= p[i] {
		j--
	}
	p[i], p[j] = p[j], p[i]
	slices.Reverse(p[i+1:])
}

// PermutationSeed is the seed of the run of permutation k of all permutations: every
// run has coins of its own, and alone it is the run of a list with this seed.
func PermutationSeed(seed, k uint64) uint64 {
	return hw.NewStream(seed, hw.PurposePermutation).Seed(k)
}
