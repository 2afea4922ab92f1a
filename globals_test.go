package starloom

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFirmwareGlobals runs firmware whose state is in a global of WebAssembly: every
// permutation begins with none, and a run that was saved and restored anywhere sends
// what it would have sent.
func TestFirmwareGlobals(t *testing.T) {
	s := imageScenario(t, "counts")
	s.Rules = &Rules{}
	want := result(t, s, MachineOptions{})
	for stop := range uint32(7) {
		var state bytes.Buffer
		first := machine(t, s, MachineOptions{})
		for range stop {
			first.Step()
		}
		require.NoError(t, first.Save(&state))
		second := machine(t, s, MachineOptions{})
		second.Step()
		require.NoError(t, second.Restore(&state))
		require.NoError(t, second.Run(context.Background(), nil))
		require.Equal(t, want, reportText(t, second.Report()), "stopped at %d", stop)
	}

	s.Workload.Permutation.Kind = PermutationAll
	r, err := Run(context.Background(), s, RunOptions{})
	require.NoError(t, err)
	require.Equal(t, VerdictPass, r.Verdict, r.Violations)
	require.Equal(t, 24, r.Metrics.Get("permutations"))
}
