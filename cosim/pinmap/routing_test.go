package pinmap

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWholeWords checks that joined moves copy the same bits, with and without unknown bits.
func TestWholeWords(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	random := func(n int) []uint64 {
		words := make([]uint64, n)
		for i := range words {
			words[i] = r.Uint64()
		}
		return words
	}
	joined := 0
	for range 300 {
		const words = 24
		var moves []bitMove
		for from, to := 0, 0; from < 64*(words-1) && to < 64*(words-1); {
			m := bitMove{from: from, to: to, bits: 64}
			switch r.IntN(8) {
			case 0:
				m.bits = 1 + r.IntN(63)
			case 1:
				m.invert = ^uint64(0)
			case 2:
				m.from += r.IntN(64)
			case 3:
				to += 64
			}
			moves = append(moves, m)
			from, to = from+m.bits, to+m.bits
			if r.IntN(2) == 0 {
				from, to = (from+63)/64*64, (to+63)/64*64
			}
		}
		short := wholeWords(moves)
		joined += len(moves) - len(short)
		from, unknown, want := random(words+1), random(words+1), random(words+1)
		got, wantUnknown := append([]uint64(nil), want...), random(words+1)
		gotUnknown := append([]uint64(nil), wantUnknown...)
		moveBits(moves, from, want)
		moveBits(short, from, got)
		require.Equal(t, want, got)
		moveUnknown(moves, from, unknown, want, wantUnknown)
		moveUnknown(short, from, unknown, got, gotUnknown)
		require.Equal(t, want, got)
		require.Equal(t, wantUnknown, gotUnknown)
	}
	require.Greater(t, joined, 1000)
}
