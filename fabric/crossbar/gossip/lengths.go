package gossip

import "math/big"

// UsedSlots returns the number of used slots of a run, for any orders: every message uses one slot of the sender and
// one of the receiver (sum over Definition 12).
func UsedSlots(N int) int { return 2 * N * (N + 1) }

// IdentityLength returns the length of a run with Identity: 3N^2/4 + 5N/4 + floor(N/2)/2 (Proposition 14), which is
// N(N+1) - IdentityDoubleColumns(N).
func IdentityLength(N int) int { return (3*N*N + 5*N + 2*(N/2)) / 4 }

// IdentityDoubleColumns returns the number of steps with two messages in a run with Identity: the sum of floor(i/2)
// for i < N, floor((N-1)^2/4) (Lemma 15). All other steps have one message.
func IdentityDoubleColumns(N int) int { return (N - 1) * (N - 1) / 4 }

// PipelinedLength returns the length of consecutive sessions with Pipelined: 3N + 2(N+1)(sessions-1). Proposition 18
// states 3N for one session and every N, but N = 1 takes 2 steps per session.
func PipelinedLength(N, sessions int) int {
	if N == 1 {
		return 2 * sessions
	}
	return 3*N + SessionPeriod(N)*(sessions-1)
}

// SessionPeriod returns the number of steps of each further session with Pipelined, N >= 2. A period has UsedSlots(N)
// used slots, so its efficiency is N/(N+1) (Table 6).
func SessionPeriod(N int) int { return 2 * (N + 1) }

// SerialLength returns the length of a run with one message per step: with Worst, or with any orders on a fabric for
// one message at a time. It is the maximum length of a run.
func SerialLength(N int) int { return N * (N + 1) }

// LowerBound returns a lower bound on the length of a run of the automaton of Fig. 1, for any orders and waiting
// times:
//
//	ceil((n(n-1) + 2(h(h-1) - B(h))) / h),  n = N+1, h = floor(n/2),
//	B(Y) = sum of s2(k) for k < Y,  s2(k) = number of one bits of k.
//
// A step has at most h messages, and at most one per started processor. At least u(k) steps precede the start of the
// k-th processor; the sum U(Y) of u(k) for k < Y is at least Y(Y-1) - B(Y). The end of a run mirrors its beginning.
// The bound is about 3N - log2 N. It is attained for N = 2^m - 1 (see Optimal), and for other small N (see Search).
func LowerBound(N int) int {
	h := (N + 1) / 2
	return (SerialLength(N) + 2*Unused(N) + h - 1) / h
}

// Unused returns a lower bound on the number of messages missing at the beginning of a run because their senders have
// not started: h(h-1) - B(h) of LowerBound, the sum of MayStart. The same number is missing at the end of a run.
func Unused(N int) int {
	unused := 0
	for k := range (N + 1) / 2 {
		unused += MayStart(k)
	}
	return unused
}

// FreeLowerBound returns the length of the shortest exchange among N+1 processors, in any order, if only the rule of
// one action per step applies: 2N for odd N, 2(N+1) for even N. A round-robin tournament with one step per round and
// direction attains this length.
func FreeLowerBound(N int) int { return 2 * (N + 1 - N%2) }

// AbovePipelined reports whether an efficiency exceeds 2/3, the efficiency of pipelined gossiping (Proposition 19).
// Conjecture 21 states that no function of the orders stays above 2/3 for infinitely many N. Optimal contradicts it,
// with 2N/(3N-m) for every N = 2^m - 1.
func AbovePipelined(epsilon *big.Rat) bool { return epsilon.Cmp(big.NewRat(2, 3)) > 0 }
