package check

import (
	"math/rand/v2"

	"starloom/firmware"
)

type dictionary struct {
	random     *rand.Rand
	processors uint32
	constants  []uint64                        // that the image compares with
	operands   [operandsKept]firmware.Operands // compared of late
	noted      int                             // operands, so far
}

const operandsKept = 64

func (d *dictionary) note(compared []firmware.Operands) {
	for _, pair := range compared {
		d.operands[d.noted%operandsKept] = pair
		d.noted++
	}
}

// word is one that firmware tells from others, or may not have thought of: a limit, a constant that
// its image compares with, what it has compared of late, or any.
func (d *dictionary) word() uint32 {
	r, n := d.random, d.processors
	switch r.IntN(4) {
	case 0:
		words := [...]uint32{0, 1, n - 1, n, 0xFF, 0xFFFF, 1<<31 - 1, 1 << 31, 1<<32 - 1, uint32(r.IntN(256))}
		return words[r.IntN(len(words))]
	case 1:
		if len(d.constants) > 0 {
			return near(uint32(d.constants[r.IntN(len(d.constants))]), r.IntN(8))
		}
	case 2:
		if d.noted > 0 {
			return near(uint32(d.operands[r.IntN(min(d.noted, operandsKept))][r.IntN(2)]), r.IntN(8))
		}
	}
	return r.Uint32()
}

// near is a word, or one beside it: limits are compared with.
func near(word uint32, draw int) uint32 {
	switch draw {
	case 0:
		return word - 1
	case 1:
		return word + 1
	}
	return word
}
