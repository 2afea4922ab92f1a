package hw

// ArbiterMatrix grants the least recently granted requester. Requesters without a previous grant go first, in
// ascending order. A requester waits for at most Requesters-1 frames of others. Memory grows with the number of
// granted requesters, not with the square of the number of requesters.
const ArbiterMatrix ArbiterKind = 2

func init() {
	RegisterArbiter(ArbiterMatrix, ArbiterSpec{
		Name: "matrix", Does: "the least recently granted requester",
		Uses:  ForBuses | ForSchedules | ForOutputs | ForQueues | ForCaps,
		New:   newMatrix,
		Whole: true,
		Mutants: []Mistake{
			{"reset order reversed", "rank_q <= numbers;", "rank_q <= ~numbers;"},
			{
				"winner keeps its rank",
				"(rank_q[b*REQUESTERS +: REQUESTERS] ^ borrow) & ~choice |\n          (choice & {REQUESTERS{LAST[b]}});",
				"rank_q[b*REQUESTERS +: REQUESTERS] ^ borrow;",
			},
			{"no one moves up", "borrow = above;", "borrow = {REQUESTERS{1'b0}};"},
			{"moves up by an odd number only", "borrow = borrow & ~rank_q[b*REQUESTERS +: REQUESTERS];",
				"borrow = {REQUESTERS{1'b0}};"},
		},
	})
}

type matrix struct {
	Forgetful
	grants []uint64         // by arbiter: grants since reset
	served requesterNumbers // ordinal of each requester's last grant
}

func newMatrix(s ArbiterShape) Arbitration {
	return &matrix{grants: make([]uint64, s.Arbiters), served: newRequesterNumbers(s)}
}

func (m *matrix) Rank(_ int, asks []Request, ranks []uint64) {
	for k, q := range asks {
		ranks[k] = m.served.of(q.Arbiter, q.Requester)
	}
}

func (m *matrix) Granted(arbiter, requester uint32) {
	m.grants[arbiter]++
	m.served.set(arbiter, requester, m.grants[arbiter])
}

func (m *matrix) Memory() Declaration {
	most := AtMost[uint64](NeverRank - 1) // three days of operation at one grant per nanosecond
	return m.served.declare("served", "served_at", most, Column("grants", m.grants, most))
}
