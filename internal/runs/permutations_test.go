package runs

import (
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric"
)

// TestPermutationNumber: counting up goes through all permutations in the order of their numbers.
func TestPermutationNumber(t *testing.T) {
	p := PermutationNumber(5, 0)
	for k := range uint64(120) {
		require.Equal(t, PermutationNumber(5, k), p, "%d", k)
		require.NoError(t, fabric.CheckPermutation(p, 5))
		nextPermutation(p)
	}
}
