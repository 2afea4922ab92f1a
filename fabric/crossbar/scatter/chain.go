package scatter

import (
	"fmt"
	"math"

	"starloom/traces/rounded"
)

// Chain is the Markov chain of SYNC scattering among n nodes. Its state is the number k of
// coloured nodes. Of the k coloured messages of a unit, one after the other, the next one
// colours a new node with probability (n-k-m)/(n-1) when m have been coloured before it
// in the unit. All terms are positive, so that probabilities are right to about 1e-12.
type Chain struct {
	n    int
	grow [][]float64 // grow[k][m]: the probability of going from k to k+m, m <= min(k, n-k)
}

// NewChain works out the transitions for n nodes, 2 or more: n^3/8 multiplications and
// 2n^2 bytes.
func NewChain(n int) *Chain {
	checkNodes(n)
	c := &Chain{n: n, grow: make([][]float64, n+1)}
	for k := 1; k <= n; k++ {
		c.grow[k] = grow(n, k)
	}
	return c
}

// checkNodes panics for less than two nodes.
func checkNodes(n int) {
	if n < 2 {
		panic(fmt.Sprintf("scatter: %d nodes; 2 or more scatter an item", n))
	}
}

// grow is the distribution of the number of nodes that k coloured messages colour.
func grow(n, k int) []float64 {
	most := min(k, n-k)
	p := make([]float64, most+1)
	p[0] = 1
	others := float64(n - 1)
	for range k {
		for m := most; m > 0; m-- {
			p[m] = float64(p[m]*float64(k-1+m)/others) + float64(p[m-1]*float64(n-k-m+1)/others)
		}
		p[0] *= float64(k-1) / others
	}
	return p
}

// Start is the distribution at time 0: entry k is the probability that k nodes are coloured.
func (c *Chain) Start() []float64 {
	p := make([]float64, c.n+1)
	p[1] = 1
	return p
}

// Step returns the distribution a unit later: p(j+1, .) of p(j, .).
func (c *Chain) Step(p []float64) []float64 {
	next := make([]float64, c.n+1)
	for k := 1; k <= c.n; k++ {
		if p[k] == 0 {
			continue
		}
		for m, probability := range c.grow[k] {
			next[k+m] += float64(p[k] * probability)
		}
	}
	return next
}

// Done returns p(j,n) for j = 0 to units: the probability that all are coloured after j units,
// the distribution function of the completion time.
func (c *Chain) Done(units int) []float64 {
	done, p := make([]float64, 0, units+1), c.Start()
	for range units {
		done = append(done, p[c.n])
		p = c.Step(p)
	}
	return append(done, p[c.n])
}

// Coloured returns the expected number of coloured nodes after 0 to units units.
func (c *Chain) Coloured(units int) []float64 {
	expected, p := make([]float64, 0, units+1), c.Start()
	for range units {
		expected = append(expected, float64(c.n)-c.missing(p))
		p = c.Step(p)
	}
	return append(expected, float64(c.n)-c.missing(p))
}

// missing is the expected number of nodes that are not coloured.
func (c *Chain) missing(p []float64) float64 {
	sum := 0.0
	for k := c.n - 1; k >= 1; k-- {
		sum += float64(float64(c.n-k) * p[k])
	}
	return sum
}

// Completion is the distribution of the completion time: entry j is the probability that
// the last node is coloured in unit j. It ends when less than 1e-15 is left.
func (c *Chain) Completion() []float64 {
	completion, left := []float64{0}, 1.0
	for p := c.Start(); left >= 1e-15; {
		last := 0.0
		for k := (c.n + 1) / 2; k < c.n; k++ { // a unit at most doubles the coloured
			last += float64(p[k] * c.grow[k][c.n-k])
		}
		completion = append(completion, last)
		p = c.Step(p)
		left = 0
		for _, probability := range p[:c.n] {
			left += probability
		}
	}
	return completion
}

// Moments are mean and standard deviation of a distribution over 0, 1, 2 ...
func Moments(p []float64) (mean, sd float64) {
	for j, probability := range p {
		mean += float64(float64(j) * probability)
	}
	for j, probability := range p {
		sd += float64((float64(j) - mean) * (float64(j) - mean) * probability)
	}
	return mean, math.Sqrt(sd)
}

// ExpectedTime is T_n(a) of Lemma 3: the first unit after which the expected number of
// coloured nodes is at least n-a; 0 < a < n-1. Then p(T,n) >= 1-a.
func (c *Chain) ExpectedTime(a float64) int {
	checkMissing(c.n, a)
	units := 0
	for p := c.Start(); c.missing(p) > a; p = c.Step(p) {
		units++
	}
	return units
}

// checkMissing panics for a number of nodes left over that is not between 0 and n-1.
func checkMissing(n int, a float64) {
	checkNodes(n)
	if !(a > 0 && a < float64(n-1)) {
		panic(fmt.Sprintf("scatter: a = %v nodes left over of %d; a is above 0 and below n-1", a, n))
	}
}

// Cost is C = S t (section 1 of the paper): messages, that is context switches of
// receivers, per unit, times units to completion.
func Cost(messagesPerUnit, units float64) float64 { return messagesPerUnit * units }

// ScatterCost is the cost of random scattering, with one message per node and unit.
func ScatterCost(n int, units float64) float64 { return Cost(float64(n), units) }

// BroadcastCost is n^2: everybody to everybody in one unit.
func BroadcastCost(n int) float64 { return Cost(float64(n)*float64(n), 1) }

// GraphCost is the cost on a fixed graph, whose nodes tell all neighbours in every unit:
// the item arrives after as many units as the diameter.
func GraphCost(n, degree int, diameter float64) float64 {
	return Cost(float64(degree)*float64(n), diameter)
}

// RingCost is that of a ring: degree 2, diameter n/2.
func RingCost(n int) float64 { return GraphCost(n, 2, float64(n/2)) }

// Diameters of graphs of degree 3, as multiples of log2 n (section 1 of the paper).
const (
	CubeConnectedCyclesDiameter = 5.0 / 2 // cube-connected cycles
	DenseTrivalentDiameter      = 3.0 / 2 // dense trivalent graphs
	BestTrivalentDiameter       = 1.1     // the best that are known
)

// TrivalentCost is that of a graph of degree 3 with one of the diameters above: 7.5, 4.5 and
// 3.3 times n log2 n, where random scattering takes 1.693 (SYNC) or 1.386 (ASYNC).
func TrivalentCost(n int, diameter float64) float64 {
	return GraphCost(n, 3, diameter*rounded.Log2(float64(n)))
}
