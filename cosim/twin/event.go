package twin

// An Event is a situation at the ports of a model, in one cycle or two consecutive ones. A run without the event
// cannot detect the mistakes that depend on it; package lockstep reports missing events. Each twin declares the
// events that reveal its mutants: two strobes in one cycle, a strobe in a corner state, a request that returns.
type Event struct {
	Input string

	// Never describes the missing event. It has a text for each bit, or one text for all bits of a phit, such as "lit by
	// two senders at once".
	Never []string
	Bits  int

	// Of returns the bits of the events that happen in a cycle. Of is called in all cycles without reset until every
	// bit has been set, and may keep state between calls.
	Of func(c *Cycle) uint64
}

// Cycle is a settled cycle of a model, without reset.
type Cycle struct {
	Inputs, Outputs []uint64
	First           bool // the cycle is the first after a reset
}

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

func common(a, b []uint64) (both, more bool) {
	for w, word := range a {
		both = both || word&b[w] != 0
		more = more || word&^b[w] != 0
	}
	return both, more
}
