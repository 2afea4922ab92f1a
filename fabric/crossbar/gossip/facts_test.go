package gossip_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric/crossbar/gossip"
	. "starloom/fabric/crossbar/gossip/gossiptest"
)

// rowFacts are the first and last columns of each action in a row.
func rowFacts(table *gossip.Table, p int) (firstBusy, firstSent, last, blocked int) {
	firstBusy, firstSent = -1, -1
	for run := range table.Row(p) {
		action, column := run.Cell.Action, int(run.Column)
		if action == gossip.Sent && firstSent < 0 {
			firstSent = column
		}
		if (action == gossip.Sent || action == gossip.Blocked) && firstBusy < 0 {
			firstBusy = column
		}
		if action == gossip.Blocked {
			blocked += int(run.Length)
		}
		if action == gossip.Sent || action == gossip.Received {
			last = column
		}
	}
	return firstBusy, firstSent, last, blocked
}

// TestIdentityColumns: steps have one message or two; Lemma 15 gives the number of the latter.
func TestIdentityColumns(t *testing.T) {
	for N := 1; N <= 60; N++ {
		count := map[int]int{}
		for _, used := range Fill(gossip.Identity(N)).Nu() {
			count[used]++
		}
		doubles := gossip.IdentityDoubleColumns(N)
		require.Equal(t, doubles, count[4], "N = %d", N)
		require.Equal(t, gossip.IdentityLength(N)-doubles, count[2], "N = %d", N)
	}
}

// TestPipelinedShape: nu is a palindrome; processor k enters stage B in step 2k, is blocked
// once and sends from step 2k+1 on; processor i < N has finished in step 2N+1+i.
func TestPipelinedShape(t *testing.T) {
	for N := 2; N <= 60; N++ {
		table := Step(Setting{Orders: gossip.Pipelined(N)})
		nu := table.Nu()
		mirror := slices.Clone(nu)
		slices.Reverse(mirror)
		require.Equal(t, nu, mirror, "N = %d", N)
		for k := 1; k <= N; k++ {
			busy, sent, last, blocked := rowFacts(table, k)
			require.Equal(t, [3]int{2*k - 1, 2 * k, 1}, [3]int{busy, sent, blocked}, "N = %d, processor %d", N, k)
			if k < N {
				require.Equal(t, 2*N+k, last, "N = %d, processor %d", N, k)
			}
		}
	}
}

// TestSessionsAreSteady: with Pipelined, UsedSlots(N) slots of a period in the middle are
// used, an efficiency of N/(N+1).
func TestSessionsAreSteady(t *testing.T) {
	for N := 2; N <= 20; N++ {
		nu, period := Step(Setting{Orders: gossip.Pipelined(N), Sessions: 6}).Nu(), gossip.SessionPeriod(N)
		for first := 2 * period; first+period <= 4*period; first++ {
			used := 0
			for _, slots := range nu[first : first+period] {
				used += slots
			}
			require.Equal(t, gossip.UsedSlots(N), used, "N = %d, from column %d", N, first)
		}
	}
}

// TestAlgorithm2Prime: on Pipelined, Algorithm 2' is never longer than Algorithm 2, and equally
// long only for a few N.
func TestAlgorithm2Prime(t *testing.T) {
	largest := 130
	if *full {
		largest = 700
	}
	equal := []int{2, 4, 8, 10, 16, 18, 20, 32, 36, 64, 128, 256, 512}
	for N := 2; N <= largest; N++ {
		length := ScheduledLength(N, true, Algorithm2Prime)
		require.LessOrEqual(t, length, 3*N)
		require.Equal(t, slices.Contains(equal, N), length == 3*N, "N = %d", N)
	}
	for i := 2; i <= 9; i++ {
		require.Equal(t, 3*(1<<i-1)-i, ScheduledLength(1<<i-1, true, Algorithm2Prime))
	}
}
