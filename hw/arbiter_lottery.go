package hw

import (
	"cmp"
	"slices"
)

// ArbiterLottery gives each requester as many tickets as its weight and draws one ticket among the tickets of all
// current requests (K. Lahiri, A. Raghunathan and G. Lakshminarayana, "LOTTERYBUS: A New High-Performance
// Communication Architecture for System-on-Chip Designs", DAC 2001, with static tickets). An LFSR (LFSRs) advances 32
// steps for each grant. A requester without tickets is never granted.
const ArbiterLottery ArbiterKind = 5

func init() {
	RegisterArbiter(ArbiterLottery, ArbiterSpec{
		Name: "lottery", Does: "the requester that holds the ticket drawn; each holds as many as its weight",
		Uses: ForBuses | ForSchedules | ForOutputs, Weighted: true, Seeded: true,
		New: newLottery,
		Mutants: []Mistake{
			{"tickets of all, whether they request or not", "if (request_i[i]) tickets", "if (1'b1) tickets"},
			{"the ticket after it wins", "holder[k] = ticket >= sum && ticket < sum +",
				"holder[k] = ticket > sum && ticket <= sum +"},
			{"a draw in every cycle", "else if (take_i && |choice_o) draw_q", "else draw_q"},
			{"one step a draw", "n < 32;", "n < 1;"},
			{"the seed is ignored", "|seed_i ? seed_i : 32'd1", "32'd1"},
			{"seed 0 never moves", "|seed_i ? seed_i : 32'd1", "seed_i"},
		},
	})
}

type lottery struct {
	ArbiterShape
	Forgetful
	draw  []uint32 // by arbiter: LFSR, 0 before the first grant
	order [][]int  // by shard: indices of requests, sorted by arbiter and requester
}

func newLottery(s ArbiterShape) Arbitration {
	return &lottery{ArbiterShape: s, draw: make([]uint32, s.Arbiters), order: make([][]int, s.Shards)}
}

func (l *lottery) Rank(shard int, asks []Request, ranks []uint64) {
	order := l.order[shard][:0]
	for k := range asks {
		order, ranks[k] = append(order, k), NeverRank
	}
	l.order[shard] = order
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(asks[a].Arbiter, asks[b].Arbiter), cmp.Compare(asks[a].Requester, asks[b].Requester))
	})
	for len(order) > 0 {
		arbiter, end, tickets := asks[order[0]].Arbiter, 0, uint32(0)
		for ; end < len(order) && asks[order[end]].Arbiter == arbiter; end++ {
			tickets += uint32(l.weight(arbiter, asks[order[end]].Requester))
		}
		if tickets > 0 {
			ranks[l.holder(asks, order[:end], Below(l.drawn(arbiter), tickets))] = 0
		}
		order = order[end:]
	}
}

func (l *lottery) holder(asks []Request, order []int, ticket uint32) int {
	for _, k := range order {
		weight := uint32(l.weight(asks[k].Arbiter, asks[k].Requester))
		if ticket < weight {
			return k
		}
		ticket -= weight
	}
	panic("hw: a ticket that no request holds")
}

func (l *lottery) Granted(arbiter, _ uint32) {
	draw := l.drawn(arbiter)
	for range 32 {
		draw = stepLFSR(draw)
	}
	l.draw[arbiter] = draw
}

// drawn returns the LFSR value of an arbiter, initially its seed.
func (l *lottery) drawn(arbiter uint32) uint32 {
	if draw := l.draw[arbiter]; draw != 0 {
		return draw
	}
	return max(1, l.Seeds[arbiter])
}

func (l *lottery) Memory() Declaration {
	return Declaration{Registers: []Register{Column("draw", l.draw)}}
}
