package hw

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSet compares a set with a list of flags, through additions, removals and windows.
func TestSet(t *testing.T) {
	for _, n := range []int{1, 63, 64, 65, 4096, 10_000} {
		random := rand.New(rand.NewPCG(1, uint64(n)))
		set, flags := NewSet(n), make([]bool, n)
		for range 2000 {
			i := random.IntN(n)
			if flags[i] = random.IntN(3) == 0; flags[i] {
				set.Add(i)
			} else {
				set.Remove(i)
			}
			if random.IntN(20) > 0 {
				continue
			}
			first := random.IntN(n)
			end := first + random.IntN(n-first+1)
			var want, have []int
			for k := first; k < end; k++ {
				if flags[k] {
					want = append(want, k)
				}
			}
			for i := set.Next(first, end); i < end; i = set.Next(i+1, end) {
				have = append(have, i)
			}
			require.Equal(t, want, have)
			require.Equal(t, len(want), set.Count(first, end))
			other := NewSet(n)
			copy(other.Words(), set.Words())
			other.Derive()
			joined, half := NewSet(n), NewSet(n)
			for k := range n {
				if flags[k] && k%2 == 0 {
					joined.Add(k)
				} else if flags[k] {
					half.Add(k)
				}
			}
			joined.Join(half)
			require.Equal(t, set, joined)
			require.Equal(t, set, other)
			other.RemoveRange(first, end)
			for _, i := range want {
				set.Remove(i)
				flags[i] = false
			}
			require.Equal(t, set, other)
		}
		set.Fill(n)
		count := 0
		for i := set.Next(0, n); i < n; i = set.Next(i+1, n) {
			require.Equal(t, count, i)
			count++
			set.Remove(i)
		}
		require.Equal(t, n, count)
		require.Equal(t, NewSet(n), set)
		set.Fill(n)
		set.Clear()
		require.Equal(t, NewSet(n), set)
	}
}
