package hw

// ArbiterWeightedRoundRobin gives each requester as many credits as its weight. It grants the first requester with
// credits after the last granted one; a grant costs one credit. When no requesting requester has credits, all
// requesters of the arbiter regain their credits (M. Katevenis, S. Sidiropoulos and C. Courcoubetis, "Weighted
// Round-Robin Cell Multiplexing in a General-Purpose ATM Switch Chip", IEEE JSAC 9 (1991) 8). Requesters that always
// request share the medium in proportion to their weights.
const ArbiterWeightedRoundRobin ArbiterKind = 4

func init() {
	RegisterArbiter(ArbiterWeightedRoundRobin, ArbiterSpec{
		Name: "weighted_round_robin", Does: "the next requester with credits after the last one granted; a round brings " +
			"each as many as its weight",
		Uses: ForBuses | ForSchedules | ForOutputs, Weighted: true,
		New: newWeightedRoundRobin,
		Mutants: []Mistake{
			{"a credit more", "spent_q[8*i +: 8] < weight_i[8*i +: 8]", "spent_q[8*i +: 8] <= weight_i[8*i +: 8]"},
			{"credits never come back", "if (~|rich) spent_q", "if (1'b0) spent_q"},
			{"only the winner's credits come back", "choice_o[k] ? 8'd1 : 8'd0;", "choice_o[k] ? 8'd1 : spent_q[8*k +: 8];"},
			{"winner stays first", "~(choice_o | (choice_o - ONE))", "~(choice_o - ONE)"},
			{"the credits of a neighbour count", "weight_i[8*i +: 8];", "weight_i[8*(i == 0 ? REQUESTERS - 1 : i - 1) +: 8];"},
		},
	})
}

type weightedRoundRobin struct {
	roundRobin
	spent requesterNumbers
}

func newWeightedRoundRobin(s ArbiterShape) Arbitration {
	return &weightedRoundRobin{roundRobin: roundRobin{ArbiterShape: s, first: make([]uint16, s.Arbiters)},
		spent: newRequesterNumbers(s)}
}

func (w *weightedRoundRobin) poor(arbiter, requester uint32) bool {
	return w.spent.of(arbiter, requester) >= uint64(w.weight(arbiter, requester))
}

func (w *weightedRoundRobin) Rank(shard int, asks []Request, ranks []uint64) {
	w.roundRobin.Rank(shard, asks, ranks)
	for k, q := range asks {
		if w.poor(q.Arbiter, q.Requester) {
			ranks[k] += 2
		}
	}
}

func (w *weightedRoundRobin) Granted(arbiter, requester uint32) {
	if w.poor(arbiter, requester) { // all other requests are poor, too
		w.spent.clear(arbiter)
	}
	w.spent.set(arbiter, requester, w.spent.of(arbiter, requester)+1)
	w.roundRobin.Granted(arbiter, requester)
}

func (w *weightedRoundRobin) Memory() Declaration {
	return w.spent.declare("spenders", "spent", AtMost[uint64](255), w.roundRobin.Memory().Registers...)
}
