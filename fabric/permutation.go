package fabric

import (
	"fmt"

	"starloom/hw"
	"starloom/traces"
)

// FillIdentity sends every packet to where it is.
func FillIdentity(p []uint32) {
	for i := range p {
		p[i] = uint32(i)
	}
}

// FillReverse sends processor i's packet to n-1-i.
func FillReverse(p []uint32) {
	for i := range p {
		p[i] = uint32(len(p) - 1 - i)
	}
}

// FillRandom makes p a uniformly drawn permutation, a function of the seed alone
// (Fisher-Yates).
func FillRandom(p []uint32, seed uint64) {
	stream := hw.NewStream(seed, hw.PurposeWorkload)
	FillIdentity(p)
	for i := len(p) - 1; i > 0; i-- {
		j := hw.Below(stream.Draw(uint32(i), 0, 0), uint32(i+1))
		p[i], p[j] = p[j], p[i]
	}
}

// CheckPermutation says why p is not a permutation of 0..n-1: the first entry
// that is out of range or doubled.
func CheckPermutation(p []uint32, n int) error {
	if len(p) != n {
		return fmt.Errorf("%s for %s", traces.Plural(len(p), "destination", "destinations"), traces.Plural(n, "processor", "processors"))
	}
	seen := make([]bool, n)
	for i, v := range p {
		if uint64(v) >= uint64(n) {
			return fmt.Errorf("destination %d of processor %d: processors are 0 to %d", v, i, n-1)
		}
		if seen[v] {
			return fmt.Errorf("destination %d of processor %d is used twice", v, i)
		}
		seen[v] = true
	}
	return nil
}
