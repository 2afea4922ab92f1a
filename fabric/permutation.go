package fabric

import (
	"fmt"
	"slices"

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

// Misplaced says why a list that a user has written is not a permutation of that many processors, and what
// to do: the first entry that is out of range or doubled, and which one is missing; entry is -1 if the list is too
// long or too short. Of a permutation it returns nothing.
func Misplaced(list []uint32, processors int) (entry int, reason, remedy string) {
	if len(list) != processors {
		count := traces.Plural(processors, "destination", "destinations")
		return -1, fmt.Sprintf("the permutation has %s, the fabric %s",
				traces.Plural(len(list), "destination", "destinations"), traces.Plural(processors, "processor", "processors")),
			fmt.Sprintf("give %s: entry i is where processor i's packet goes", count)
	}
	given, missing := make([]bool, processors), 0
	for _, destination := range list {
		if int(destination) < processors {
			given[destination] = true
		}
	}
	for missing < processors && given[missing] {
		missing++
	}
	clear(given)
	for i, destination := range list {
		if int(destination) >= processors {
			return i, fmt.Sprintf("entry %d of the permutation is %d", i, destination), fmt.Sprintf("allowed are 0 to %d", processors-1)
		}
		if given[destination] {
			return i, fmt.Sprintf("no permutation: destination %d is given twice, by entries %d and %d, and %d is missing",
				destination, slices.Index(list, destination), i, missing), "give every processor exactly one packet"
		}
		given[destination] = true
	}
	return -1, "", ""
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
