package gossip

import (
	"fmt"
	"math/bits"

	"starloom/traces/input"
)

// Optimal returns orders with a run of length LowerBound(N) = 3N-m, for N = 2^m - 1. A closed form yields the orders,
// and no processor waits between its sends. The orders are not in the paper and contradict Conjecture 21 (see
// AbovePipelined). If N+1 is not a power of two, Optimal returns an *input.Error without a place.
func Optimal(N int) (Orders, error) {
	if N < 1 || (N+1)&N != 0 {
		return nil, &input.Error{Reason: fmt.Sprintf("there are no %s orders for %d processors", WordOptimal, N+1),
			Remedy: "give 2, 4, 8, 16 ... processors"}
	}
	first := startSteps(N)
	orders := newOrders(N, func(row []uint32, _ int) []uint32 { return row[:N] })
	optimalSchedule(N+1, func(step, from, to int) { orders[from][step-first[from]] = uint32(to) })
	return orders, nil
}

// startSteps returns the step of each processor's first send in the optimal schedule: u(k)+1.
func startSteps(N int) []int {
	first := make([]int, N+1)
	for k := range first {
		first[k] = MayStart(k) + 1
	}
	return first
}

// MayStart returns u(k) = 2k - s2(k): processor k may send after u(k) steps at the earliest.
func MayStart(k int) int { return 2*k - bits.OnesCount(uint(k)) }

// optimalSchedule calls send for every message of the optimal run with n = 2^m processors; steps count from 1. The
// lower half Y = n/2 gossips upwards, then messages pass between the halves. The second half of the run consists of
// shifted copies.
func optimalSchedule(n int, send func(step, from, to int)) {
	Y, m := n/2, bits.TrailingZeros(uint(n))
	L := MayStart(Y - 1) // start of the last processor of the lower half
	for x := range Y {
		for y := x + 1; y < Y; y++ {
			t := upward(x, y)
			send(t, x, y)
			send(L+m+t, y, x)
			send(L+m+t, Y+x, Y+y)
			send(2*(L+m)+t, Y+y, Y+x)
		}
	}
	for x := range Y {
		for y := range Y {
			j, c := lattice(x, y, m-1)
			if c == Y {
				send(L+j, x, Y+y)
				send(2*L+m+j, Y+x, y)
				continue
			}
			tau := MayStart(c/2-1) + j
			if x < c {
				send(tau+Y-1, x, Y+y)
				send(L+m+tau+Y-1, Y+x, y)
			} else {
				send(L+m+tau, x, Y+y)
				send(2*(L+m)+tau, Y+x, y)
			}
		}
	}
}

// lattice returns the place in the schedule of the message from element x of one block of 2^r processors to element y
// of the next block: number j of the group that passes after the start of the first c processors of a block.
func lattice(x, y, r int) (j, c int) {
	j = min(1+bits.TrailingZeros(^uint(x^y)), r+1)
	if j == r+1 {
		return j, 1 << r
	}
	return j, ((x>>j+y>>j)%(1<<(r-j)) + 1) << j
}

// upward returns the step of the message x -> y, x < y, in the gossip of the processors below the next power of two
// above y.
func upward(x, y int) int {
	p := bits.Len(uint(x^y)) - 1 // x and y are in adjacent blocks of 2^p
	Y := 1 << p
	base := MayStart(x >> (p + 1) << (p + 1))
	j, c := lattice(x%Y, y%Y, p)
	if c == Y {
		return base + MayStart(Y-1) + j
	}
	tau := MayStart(c/2-1) + j
	if x%Y < c {
		return base + tau + Y - 1
	}
	return base + tau + 2*Y - 1
}
