package outputs

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/outcome"
	"starloom/internal/systemtest"
	"starloom/traces"
)

// TestProvenance checks that JSON forms name the version, the SHA-256 of the scenario's file and the values that
// replace some of it, in one order, and nothing that must not change the bytes: path, workers and engine.
func TestProvenance(t *testing.T) {
	data := []byte(systemtest.Small)
	sum := fmt.Sprintf("%x", sha256.Sum256(data))
	seed, frames := starloom.Assignment{Key: "seed", Value: "7"}, starloom.Assignment{Key: "nic.rx_frames", Value: "8"}
	written := func(name string, o starloom.RunOptions, set ...starloom.Assignment) (*traces.Provenance, string) {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(path, data, 0o666))
		s, err := starloom.LoadScenario(path, set...)
		require.NoError(t, err)
		o.Reports.JSON = starloom.File(path + ".json")
		_, err = starloom.Run(t.Context(), s, o)
		require.NoError(t, err)
		text, err := os.ReadFile(path + ".json")
		require.NoError(t, err)
		var read struct{ Provenance *traces.Provenance }
		require.NoError(t, json.Unmarshal(text, &read))
		return read.Provenance, string(text)
	}
	one, two := starloom.MachineOptions{Workers: 1}, starloom.MachineOptions{Workers: 2, BankSize: 3}
	set := []string{"nic.rx_frames=8", "seed=7"}
	p, first := written("s.yaml", starloom.RunOptions{MachineOptions: one}, seed, frames)
	require.Equal(t, &traces.Provenance{Version: outcome.Version(), SHA256: sum, Set: set}, p)
	_, again := written("s.yaml", starloom.RunOptions{MachineOptions: two}, frames, seed)
	require.Equal(t, first, again)
	p, _ = written("s.yaml", starloom.RunOptions{MachineOptions: starloom.MachineOptions{Engine: "cycle"}})
	require.Equal(t, &traces.Provenance{Version: outcome.Version(), SHA256: sum}, p)

	s, err := starloom.ParseScenario("s.yaml", data)
	require.NoError(t, err)
	many, err := starloom.RunSeeds(t.Context(), s, starloom.Seeds{First: 1, Last: 2}, starloom.RunOptions{})
	require.NoError(t, err)
	require.Equal(t, sum, many.Provenance.SHA256)
	run, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
	require.NoError(t, err)
	line, err := run.Line()
	require.NoError(t, err)
	require.NotContains(t, string(line), "provenance", "tables of a sweep stay equal")
	check, err := starloom.CheckFirmware(t.Context(), s, starloom.FirmwareCheckOptions{})
	require.NoError(t, err)
	require.Equal(t, sum, check.Provenance.SHA256)
	study, err := starloom.Study(t.Context(), "ej", starloom.StudyOptions{Case: "plane"})
	require.NoError(t, err)
	require.Equal(t, &traces.Provenance{Version: outcome.Version()}, study.Provenance)
}
