package check

// word is one that firmware tells from others, or may not have thought of: a limit, a constant that
// its image compares with, what it has compared of late, or any.
func (f *fuzzer) word() uint32 {
	r, n := f.random, uint32(f.m.Shape.Processors())
	switch constants := f.covered.Constants; r.IntN(4) {
	case 0:
		words := [...]uint32{0, 1, n - 1, n, 0xFF, 0xFFFF, 1<<31 - 1, 1 << 31, 1<<32 - 1, uint32(r.IntN(256))}
		return words[r.IntN(len(words))]
	case 1:
		if len(constants) > 0 {
			return near(uint32(constants[r.IntN(len(constants))]), r.IntN(8))
		}
	case 2:
		if f.noted > 0 {
			return near(uint32(f.operands[r.IntN(min(f.noted, operandsKept))][r.IntN(2)]), r.IntN(8))
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
