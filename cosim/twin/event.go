package twin

// An Event is something that ports of a model can do: in one cycle, or in two in sequence.
// A run cannot have found what depends on an event that it does not have; package lockstep says
// so. Each twin declares those that its mistakes need to show: pairs of strobes in one cycle, a
// strobe in a corner of the state, a request that comes back.
type Event struct {
	Input string

	// Never says what did not happen: of each bit, or one text (lit by two senders at once) for
	// all bits of a phit.
	Never []string
	Bits  int

	// Of returns the bits that do so. It is called in all cycles from a reset on, until all
	// bits have done so, and may keep what it needs of earlier ones.
	Of func(c *Cycle) uint64
}

// Cycle is a cycle of a model without reset, settled.
type Cycle struct {
	Inputs, Outputs []uint64
	First           bool // since reset
}

// facts are bits of an event, the first is bit 0.
func facts(of ...bool) (bits uint64) {
	for i, is := range of {
		if is {
			bits |= 1 << i
		}
	}
	return bits
}

func several(words []uint64) bool {
	seen := false
	for _, word := range words {
		if word != 0 && (seen || word&(word-1) != 0) {
			return true
		}
		seen = seen || word != 0
	}
	return false
}

// common reports whether two vectors have a bit on in common, and whether the first has another.
func common(a, b []uint64) (both, more bool) {
	for w, word := range a {
		both = both || word&b[w] != 0
		more = more || word&^b[w] != 0
	}
	return both, more
}
