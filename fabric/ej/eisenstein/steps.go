package eisenstein

import (
	"fmt"
	"math"
	"math/big"

	"starloom/traces/input"
)

// Step holds the numbers of sending and receiving nodes in a step of a broadcast.
type Step struct{ Senders, Receivers uint64 }

// Active returns the number of active nodes. No node both sends and receives in a step.
func (s Step) Active() uint64 { return s.Senders + s.Receivers }

// power returns N^n. It returns an error for less than one dimension, or 2^63 nodes or more.
func (f *Field) power(dims int) (uint64, error) {
	nodes := new(big.Int).Exp(big.NewInt(int64(f.size)), big.NewInt(int64(dims)), nil)
	if dims < 1 || !nodes.IsInt64() {
		return 0, input.Mistake("fabric.ej.dims", fmt.Sprintf("dims is %d", dims),
			fmt.Sprintf("give 1 or more, and at most %d nodes", math.MaxInt64))
	}
	return nodes.Uint64(), nil
}

// Steps returns the steps of a broadcast computed by recurrence over the dimensions (Section 5 of the paper), for
// General, Oriented, Previous, and Improved with b = a+1. Entry s-1 is step s. It returns an error for less than one
// dimension, or 2^63 nodes or more.
func (f *Field) Steps(algorithm Algorithm, dims int) ([]Step, error) {
	if _, err := f.power(dims); err != nil {
		return nil, err
	}
	switch algorithm {
	case Improved:
		if f.b != f.a+1 {
			panic("eisenstein: nodes of this alpha receive more than once")
		}
		return parallel(&f.sectors, dims), nil
	case General:
		return parallel(&f.sectors, dims), nil
	case Oriented:
		return parallel(&f.oriented, dims), nil
	case Previous:
		return f.iterative(dims), nil
	}
	panic("eisenstein: no recurrence for this algorithm")
}

// parallel returns the steps of a broadcast in which every node that receives in step s sends once, in step s+1,
// except leaves of dimension 1. The number of receivers in step s is the coefficient of z^s in (sum of
// histogram[i]*z^i)^n.
func parallel(s *stairs, dims int) []Step {
	leaves := s.leafHistogram()
	higher := []uint64{1} // receivers in the dimensions above 1, by step
	for range dims - 1 {
		higher = convolved(higher, s.histogram)
	}
	receivers, silent := convolved(higher, s.histogram), convolved(higher, leaves)
	steps := make([]Step, len(receivers)-1)
	for i := range steps {
		steps[i] = Step{receivers[i] - silent[i], receivers[i+1]}
	}
	return steps
}

// iterative returns the steps of n rounds. In step d of round r = 1..n, all N^(r-1) nodes with the message are
// centres of a broadcast in one dimension. (The paper's formulas count r from 0 and omit the N^(r-1) senders at d =
// 1.)
func (f *Field) iterative(dims int) (steps []Step) {
	leaves := f.sectors.leafHistogram()
	centres := uint64(1)
	for range dims {
		for d := 1; d <= f.Diameter(); d++ {
			inner := f.sectors.histogram[d-1] - leaves[d-1]
			steps = append(steps, Step{centres * uint64(inner), centres * uint64(f.sectors.histogram[d])})
		}
		centres *= uint64(f.size)
	}
	return steps
}

func convolved(a []uint64, b []int) []uint64 {
	product := make([]uint64, len(a)+len(b)-1)
	for i, x := range a {
		for j, y := range b {
			product[i+j] += x * uint64(y)
		}
	}
	return product
}

// leafHistogram counts the leaves of a broadcast in one dimension by weight 0..M.
func (s *stairs) leafHistogram() []int {
	leaves := make([]int, len(s.histogram))
	for _, extents := range s.extents {
		for q, extent := range extents {
			if extent > 0 || q == len(extents)-1 {
				leaves[q+1+extent]++
			}
		}
	}
	return leaves
}

// Leaves returns the number of nodes that a broadcast in one dimension reaches without sending.
func (f *Field) Leaves() (leaves int) {
	for _, count := range f.sectors.leafHistogram() {
		leaves += count
	}
	return leaves
}

// TotalSenders returns the sum of senders over the steps in closed form: (N-L)*N^(n-1) with L leaves, and
// (N-L)*(N^n-1)/(N-1) for Previous. It returns the errors of Steps.
func (f *Field) TotalSenders(algorithm Algorithm, dims int) (uint64, error) {
	nodes, err := f.power(dims)
	if err != nil {
		return 0, err
	}
	leaves, size := uint64(f.Leaves()), uint64(f.size)
	switch algorithm {
	case Previous:
		return (nodes - 1) / (size - 1) * (size - leaves), nil
	case Oriented:
		leaves = 0
		for _, count := range f.oriented.leafHistogram() {
			leaves += uint64(count)
		}
	}
	return nodes / size * (size - leaves), nil
}

// MeanStep returns the mean step in which the N^n - 1 nodes receive.
func MeanStep(steps []Step) *big.Rat {
	sum, nodes := new(big.Int), new(big.Int)
	for i, step := range steps {
		receivers := new(big.Int).SetUint64(step.Receivers)
		nodes.Add(nodes, receivers)
		sum.Add(sum, receivers.Mul(receivers, big.NewInt(int64(i+1))))
	}
	return new(big.Rat).SetFrac(sum, nodes)
}
