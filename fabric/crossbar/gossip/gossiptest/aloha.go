package gossiptest

import (
	"math/rand/v2"

	"starloom/fabric/crossbar/gossip"
)

// Aloha returns the length of a run on a medium that loses simultaneous messages. In every step, each sender with a
// listening addressee transmits with probability 1/k. k is the number of such senders in this step, or with delayed
// in the previous step.
func Aloha(orders gossip.Orders, delayed bool, random *rand.Rand) int {
	N := orders.N()
	sent, received := make([]int, N+1), make([]int, N+1)
	sending := func(i int) bool { return received[i] >= i && sent[i] < N }
	left, eagerBefore := N*(N+1), 1
	steps := 0
	for ; left > 0; steps++ {
		var eager []int
		for i := range orders {
			if sending(i) && !sending(int(orders[i][sent[i]])) {
				eager = append(eager, i)
			}
		}
		count := len(eager)
		if delayed {
			count = eagerBefore
		}
		eagerBefore = max(1, len(eager))
		var transmits []int
		for _, i := range eager {
			if random.IntN(count) == 0 {
				transmits = append(transmits, i)
			}
		}
		if len(transmits) == 1 {
			from := transmits[0]
			received[orders[from][sent[from]]]++
			sent[from]++
			left--
		}
	}
	return steps
}
