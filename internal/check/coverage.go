package check

import (
	"math/bits"
	"math/rand/v2"

	"starloom/firmware"
)

// coverage is what sequences have reached in the firmware: branches that were taken, and values of
// bytes of the state, which show how far a handler has come that counts what it has heard. Those that
// reach more are kept, and others are made of them.
type coverage struct {
	branches []uint64 // that were taken
	taken    []uint64 // in the last run
	values   [coveredBytes]coveredByte
	novel    bool // the last run has taken a new branch, or brought a byte of the state to a value that it never had
	corpus   []FuzzInput
}

// coveredByte are values that a byte of a state has had.
type coveredByte struct {
	seen  [4]uint64
	count int
}

const (
	coveredBytes  = 1024 // of a state, whose values are looked at
	coveredValues = 12   // of a byte: one that has more is no counter
	corpusMax     = 1024
)

func newCoverage(branches int) coverage {
	words := (branches + 63) / 64
	return coverage{branches: make([]uint64, words), taken: make([]uint64, words)}
}

func (v *coverage) reached() (count int) {
	for _, word := range v.branches {
		count += bits.OnesCount64(word)
	}
	return count
}

func (v *coverage) learnState(state []byte) {
	for i, value := range state[:min(len(state), coveredBytes)] {
		if b := &v.values[i]; b.count < coveredValues && b.seen[value>>6]>>(value&63)&1 == 0 {
			b.seen[value>>6] |= 1 << (value & 63)
			b.count++
			v.novel = true
		}
	}
}

// learn notes the branches of a run. Only those of a clean one are new: frames and statuses suffice for them.
func (v *coverage) learn(instance *firmware.Watched, clean bool) {
	clear(v.taken)
	instance.TakeBranches(v.taken)
	for k, word := range v.taken {
		v.novel = v.novel || clean && word&^v.branches[k] != 0
		v.branches[k] |= word
	}
}

func (v *coverage) keep(in *FuzzInput, random *rand.Rand) bool {
	if !v.novel {
		return false
	}
	if len(v.corpus) < corpusMax {
		v.corpus = append(v.corpus, in.clone())
	} else {
		v.corpus[random.IntN(corpusMax)] = in.clone()
	}
	return true
}
