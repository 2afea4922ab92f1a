package gossip

import "math/big"

// Metrics are what the paper measures of a run (Definitions 7 to 13).
type Metrics struct {
	Lambda  int      // length: the number of steps
	Nu      []int    // utilisation string: used slots, S and R, of every step
	Mu      *big.Rat // average slot utilisation: used slots per step
	Epsilon *big.Rat // efficiency: used slots / all slots
}

// Measure returns the metrics of a run of a number of processors from its utilisation
// string, one entry per step. A run of no steps has mu = epsilon = 0. The String of a
// big.Rat is the exact "a/b" in lowest terms.
func Measure(processors int, nu []int) Metrics {
	used := 0
	for _, slots := range nu {
		used += slots
	}
	m := Metrics{Lambda: len(nu), Nu: nu, Mu: new(big.Rat), Epsilon: new(big.Rat)}
	if len(nu) > 0 {
		m.Mu = Mu(used, len(nu))
		m.Epsilon = Epsilon(used, processors, len(nu))
	}
	return m
}

// Mu is the average number of used slots per step (Definition 8), between 0 and N+1.
// lambda is 1 or more.
func Mu(used, lambda int) *big.Rat { return big.NewRat(int64(used), int64(lambda)) }

// Epsilon is the part of all slots that are used (Definitions 9 and 11). lambda is 1 or more.
func Epsilon(used, processors, lambda int) *big.Rat {
	slots := new(big.Int).Mul(big.NewInt(int64(processors)), big.NewInt(int64(lambda)))
	return new(big.Rat).SetFrac(big.NewInt(int64(used)), slots)
}
