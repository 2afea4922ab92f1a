package maps

import (
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim/pinmap"
)

const sweptMap = `model: fifo
parameters: {DEPTH: [2, 4, 16], WIDTH: 8, COUNT_BITS: 4}
top: queue
sources: [queue.sv]
params:
  LENGTH: [2, 4, 16]
  KIND: [fast, small, fast]
  BITS: 8
clock: clk
`

// TestSweep checks that the n-th values of all lists form a map, with the other values in common.
func TestSweep(t *testing.T) {
	points, err := ParsePins("q.yml", []byte(sweptMap), pinmap.Library{})
	require.NoError(t, err)
	require.Len(t, points, 3)
	for i, depth := range []string{"2", "4", "16"} {
		p := points[i]
		kind := []string{"fast", "small", "fast"}[i]
		require.Equal(t, []string{"DEPTH=" + depth, "LENGTH=" + depth, "KIND=" + kind}, p.Values)
		require.Equal(t, map[string]string{"LENGTH": depth, "KIND": kind, "BITS": "8"}, p.Source.Params)
		require.Equal(t, []int{2, 4, 16}[i], p.Parameters["DEPTH"])
		require.Equal(t, 8, p.Parameters["WIDTH"])
		require.Equal(t, "clk", p.Clock)
	}
	one, err := ParsePins("q.yml", []byte("model: fifo\nparams: {A: 1}\n"), pinmap.Library{})
	require.NoError(t, err)
	require.Len(t, one, 1)
	require.Empty(t, one[0].Values)
}

// TestSweepRefuses checks that lists of different lengths are refused with their place, and that a map for one
// machine has no lists.
func TestSweepRefuses(t *testing.T) {
	for text, says := range map[string]string{
		"model: fifo\nparams: {A: []}\n":                         "q.yml:2:13: params.A is an empty list; write its values",
		"model: fifo\nparameters: {D: [1, 2]}\nparams: {A: [1]}": "q.yml:3:13: params.A has 1 values, but parameters.D has 2: lists vary together; give all lists the same number of values",
		"model: fifo\nparams: {A: [1, [2]]}\n":                   "q.yml:2:17: params.A is a list; write an integer",
	} {
		_, err := ParsePins("q.yml", []byte(text), pinmap.Library{})
		require.ErrorContains(t, err, says)
	}
	_, err := ParsePin("q.yml", []byte(sweptMap), pinmap.Library{})
	require.ErrorContains(t, err, "q.yml:2:21: one value is needed here, but the pin map has a list in "+
		"parameters.DEPTH, params.LENGTH, params.KIND; give one value")
}
