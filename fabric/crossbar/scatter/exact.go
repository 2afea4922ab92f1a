// Package scatter computes random scattering: Z. Drezner and A. Barak, "A Probabilistic Algorithm for Scattering
// Information in a Multicomputer System". One of n nodes is coloured. In every unit of time each node sends one
// message to another node, drawn uniformly, and a coloured message colours its receiver.
//
//	unit              j                       j+1
//	coloured nodes    k  -- k messages -->    k+m,  0 <= m <= min(k, n-k)
//
// In SYNC, a message is coloured if its sender was coloured at the beginning of the unit. In ASYNC, a message is
// coloured if its sender is coloured at the time of sending; the n messages of a unit are sequential. Time counts
// from the beginning of the first unit. The package runs neither hardware nor firmware.
package scatter

import "math/big"

// ExactDone returns p(j,n) for j = 0 to units as fractions. It counts equally likely outcomes, the (n-1)^k choices of
// k coloured senders, for the transitions of Chain.
func ExactDone(n, units int) []*big.Rat {
	checkNodes(n)
	return exactDone(n, units, func(k int) []*big.Int { return growCounts(n, k) })
}

// growCounts counts the choices of k coloured senders by the number m of newly coloured nodes.
func growCounts(n, k int) []*big.Int {
	most := min(k, n-k)
	counts := zeros(most + 1)
	counts[0].SetInt64(1)
	var from big.Int
	for range k {
		for m := most; m > 0; m-- {
			counts[m].Mul(counts[m], big.NewInt(int64(k-1+m)))
			counts[m].Add(counts[m], from.Mul(counts[m-1], big.NewInt(int64(n-k-m+1))))
		}
		counts[0].Mul(counts[0], big.NewInt(int64(k-1)))
	}
	return counts
}

// PublishedDone returns p(j,n) for j = 0 to units by Theorem 1, independently of ExactDone: Q (2.1) and R (2.2).
func PublishedDone(n, units int) []*big.Rat {
	checkNodes(n)
	covers := newCovers(n)
	return exactDone(n, units, func(k int) []*big.Int {
		counts := zeros(min(k, n-k) + 1)
		for m := range counts { // C(n-k, m) sets of m nodes, each with probability R(m,k)
			counts[m].Binomial(int64(n-k), int64(m))
			counts[m].Mul(counts[m], covers.newly(m, k))
		}
		return counts
	})
}

// exactDone advances the distribution of the number of coloured nodes, scaled by (n-1)^n per unit. grow returns the
// counts for k coloured senders, scaled by (n-1)^k.
func exactDone(n, units int, grow func(k int) []*big.Int) []*big.Rat {
	scale := power(n-1, n)
	counts := make([][]*big.Int, n+1)
	for k := 1; k <= n; k++ {
		counts[k] = grow(k)
		rest := power(n-1, n-k)
		for _, count := range counts[k] {
			count.Mul(count, rest)
		}
	}
	p, denominator := zeros(n+1), big.NewInt(1)
	p[1].SetInt64(1)
	done := []*big.Rat{new(big.Rat)}
	for range units {
		next := zeros(n + 1)
		for k := 1; k <= n; k++ {
			if p[k].Sign() == 0 {
				continue
			}
			for m, count := range counts[k] {
				next[k+m].Add(next[k+m], new(big.Int).Mul(p[k], count))
			}
		}
		p = next
		denominator = new(big.Int).Mul(denominator, scale)
		done = append(done, new(big.Rat).SetFrac(p[n], denominator))
	}
	return done
}

// Q returns the probability that h independent uniform draws from m values hit all of them (Lemma 1, Eq. 2.1), with
// Q(0,0) = 1 and Q(0,h) = 0 for h > 0.
func Q(m, h int) *big.Rat {
	return new(big.Rat).SetFrac(newCovers(h).onto(m, h), power(max(m, 1), h))
}

// R returns the probability that the nodes coloured in a unit are exactly a given set of m nodes, if k of n nodes
// were coloured before (Lemma 2, Eq. 2.2).
func R(n, m, k int) *big.Rat {
	return new(big.Rat).SetFrac(newCovers(n).newly(m, k), power(n-1, k))
}

// covers caches the results of (2.1).
type covers struct {
	memory    [][]*big.Int
	binomials [][]*big.Int // Pascal's triangle
}

func newCovers(n int) *covers {
	c := &covers{memory: make([][]*big.Int, n+1), binomials: make([][]*big.Int, n+1)}
	for row := range n + 1 {
		c.memory[row] = make([]*big.Int, n+1)
		c.binomials[row] = zeros(row + 1)
		for i := range row + 1 {
			c.binomials[row][i].Binomial(int64(row), int64(i))
		}
	}
	return c
}

// onto returns Q(m,h) m^h: (2.1) multiplied by its powers of 1/m, the sum of C(h,i) Q(m-1,h-i) (m-1)^(h-i) for i = 1
// to h-m+1.
func (c *covers) onto(m, h int) *big.Int {
	switch {
	case m == 0 && h == 0:
		return big.NewInt(1)
	case m == 0 || h < m:
		return new(big.Int)
	}
	if c.memory[m][h] == nil {
		sum, term := new(big.Int), new(big.Int)
		for i := 1; i <= h-m+1; i++ {
			sum.Add(sum, term.Mul(c.binomials[h][i], c.onto(m-1, h-i)))
		}
		c.memory[m][h] = sum
	}
	return c.memory[m][h]
}

// newly returns R(m,k) (n-1)^k: (2.2) multiplied by its powers, the sum of C(k,h) (k-1)^(k-h) Q(m,h) m^h for h = m to
// k.
func (c *covers) newly(m, k int) *big.Int {
	sum, term := new(big.Int), new(big.Int)
	for h := m; h <= k; h++ {
		term.Mul(c.binomials[k][h], power(k-1, k-h))
		sum.Add(sum, term.Mul(term, c.onto(m, h)))
	}
	return sum
}

// power returns base^exponent, with 0^0 = 1.
func power(base, exponent int) *big.Int {
	return new(big.Int).Exp(big.NewInt(int64(base)), big.NewInt(int64(exponent)), nil)
}

func zeros(n int) []*big.Int {
	values := make([]big.Int, n)
	pointers := make([]*big.Int, n)
	for i := range values {
		pointers[i] = &values[i]
	}
	return pointers
}
