package starloom

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
)

func TestPinMapOfTheTutorial(t *testing.T) {
	m, err := LoadPinMap("examples/rtl/stream_arbiter.yml")
	require.NoError(t, err)
	d, err := m.Open(context.Background(), cosim.Options{Seed: 1})
	require.NoError(t, err)
	defer d.Close()
	model, err := m.NewModel()
	require.NoError(t, err)
	defer model.Close()
	require.Equal(t, model.Ports(), d.Ports())
	random := cosim.NewRandom(1)
	for cycle := range uint64(10_000) {
		random.At(cycle)
		model.Stimulate(random, model.Inputs())
		if cycle == 0 {
			model.Inputs()[0] = 1
		}
		copy(d.Inputs(), model.Inputs())
		require.NoError(t, model.Edge(1))
		require.NoError(t, d.Edge(1))
		require.Equal(t, model.Outputs()[0], d.Outputs()[0], "cycle %d", cycle)
	}
}
