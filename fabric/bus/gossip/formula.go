package gossip

import "slices"

// LowerBound returns a lower bound on the number of steps of gossip among n vertices on any buses (Theorem 2):
// ceil(log2 n)+1, and 0 for n = 1.
func LowerBound(n int) int {
	if n == 1 {
		return 0
	}
	return ceilLog(2, n) + 1
}

// UpperBound returns the published bound of TwoPhase (Corollary 6 and section 2.2): ceil(log2 l) + ceil(log_tau q) +
// 2, plus 2 with left-over vertices. TwoPhase takes this number of steps or one step fewer.
func UpperBound(n, l int) int {
	q := n / l
	if q == 0 {
		return LowerBound(n)
	}
	bound := ceilLog(2, l) + CeilLogTau(l, q) + 2
	if n%l > 0 {
		bound += 2
	}
	return bound
}

// Length returns the number of steps of TwoPhase.
func Length(n, l int) int {
	q := n / l
	if q == 0 {
		return LowerBound(n)
	}
	length := ceilLog(2, l) + 1 + Phase2Length(q, l)
	if n%l > 0 {
		length += 2
	}
	return length
}

// ImprovedLength returns the number of steps of Improved.
func ImprovedLength(n, l int) int {
	q, r := n/l, n%l
	if q == 0 || r == 0 {
		return Length(n, l)
	}
	length := ceilLog(2, l+(r+q-1)/q) + 1 + Phase2Length(q, l)
	if (grid{n: n, l: l, q: q}).spare() < 0 {
		length++
	}
	return length
}

// NaiveLength returns the number of steps of Naive: ceil(log2 n) + ceil(log_l n).
func NaiveLength(n, l int) int { return ceilLog(2, n) + ceilLog(l, n) }

// Phase2Length returns the number of steps of phase 2 with q columns: 1 + min{t : M(t) >= q}, and 0 for one column.
func Phase2Length(q, l int) int {
	if q == 1 {
		return 0
	}
	length := 1
	for known := ones(l); slices.Max(known) < q; known = next(known) {
		length++
	}
	return length
}

// Amounts returns F(t), the number of columns F_i known to each line i at time t of phase 2 (Table 1). Among lines
// with equally many columns, the lowest line sends. The entries fit into an int for t below 62.
func Amounts(l, t int) []int {
	known := ones(l)
	for range t {
		known = next(known)
	}
	return known
}

// Most returns M(t), the maximum number of columns known to a line at time t (equation 2): 2^t for t < l, then the
// sum of the previous l values. t must be below 62.
func Most(l, t int) int {
	values := make([]int, t+1)
	for i := range values {
		if i < l {
			values[i] = 1 << i
			continue
		}
		for _, before := range values[i-l : i] {
			values[i] += before
		}
	}
	return values[t]
}

// ones returns F(0).
func ones(l int) []int { return slices.Repeat([]int{1}, l) }

// next returns F(t+1): the amounts after a transmission of the line with the most columns.
func next(known []int) []int {
	sender, after := most(known), slices.Clone(known)
	for line := range after {
		if line != sender {
			after[line] += known[sender]
		}
	}
	return after
}

func most(known []int) int { return slices.Index(known, slices.Max(known)) }

func complete(known []int, columns int) bool { return slices.Min(known) >= columns }

func ceilLog(base, n int) (e int) {
	for ; n > 1; e++ {
		n = (n-1)/base + 1
	}
	return e
}
