package gossip

import "math/big"

// UsedSlots is the number of used slots of a run, for any orders: every message uses one of
// its sender and one of its receiver (Definition 12, summed).
func UsedSlots(N int) int { return 2 * N * (N + 1) }

// IdentityLength is the length of a run with Identity:
// 3N^2/4 + 5N/4 + floor(N/2)/2 (Proposition 14), which is N(N+1) - IdentityDoubleColumns(N).
func IdentityLength(N int) int { return (3*N*N + 5*N + 2*(N/2)) / 4 }

// IdentityDoubleColumns is the number of steps with two messages in a run with Identity, all
// other steps having one: sum of floor(i/2) for i < N, that is floor((N-1)^2/4) (Lemma 15).
func IdentityDoubleColumns(N int) int { return (N - 1) * (N - 1) / 4 }

// PipelinedLength is the length of a number of sessions in a row with Pipelined:
// 3N + 2(N+1)(sessions-1). Proposition 18 has it for one session and every N, but N = 1
// takes 2 steps per session.
func PipelinedLength(N, sessions int) int {
	if N == 1 {
		return 2 * sessions
	}
	return 3*N + SessionPeriod(N)*(sessions-1)
}

// SessionPeriod is how many steps each further session takes with Pipelined, N >= 2. A
// period has UsedSlots(N) used slots, so that the efficiency is N/(N+1) there (Table 6).
func SessionPeriod(N int) int { return 2 * (N + 1) }

// SerialLength is the length of a run with one message per step: that with Worst, and that
// with any orders on a fabric that carries one message at a time. No run is longer.
func SerialLength(N int) int { return N * (N + 1) }

// LowerBound is a length below which no run of the automaton of Fig. 1 can be, whatever its
// orders, and however long processors wait:
//
//	ceil((n(n-1) + 2(h(h-1) - B(h))) / h),  n = N+1, h = floor(n/2),
//	B(Y) = sum of s2(k) for k < Y,  s2(k) = number of one bits of k.
//
// At most h messages pass per step, and no more than there are processors that have started,
// of which the k-th needs u(k) steps, with U(Y) = sum of u(k) for k < Y >= Y(Y-1) - B(Y);
// the end of a run is the mirror image of its beginning. The bound is about 3N - log2 N. It is
// attained for N = 2^m - 1 (see Optimal), and for other small N (see Search).
func LowerBound(N int) int {
	h := (N + 1) / 2
	return (SerialLength(N) + 2*Unused(N) + h - 1) / h
}

// Unused is how many more messages could pass at the beginning of a run than do, at least, as their senders have not started:
// h(h-1) - B(h) of LowerBound, the sum of MayStart; as many at its end.
func Unused(N int) int {
	unused := 0
	for k := range (N + 1) / 2 {
		unused += MayStart(k)
	}
	return unused
}

// FreeLowerBound is the length of the shortest exchange of N+1 processors that are bound by
// one action per step alone, in any order: 2N for N odd, 2(N+1) for N even. A round-robin
// tournament attains it, each round played once in each direction.
func FreeLowerBound(N int) int { return 2 * (N + 1 - N%2) }

// AbovePipelined reports whether an efficiency is above 2/3, that of pipelined gossiping
// (Proposition 19). Conjecture 21 says that no function of the orders keeps above it
// for infinitely many N; Optimal does, with 2N/(3N-m) for every N = 2^m - 1.
func AbovePipelined(epsilon *big.Rat) bool { return epsilon.Cmp(big.NewRat(2, 3)) > 0 }
