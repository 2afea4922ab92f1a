package hw

// ArbiterFixed grants the lowest requester. Higher requesters may starve.
const ArbiterFixed ArbiterKind = 0

func init() {
	RegisterArbiter(ArbiterFixed, ArbiterSpec{
		Name: "fixed", Does: "the lowest requester",
		Uses:  ForBuses | ForSchedules | ForOutputs | ForCapped | ForQueues | ForCaps | ForLists,
		New:   func(ArbiterShape) Arbitration { return fixed{} },
		Whole: true,
		Mutants: []Mistake{
			{"all that request", "request_i & (~request_i + ONE)", "request_i & ~(request_i + ONE)"},
			{"the highest but one goes first", "request_i & (~request_i + ONE)", "request_i & (~(request_i >> 1) + ONE)"},
			{"a lone request is not granted", "request_i & (~request_i + ONE)",
				"request_i & (~request_i + ONE) & {REQUESTERS{|(request_i & (request_i - ONE))}}"},
		},
	})
}

type fixed struct{ Forgetful }

func (fixed) Rank(_ int, _ []Request, ranks []uint64) { clear(ranks) }
