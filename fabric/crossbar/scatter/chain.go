package scatter

import (
	"fmt"
	"math"

	"starloom/traces/rounded"
)

// Chain is the Markov chain of SYNC scattering among n nodes. Its state is the number k of coloured nodes. The k
// coloured messages of a unit are sequential. A message that follows m newly coloured nodes in its unit colours a new
// node with probability (n-k-m)/(n-1). All terms are positive, so probabilities are accurate to about 1e-12.
type Chain struct {
	n    int
	grow [][]float64 // grow[k][m]: probability of a step from k to k+m, m <= min(k, n-k)
}

// NewChain computes the transitions for n >= 2 nodes, with n^3/8 multiplications and 2n^2 bytes. It panics if n < 2.
func NewChain(n int) *Chain {
	checkNodes(n)
	c := &Chain{n: n, grow: make([][]float64, n+1)}
	for k := 1; k <= n; k++ {
		c.grow[k] = grow(n, k)
	}
	return c
}

func checkNodes(n int) {
	if n < 2 {
		panic(fmt.Sprintf("scatter: %d nodes; 2 or more scatter an item", n))
	}
}

// grow returns the distribution of the number of nodes coloured by k coloured messages.
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

// Start returns the distribution at time 0: entry k is the probability that k nodes are coloured.
func (c *Chain) Start() []float64 {
	p := make([]float64, c.n+1)
	p[1] = 1
	return p
}

// Step returns the distribution one unit later: p(j+1, .) from p(j, .).
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

// Done returns p(j,n) for j = 0 to units: the probability that all nodes are coloured after j units. This is the
// distribution function of the completion time.
func (c *Chain) Done(units int) []float64 {
	done, p := make([]float64, 0, units+1), c.Start()
	for range units {
		done = append(done, p[c.n])
		p = c.Step(p)
	}
	return append(done, p[c.n])
}

// Coloured returns the expected number of coloured nodes after 0, 1, ... and finally the given number of units.
func (c *Chain) Coloured(units int) []float64 {
	expected, p := make([]float64, 0, units+1), c.Start()
	for range units {
		expected = append(expected, float64(c.n)-c.missing(p))
		p = c.Step(p)
	}
	return append(expected, float64(c.n)-c.missing(p))
}

// missing returns the expected number of uncoloured nodes.
func (c *Chain) missing(p []float64) float64 {
	sum := 0.0
	for k := c.n - 1; k >= 1; k-- {
		sum += float64(float64(c.n-k) * p[k])
	}
	return sum
}

// Completion returns the distribution of the completion time: entry j is the probability that the last node is
// coloured in unit j. The last entry leaves a remainder below 1e-15.
func (c *Chain) Completion() []float64 {
	completion, left := []float64{0}, 1.0
	for p := c.Start(); left >= 1e-15; {
		last := 0.0
		for k := (c.n + 1) / 2; k < c.n; k++ { // a unit at most doubles the number of coloured nodes
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

// Moments returns mean and standard deviation of a distribution over 0, 1, 2 ...
func Moments(p []float64) (mean, sd float64) {
	for j, probability := range p {
		mean += float64(float64(j) * probability)
	}
	for j, probability := range p {
		sd += float64((float64(j) - mean) * (float64(j) - mean) * probability)
	}
	return mean, math.Sqrt(sd)
}

// ExpectedTime returns T_n(a) of Lemma 3: the first unit after which the expected number of coloured nodes is at
// least n-a; 0 < a < n-1. Then p(T,n) >= 1-a. ExpectedTime panics for other a.
func (c *Chain) ExpectedTime(a float64) int {
	checkMissing(c.n, a)
	units := 0
	for p := c.Start(); c.missing(p) > a; p = c.Step(p) {
		units++
	}
	return units
}

func checkMissing(n int, a float64) {
	checkNodes(n)
	if !(a > 0 && a < float64(n-1)) {
		panic(fmt.Sprintf("scatter: a = %v nodes left over of %d; a is above 0 and below n-1", a, n))
	}
}

// Cost returns C = S t (section 1 of the paper). S is the number of messages per unit; each message causes a context
// switch of its receiver. t is the number of units to completion.
func Cost(messagesPerUnit, units float64) float64 { return messagesPerUnit * units }

// ScatterCost returns the cost of random scattering with one message per node and unit.
func ScatterCost(n int, units float64) float64 { return Cost(float64(n), units) }

// BroadcastCost returns n^2: every node sends to all nodes in one unit.
func BroadcastCost(n int) float64 { return Cost(float64(n)*float64(n), 1) }

// GraphCost returns the cost on a fixed graph whose nodes send to all neighbours in every unit. The number of units
// is the diameter.
func GraphCost(n, degree int, diameter float64) float64 {
	return Cost(float64(degree)*float64(n), diameter)
}

// RingCost returns the cost on a ring: degree 2, diameter n/2.
func RingCost(n int) float64 { return GraphCost(n, 2, float64(n/2)) }

// Diameters of graphs of degree 3, as multiples of log2 n (section 1 of the paper).
const (
	CubeConnectedCyclesDiameter = 5.0 / 2 // cube-connected cycles
	DenseTrivalentDiameter      = 3.0 / 2 // dense trivalent graphs
	BestTrivalentDiameter       = 1.1     // best known
)

// TrivalentCost returns the cost on a graph of degree 3 with one of these diameters: 7.5, 4.5 or 3.3 times n log2 n.
// Random scattering costs 1.693 (SYNC) or 1.386 (ASYNC) times n log2 n.
func TrivalentCost(n int, diameter float64) float64 {
	return GraphCost(n, 3, diameter*rounded.Log2(float64(n)))
}
