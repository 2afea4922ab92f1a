package hw

// ArbiterRoundRobin grants the first requester after the last granted one. A requester waits for at most Requesters-1
// frames of others.
const ArbiterRoundRobin ArbiterKind = 1

func init() {
	RegisterArbiter(ArbiterRoundRobin, ArbiterSpec{
		Name: "round_robin", Does: "the next requester after the last one granted",
		Uses:  ForBuses | ForSchedules | ForOutputs | ForQueues | ForCaps | ForLists,
		New:   newRoundRobin,
		Whole: true,
		Mutants: []Mistake{
			{"off by one", "~(choice_o | (choice_o - ONE))", "~(choice_o | (choice_o << 1) | (choice_o - ONE))"},
			{"winner stays first", "~(choice_o | (choice_o - ONE))", "~(choice_o - ONE)"},
			{"missing reset", "if (reset) after_q <= {REQUESTERS{1'b1}};\n    else if", "if"},
		},
	})
}

type roundRobin struct {
	ArbiterShape
	Forgetful
	first []uint16 // by arbiter: requester with the highest priority
}

func newRoundRobin(s ArbiterShape) Arbitration {
	return &roundRobin{ArbiterShape: s, first: make([]uint16, s.Arbiters)}
}

func (r *roundRobin) Rank(_ int, asks []Request, ranks []uint64) {
	for k, q := range asks {
		ranks[k] = rankRoundRobin(q.Requester, uint32(r.first[q.Arbiter]))
	}
}

// rankRoundRobin ranks the requesters from first on before the others.
func rankRoundRobin(requester, first uint32) uint64 {
	if requester < first {
		return 1
	}
	return 0
}

func (r *roundRobin) Granted(arbiter, requester uint32) {
	if int(r.first[arbiter]) >= r.Requesters {
		broken(r.Element(int(arbiter)), "the pointer is %d of %d requesters", r.first[arbiter], r.Requesters)
	}
	r.first[arbiter] = uint16(following(requester, r.Requesters))
}

func following[T uint16 | uint32](index T, count int) T {
	if int(index) == count-1 {
		return 0
	}
	return index + 1
}

func (r *roundRobin) Memory() Declaration {
	return Declaration{Registers: []Register{Column("first", r.first, AtMost(uint16(r.Requesters-1)))}}
}
