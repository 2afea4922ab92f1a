package eisenstein_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric/ej/eisenstein"
	"starloom/fabric/ej/eisenstein/eisensteintest"
)

func torus(t *testing.T, a, b, dims int) *eisenstein.Torus {
	f, err := eisenstein.New(a, b)
	require.NoError(t, err)
	product, err := eisenstein.NewTorus(f, dims)
	require.NoError(t, err)
	return product
}

// TestOnePacketPerLink: in one dimension the bound (N-1)/3 is reached; in two, rotated orders of
// the dimensions take 10 and 62 steps, and the order of the paper takes 14 and 114.
func TestOnePacketPerLink(t *testing.T) {
	for _, c := range []struct{ a, dims, fixed, rotated int }{
		{1, 1, 2, 2}, {2, 1, 6, 6}, {3, 1, 12, 12}, {1, 2, 14, 10}, {2, 2, 114, 62},
	} {
		net := torus(t, c.a, c.a+1, c.dims)
		for rotate, want := range map[bool]int{false: c.fixed, true: c.rotated} {
			steps, received := eisensteintest.OneByOne(net, rotate)
			require.Equal(t, want, steps, "%+v", c)
			for _, messages := range received {
				require.Equal(t, net.Nodes()-1, messages)
			}
		}
	}
}
