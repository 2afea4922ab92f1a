package engines

import (
	"bytes"
	"context"
	"testing"

	"starloom"
	"starloom/internal/systemtest"

	"github.com/stretchr/testify/require"
)

// TestFirmwareGlobals runs firmware whose state is in a global of WebAssembly: every
// permutation begins with none, and a run that was saved and restored anywhere sends
// what it would have sent.
func TestFirmwareGlobals(t *testing.T) {
	s := systemtest.ImageScenario(t, "counts")
	s.Rules = &starloom.Rules{}
	want := systemtest.Result(t, s, starloom.MachineOptions{})
	for stop := range uint32(7) {
		var state bytes.Buffer
		first := systemtest.Machine(t, s, starloom.MachineOptions{})
		for range stop {
			first.Step()
		}
		require.NoError(t, first.Save(&state))
		second := systemtest.Machine(t, s, starloom.MachineOptions{})
		second.Step()
		require.NoError(t, second.Restore(&state))
		require.NoError(t, second.Run(context.Background(), nil))
		require.Equal(t, want, systemtest.ReportText(t, second.Report()), "stopped at %d", stop)
	}

	s.Workload.Permutation.Kind = starloom.PermutationAll
	r, err := starloom.Run(context.Background(), s, starloom.RunOptions{})
	require.NoError(t, err)
	require.Equal(t, starloom.VerdictPass, r.Verdict, r.Violations)
	require.Equal(t, 24, r.Metrics.Get("permutations"))
}
