package fabrictest

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/ej"
	"starloom/firmware"
)

// built is an image of a source.
func built(t testing.TB, source string) string {
	image := filepath.Join(t.TempDir(), "firmware.wasm")
	require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: source, Output: image}))
	return image
}

// onEJ returns scenarios of an image, with FIFOs of so many frames for each port.
func onEJ(image string, e ej.Network, depth int) func(testing.TB) *starloom.Scenario {
	return func(testing.TB) *starloom.Scenario {
		s := starloom.DefaultScenario()
		s.Name, s.Fabric.EJ, s.Firmware.Image = "ej", &e, image
		s.NIC.RXFrames, s.NIC.TXFrames = depth, depth
		s.Rules, s.Stop.Slots = &starloom.Rules{}, 60
		return s
	}
}

// TestEJ floods networks of all kinds: frames meet, wait for credits, overflow and go unheard.
func TestEJ(t *testing.T) {
	const seed = 1
	flood := built(t, "ring/testdata/flood.c")
	random := rand.New(rand.NewPCG(seed, 0))
	var cases []Case
	for _, size := range []struct{ a, b, dimensions int }{{1, 2, 1}, {2, 2, 1}, {1, 3, 1}, {2, 3, 1}, {1, 2, 2}} {
		for _, duplex := range []string{ej.DuplexHalf, ej.DuplexFull} {
			e := ej.Network{A: size.a, B: size.b, Dimensions: size.dimensions, Duplex: duplex, Credits: random.IntN(4)}
			depth := 1 + random.IntN(3)
			cases = append(cases, Case{Name: fmt.Sprintf("seed %d: %+v, depth %d", seed, e, depth), Scenario: onEJ(flood, e, depth)})
		}
	}
	(&Suite{Cases: cases}).Run(t)
	for _, credits := range []int{0, 1} {
		e := ej.Network{A: 1, B: 3, Dimensions: 1, Credits: credits}
		half, err := starloom.Run(t.Context(), onEJ(flood, e, 1)(t), starloom.RunOptions{})
		require.NoError(t, err)
		require.Greater(t, half.Frames.Collided, uint64(50))
		require.Equal(t, credits > 0, half.Frames.Blocked > 50)
		require.Positive(t, half.Frames.Unheard)
		e.Duplex = ej.DuplexFull
		full, err := starloom.Run(t.Context(), onEJ(flood, e, 1)(t), starloom.RunOptions{})
		require.NoError(t, err)
		require.Zero(t, full.Frames.Collided)
	}
}
