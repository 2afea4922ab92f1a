// Package scattertest is a reference for tests. It simulates scattering exactly as specified, without hardware and
// firmware.
package scattertest

import "math/rand/v2"

// Order is the order in which the n messages of a unit of ASYNC are sent.
type Order int

const (
	Random  Order = 0 // each node once per unit, in a new random order for every unit
	Fixed   Order = 1 // each node once per unit, in one random order for all units
	Poisson Order = 2 // every message by a uniformly drawn node
)

// other draws a node other than i from a uniform distribution.
func other(n, i int, random *rand.Rand) int {
	to := random.IntN(n - 1)
	if to >= i {
		to++
	}
	return to
}

// Sync runs SYNC from node 0. Entry j of the result is the number of coloured nodes after j units; the last entry is
// n.
func Sync(n int, random *rand.Rand) []int {
	coloured := make([]bool, n)
	coloured[0] = true
	holders := []int{0}
	counts := []int{1}
	for len(holders) < n {
		for _, from := range holders[:len(holders):len(holders)] { // only nodes coloured at the beginning of the unit
			if to := other(n, from, random); !coloured[to] {
				coloured[to] = true
				holders = append(holders, to)
			}
		}
		counts = append(counts, len(holders))
	}
	return counts
}

// Async runs ASYNC from node 0. It returns the completion time: messages sent / n.
func Async(n int, order Order, random *rand.Rand) float64 {
	coloured := make([]bool, n)
	coloured[0] = true
	senders := random.Perm(n)
	for sent, left := 0, n-1; ; sent++ {
		if sent%n == 0 && order == Random {
			random.Shuffle(n, func(i, j int) { senders[i], senders[j] = senders[j], senders[i] })
		}
		from := senders[sent%n]
		if order == Poisson {
			from = random.IntN(n)
		}
		if to := other(n, from, random); coloured[from] && !coloured[to] {
			coloured[to] = true
			if left--; left == 0 {
				return float64(sent+1) / float64(n)
			}
		}
	}
}
