package systemtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/firmware"
)

// AscendingImage is an image of a Hopfield network whose updates raise the energy.
func AscendingImage(t *testing.T) string {
	source, err := os.ReadFile("firmware/programs/gossip/hopfield.c")
	require.NoError(t, err)
	mutant := strings.Replace(string(source), "(field > 0) == up", "(field < 0) == up", 1)
	require.NotEqual(t, string(source), mutant)
	folder := t.TempDir()
	path, image := filepath.Join(folder, "ascends.c"), filepath.Join(folder, "ascends.wasm")
	require.NoError(t, os.WriteFile(path, []byte(mutant), 0o666))
	require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: path, Output: image}))
	return image
}

// Ascends is a run of it.
func Ascends(t *testing.T) *starloom.Scenario {
	s := HopfieldScenario(4, map[string]int64{"neurons": 16}, starloom.Gossip{Values: "random", Sessions: 3})
	s.Firmware.Program, s.Firmware.Image = "", AscendingImage(t)
	s.Rules = &starloom.Rules{Energy: true}
	return s
}
