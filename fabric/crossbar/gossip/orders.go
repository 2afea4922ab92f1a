package gossip

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"starloom/traces/input"
)

// Orders say who sends to whom in which order: row i holds the N processors to which
// processor i sends, every id from 0 to N but i, once. They are the permutations of Fig. 1.
type Orders [][]uint32

// Words for orders, as they stand in a scenario.
const (
	WordIdentity     = "identity"      // Identity
	WordPipelined    = "pipelined"     // Pipelined
	WordSharedRandom = "shared-random" // SharedRandom
	WordWorst        = "worst"         // Worst
	WordOptimal      = "optimal"       // Optimal
)

// Words are the words that Named knows.
func Words() []string {
	return []string{WordIdentity, WordPipelined, WordSharedRandom, WordWorst, WordOptimal}
}

// Named makes the orders that a word stands for; the seed matters for WordSharedRandom
// alone. Errors are *input.Error without a place: an unknown word, and those of Optimal.
func Named(word string, N int, seed uint64) (Orders, error) {
	switch word {
	case WordIdentity:
		return Identity(N), nil
	case WordPipelined:
		return Pipelined(N), nil
	case WordSharedRandom:
		return SharedRandom(N, seed), nil
	case WordWorst:
		return Worst(N), nil
	case WordOptimal:
		return Optimal(N)
	}
	remedy := "give " + strings.Join(Words(), ", ") + " or a file of orders (.csv)"
	return nil, &input.Error{Reason: fmt.Sprintf("orders %q are unknown", word), Remedy: input.DidYouMean(word, Words(), remedy)}
}

// newOrders makes orders whose row i is filled by fill, which appends N ids to an empty row.
func newOrders(N int, fill func(row []uint32, i int) []uint32) Orders {
	if N < 1 {
		panic(fmt.Sprintf("gossip: orders for N = %d; N is 1 or more", N))
	}
	ids := make([]uint32, (N+1)*N)
	orders := make(Orders, N+1)
	for i := range orders {
		orders[i] = fill(ids[i*N:i*N:(i+1)*N], i)
	}
	return orders
}

func ascending(row []uint32, first, last int) []uint32 {
	for id := first; id <= last; id++ {
		row = append(row, uint32(id))
	}
	return row
}

func descending(row []uint32, first, last int) []uint32 {
	for id := first; id >= last; id-- {
		row = append(row, uint32(id))
	}
	return row
}

// Identity sends in the order of the ids: 0 .. i-1, i+1 .. N (section 3 of the paper).
func Identity(N int) Orders {
	return newOrders(N, func(row []uint32, i int) []uint32 {
		return ascending(ascending(row, 0, i-1), i+1, N)
	})
}

// Pipelined is the algorithm of pipelined gossiping: i+1 .. N, 0 .. i-1 (Eq. 17).
func Pipelined(N int) Orders {
	return newOrders(N, func(row []uint32, i int) []uint32 {
		return ascending(ascending(row, i+1, N), 0, i-1)
	})
}

// Worst lets one message pass per step: i-1 .. 0, N .. i+1.
func Worst(N int) Orders {
	return newOrders(N, func(row []uint32, i int) []uint32 {
		return descending(descending(row, i-1, 0), N, i+1)
	})
}

// Shared gives all processors one common order of the ids 0 to N, from which each leaves
// itself out. The paper's random example is of this kind (section 4, Table 3).
func Shared(common []uint32) Orders {
	return newOrders(len(common)-1, func(row []uint32, i int) []uint32 {
		for _, id := range common {
			if id != uint32(i) {
				row = append(row, id)
			}
		}
		return row
	})
}

// SharedRandom is Shared with a uniformly drawn order, a function of N and the seed alone.
func SharedRandom(N int, seed uint64) Orders {
	common := ascending(nil, 0, N)
	random := rand.New(rand.NewPCG(seed, 0))
	random.Shuffle(len(common), func(i, j int) { common[i], common[j] = common[j], common[i] })
	return Shared(common)
}

// N is the largest id.
func (o Orders) N() int { return len(o) - 1 }
