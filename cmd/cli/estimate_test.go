package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/internal/estimate"
)

// TestEstimate checks that every kind of run is estimated, that the larger sizes are --set options that run, and that
// no file remains.
func TestEstimate(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	folder := t.TempDir()
	vcd := filepath.Join(folder, "run.vcd")
	for _, c := range []struct {
		arguments []string
		larger    int
	}{
		{[]string{"examples/pops-16x16.yaml"}, 3},
		{[]string{"examples/gossip.yaml", "--vcd", vcd}, 3},
		{[]string{"examples/ej-broadcast.yaml", "--engine", "cycle"}, 3},
		{[]string{"examples/bus-gossip.yaml"}, 3},
		{[]string{"examples/bus-sensors.yaml", "--mode", "isolated"}, 0},
		{[]string{"examples/scatter.yaml", "--seeds", "1..20"}, 3},
		{[]string{"examples/pops-2x4-all.yaml"}, 0},
	} {
		file := filepath.Join(folder, "estimate.json")
		arguments := append([]string{"estimate", "../../" + c.arguments[0], "--json", file}, c.arguments[1:]...)
		r := starloomIn(t, ".", arguments...)
		out := r.stdout
		require.Zero(t, r.status, r.stderr)
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		var e estimate.Estimate
		require.NoError(t, json.Unmarshal(data, &e))
		require.Equal(t, estimate.BasisItself, e.Time.Basis, out)
		require.Positive(t, e.Time.Seconds)
		require.Greater(t, e.MemoryBytes, uint64(20<<20))
		require.NoError(t, os.Remove(file))
		entries, err := os.ReadDir(folder)
		require.NoError(t, err)
		require.Empty(t, entries)
		require.GreaterOrEqual(t, len(e.Larger), c.larger, out)
		if len(e.Larger) > 0 {
			arguments := []string{"run", "../../" + c.arguments[0], "--json", file}
			for _, key := range e.Larger[0].Keys {
				arguments = append(arguments, "--set", fmt.Sprintf("%s=%d", key.Key, key.Value))
			}
			r := starloomIn(t, ".", arguments...)
			require.Zero(t, r.status, r.stderr)
			require.NoError(t, os.Remove(file))
		}
	}
	for _, bad := range [][]string{{"--engine", "slot", "--vcd", vcd}, {"--seed", "77", "--vcd", filepath.Join(folder, "none", "run.vcd")}} {
		r := starloomIn(t, ".", append([]string{"estimate", "../../examples/gossip.yaml"}, bad...)...)
		require.Equal(t, 2, r.status, r.stderr)
	}
}
