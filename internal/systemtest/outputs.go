package systemtest

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"starloom"

	"github.com/stretchr/testify/require"
)

// WaveformOf runs a scenario with a waveform and returns its text.
func WaveformOf(t *testing.T, s *starloom.Scenario) string {
	path := filepath.Join(t.TempDir(), "run.vcd")
	_, err := starloom.Run(context.Background(), s, starloom.RunOptions{VCD: starloom.File(path)})
	require.NoError(t, err)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}
